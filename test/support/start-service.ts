/** Starts the whole service, as role `all` does, on a free port over a data folder that is removed afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import { loadSample } from '../../core/sample/load-sample.ts';
import { type RunningService as Started, startAll } from '../../gateway/roles/all.ts';
import { plugins } from '../../plugins/registry.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';

export interface ServiceOptions {
  /** Loads the sample project. */
  readonly sample?: boolean;
  /** The test means to call the management API more often than a key may: the rate limit is off. */
  readonly unlimited?: boolean;
  /** More settings, under their names in the environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface RunningService {
  /** `http://127.0.0.1:<port>`; surfaces are below it. */
  readonly url: string;
  /** Where TLS is on. */
  readonly httpsUrl: string | undefined;
  readonly core: Started['core'];
  readonly dataDir: string;
  /** The `service` of `application/service`. */
  readonly mediaType: string;
  readonly adminToken: string;
  readonly sample: Awaited<ReturnType<typeof loadSample>> | undefined;
  /** Closes it and removes the data folder. */
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'headwater-service-'));
  const environment = {
    HEADWATER_DATA_DIR: dataDir,
    HEADWATER_PORT: '0',
    HEADWATER_TLS_PORT: '0',
    HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
    HEADWATER_LOG_LEVEL: 'warn',
    // What was written is what is read next; `cache-coherence` is about the time between.
    HEADWATER_PLUGINS__RESPONSE_CACHE__STALE_MILLISECONDS: '0',
    HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(dataDir, 'access.log'),
    ...(options.unlimited && { HEADWATER_PIPELINE__OFF: 'rate-limit' }),
    ...options.environment,
  };
  const schemas = Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin.settings]));
  const config = await loadConfig({ environment }, schemas);
  let sample: RunningService['sample'];
  try {
    const started = await startAll({
      config,
      plugins,
      async beforeListening({ operations }) {
        if (options.sample) sample = await loadSample(operations);
      },
    });
    return {
      url: started.urls.http,
      httpsUrl: started.urls.https,
      core: started.core,
      dataDir,
      mediaType: config.settings.vendor.mediaType,
      adminToken: ADMIN_TOKEN,
      sample,
      async stop() {
        await started.close();
        await rm(dataDir, { recursive: true });
      },
    };
  } catch (error) {
    await rm(dataDir, { recursive: true });
    throw error;
  }
}
