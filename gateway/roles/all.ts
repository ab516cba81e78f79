import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { Config } from '../../config/load-config.ts';
import { createCore, type RunningCore } from '../../core/compose/create-core.ts';
import { makeFolder } from '../../core/storage/make-folder.ts';
import { StorageStartError } from '../../core/storage/start-error.ts';
import type { Plugin } from '../../plugins/contract.ts';
import { createLog, logFor } from '../log.ts';
import { type RunningGateway, serve } from '../serve.ts';
import { StartError } from '../start-error.ts';
import { adminToken } from './admin-token.ts';
import { openWorkers } from './open-workers.ts';
import { makeReloads, type Reloads } from './reload.ts';
import { storageMetrics } from './storage-metrics.ts';
import { webhookMetrics } from './webhook-metrics.ts';
import { workerMetrics } from './worker-metrics.ts';

export type RunningService = Omit<RunningGateway, 'close' | 'reload'> & {
  readonly core: RunningCore;
  /** Applies the settings that can change while requests run. */
  reload: Reloads['reload'];
  /** Drains the gateway, then closes core. */
  close(): Promise<void>;
};

/** Part of the shutdown time that core has where requests take all of theirs. */
const CORE_SHARE = 0.2;
const LONGEST_CORE_MS = 1500;
const LEAST_CORE_MS = 800;

/**
 * Runs everything in one process: gateway and core, SQLite and files in the data folder.
 *
 * @throws StartError, after closing what it had opened
 */
export async function startAll(options: {
  readonly config: Config;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
  /** Runs before the first request, for example to load the sample project. */
  readonly beforeListening?: (core: RunningService['core']) => Promise<void>;
}): Promise<RunningService> {
  const { settings, plugins: pluginSettings } = options.config;
  const { dataDir, filesDir, vendor, management, publishing } = settings;
  const { retention, delivery, quotas, mail, webhooks } = settings;
  const logs = logFor(createLog(settings.logLevel));
  await makeFolder(dataDir);
  const workers = openWorkers(settings.workers, logs('workers'));
  const registry = new Registry();
  workerMetrics(registry, workers);
  const core = await createCore({
    dataDir,
    filesDir,
    vendor,
    management,
    publishing,
    retention,
    images: { ...settings.images, maxPixels: settings.workers.maxPixels },
    delivery,
    quotas,
    mail,
    workers,
    webhooks: {
      ...webhooks,
      certificateAuthority: await readAuthority(webhooks.certificateAuthority),
    },
    log: logs('core'),
    adminToken: await adminToken(dataDir, settings.adminToken),
  }).catch((error: unknown) => {
    throw error instanceof StorageStartError ? new StartError(error.message, { cause: error }) : error;
  });
  try {
    storageMetrics(registry, core);
    webhookMetrics(registry, core);
    await options.beforeListening?.(core);
    const gateway = await serve({
      core,
      settings,
      plugins: options.plugins,
      pluginSettings,
      registry,
      logFor: logs,
    });
    const reloads = makeReloads(gateway, logs, options.config);
    return {
      ...gateway,
      core,
      reload: reloads.reload,
      async close() {
        const { drainMilliseconds } = gateway;
        const ends = performance.now() + drainMilliseconds;
        await reloads.end();
        await gateway.close(drainMilliseconds - Math.min(drainMilliseconds * CORE_SHARE, LONGEST_CORE_MS));
        // After that time the process ends without core: acknowledged writes are on the disk.
        const remaining = Math.max(ends - performance.now(), LEAST_CORE_MS);
        const late = pause(remaining, true, { ref: false });
        if (await Promise.race([core.close().then(() => false), late]))
          logs('core').warn({}, 'Running work did not end in time; the service ends without it.');
        await workers.close();
      },
    };
  } catch (error) {
    await core.close();
    await workers.close();
    throw error;
  }
}

async function readAuthority(file: string | null): Promise<string | undefined> {
  if (file === null) return undefined;
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const message = `webhooks.certificateAuthority: ${file} cannot be read (${error.code}).`;
    throw new StartError(message, { cause: error });
  });
}
