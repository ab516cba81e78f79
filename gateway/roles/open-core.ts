import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { Settings } from '../../config/schema.ts';
import { createCore, type RunningCore } from '../../core/compose/create-core.ts';
import type { ProcessState } from '../../core/contract.ts';
import { makeFolder } from '../../core/storage/make-folder.ts';
import type { Logs } from '../log.ts';
import { readAuthority } from '../read-authority.ts';
import { claimPrefix, openCommitWriter } from '../redis/open-commit-writer.ts';
import { adminToken } from './admin-token.ts';
import { fileMetrics } from './file-metrics.ts';
import { filesBucket } from './files-bucket.ts';
import { imageMetrics } from './image-metrics.ts';
import { openWorkers } from './open-workers.ts';
import { storageMetrics } from './storage-metrics.ts';
import { webhookMetrics } from './webhook-metrics.ts';
import { workerMetrics } from './worker-metrics.ts';

/** Part of the shutdown time that core has where requests take all of theirs. */
const CORE_SHARE = 0.2;
const LONGEST_SHARE_MS = 1500;
const LEAST_CLOSE_MS = 800;

/** The part of the time of a shutdown that is left to core, in milliseconds. */
export function coreShare(drainMilliseconds: number): number {
  return Math.min(drainMilliseconds * CORE_SHARE, LONGEST_SHARE_MS);
}

export interface OpenedCore {
  readonly core: RunningCore;
  /** Of the storage, the webhooks and the workers; the gateway of the same process adds its own. */
  readonly registry: Registry;
  /**
   * Closes core, then the workers. After the time, if one is given, it no longer waits for core: acknowledged writes are on
   * the disk.
   */
  close(milliseconds?: number): Promise<void>;
}

/**
 * Core on the data folder, with the worker tier of the settings.
 *
 * @throws StartError, after closing what it had opened
 */
export async function openCore(
  settings: Settings,
  logs: Logs,
  self: () => ProcessState,
): Promise<OpenedCore> {
  const { dataDir, databaseUrl, databaseReplicaUrl, migrations, filesDir, vendor, management, publishing } =
    settings;
  const { retention, delivery, quotas, mail, webhooks, duties } = settings;
  const certificateAuthority = await readAuthority('webhooks', webhooks.certificateAuthority);
  await makeFolder(dataDir);
  const registry = new Registry();
  const commitStream = await openCommitWriter(settings, logs, registry);
  const workers = openWorkers(settings.workers, logs('workers'));
  workerMetrics(registry, workers);
  let core: RunningCore | undefined;
  try {
    core = await createCore({
      dataDir,
      databaseUrl,
      databaseReplicaUrl,
      migrations,
      filesDir,
      filesBucket: filesBucket(settings),
      vendor,
      management,
      publishing,
      retention,
      images: { ...settings.images, maxPixels: settings.workers.maxPixels },
      delivery,
      quotas,
      mail,
      duties,
      commitStream,
      workers,
      webhooks: { ...webhooks, certificateAuthority },
      log: logs('core'),
      process: self,
      adminToken: adminToken(dataDir, settings.adminToken),
    });
    if (commitStream) await claimPrefix(commitStream, core.installation, logs);
  } catch (error) {
    await core?.close();
    await commitStream?.close();
    await workers.close();
    throw error;
  }
  storageMetrics(registry, core);
  webhookMetrics(registry, core);
  imageMetrics(registry, core);
  fileMetrics(registry, core);
  return {
    core,
    registry,
    async close(milliseconds) {
      const closed = core.close().then(async () => {
        await commitStream?.close();
        return false;
      });
      const late =
        milliseconds === undefined
          ? closed
          : pause(Math.max(milliseconds, LEAST_CLOSE_MS), true, { ref: false });
      if (await Promise.race([closed, late]))
        logs('core').warn({}, 'Running work did not end in time; the service ends without it.');
      await workers.close();
    },
  };
}
