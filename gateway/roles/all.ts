import { mkdir } from 'node:fs/promises';
import type { Config } from '../../config/load-config.ts';
import { createCore, type RunningCore } from '../../core/create-core.ts';
import { StorageStartError } from '../../core/storage/start-error.ts';
import type { Plugin } from '../../plugins/contract.ts';
import { createLog, logFor } from '../log.ts';
import { type RunningGateway, serve } from '../serve.ts';
import { StartError } from '../start-error.ts';
import { adminToken, tokenCheck } from './admin-token.ts';

export type RunningService = Omit<RunningGateway, 'close'> & {
  readonly core: RunningCore;
  /** Drains the gateway, then closes core. */
  close(): Promise<void>;
};

/**
 * Everything in one process: gateway and core, SQLite and files in the data folder. The only place that knows
 * both sides.
 *
 * @throws StartError; then nothing is left open
 */
export async function startAll(options: {
  readonly config: Config;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
  /** What has to be done before the first request can come, for example loading the sample project. */
  readonly beforeListening?: (core: RunningService['core']) => Promise<void>;
}): Promise<RunningService> {
  const { settings, plugins: pluginSettings } = options.config;
  const { dataDir, vendor, management, retention } = settings;
  const logs = logFor(createLog(settings.logLevel));
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const isAdminToken = tokenCheck(await adminToken(dataDir, settings.adminToken));
  const core = await createCore({
    dataDir,
    vendor,
    management,
    retention,
    log: logs('core'),
    isAdminToken,
  }).catch((error: unknown) => {
    throw error instanceof StorageStartError ? new StartError(error.message, { cause: error }) : error;
  });
  try {
    await options.beforeListening?.(core);
    const gateway = await serve({ core, settings, plugins: options.plugins, pluginSettings, logFor: logs });
    return {
      ...gateway,
      core,
      async close() {
        await gateway.close();
        await core.close();
      },
    };
  } catch (error) {
    await core.close();
    throw error;
  }
}
