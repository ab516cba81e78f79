/**
 * Starts the whole service on a free port over a data folder that is removed afterwards: as role `all` does, or, with
 * HEADWATER_TEST_TOPOLOGY, as separate roles that talk over HTTP. `http`: a core and a gateway; `cluster`: two of each, on
 * PostgreSQL.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { loadSample } from '../../core/sample/load-sample.ts';
import { startAll } from '../../gateway/roles/all.ts';
import { plugins } from '../../plugins/registry.ts';
import { startSeparately } from './start-separately.ts';
import { type TestDatabase, testDatabase } from './test-database.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';

/** Cores and gateways as separate roles; 0 = role `all`. */
const SEPARATE = separateRoles();

export interface ServiceOptions {
  /** Loads the sample project. */
  readonly sample?: boolean;
  /** Gateway and core talk over HTTP, whatever HEADWATER_TEST_TOPOLOGY says. */
  readonly isOverHttp?: boolean;
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
  readonly core: RunningCore;
  readonly dataDir: string;
  readonly database: TestDatabase;
  /** The `service` of `application/service`. */
  readonly mediaType: string;
  readonly adminToken: string;
  readonly sample: Awaited<ReturnType<typeof loadSample>> | undefined;
  /** Prometheus text of the gateway and of core. */
  metrics(): Promise<string>;
  /** Closes it and removes the data folder. */
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const separate = SEPARATE || Number(options.isOverHttp ?? false);
  const dataDir = await mkdtemp(join(tmpdir(), 'headwater-service-'));
  const database = await testDatabase();
  const environment = {
    HEADWATER_DATA_DIR: dataDir,
    ...(database.url && { HEADWATER_DATABASE_URL: database.url }),
    HEADWATER_PORT: '0',
    HEADWATER_TLS_PORT: '0',
    HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
    HEADWATER_LOG_LEVEL: 'warn',
    // What was written is what is read next; `cache-coherence` is about the time between.
    HEADWATER_PLUGINS__RESPONSE_CACHE__STALE_MILLISECONDS: '0',
    HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(dataDir, 'access.log'),
    ...(separate > 1 && { HEADWATER_FILES_DIR: join(dataDir, 'files') }),
    ...(options.unlimited && { HEADWATER_PIPELINE__OFF: 'rate-limit' }),
    ...options.environment,
  };
  const schemas = Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin.settings]));
  const load = (more: Readonly<Record<string, string>> = {}) =>
    loadConfig({ environment: { ...environment, ...more } }, schemas);
  const config = await load();
  let sample: RunningService['sample'];
  const beforeListening = async ({ operations }: RunningCore) => {
    if (options.sample) sample = await loadSample(operations);
  };
  try {
    const started = separate
      ? await startSeparately(separate, load, dataDir, beforeListening)
      : await startAll({ config, plugins, beforeListening });
    return {
      url: started.urls.http,
      httpsUrl: started.urls.https,
      core: started.core,
      dataDir,
      database,
      mediaType: config.settings.vendor.mediaType,
      adminToken: ADMIN_TOKEN,
      sample,
      async metrics() {
        if ('metrics' in started) return started.metrics();
        return (await fetch(`${started.urls.http}/metrics`)).text();
      },
      async stop() {
        await started.close();
        await rm(dataDir, { recursive: true });
        await database.remove();
      },
    };
  } catch (error) {
    await rm(dataDir, { recursive: true });
    await database.remove();
    throw error;
  }
}

function separateRoles(): number {
  switch (process.env['HEADWATER_TEST_TOPOLOGY'] ?? 'all') {
    case 'all':
      return 0;
    case 'http':
      return 1;
    case 'cluster':
      if (process.env['HEADWATER_TEST_DATABASE'] !== 'postgres')
        throw new Error('HEADWATER_TEST_TOPOLOGY=cluster needs HEADWATER_TEST_DATABASE=postgres.');
      return 2;
    default:
      throw new Error('HEADWATER_TEST_TOPOLOGY is all, http or cluster.');
  }
}
