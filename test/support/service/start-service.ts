/**
 * Starts the whole service on a free port over a data folder that is removed afterwards: as role `all` does, or, with
 * HEADWATER_TEST_TOPOLOGY, as separate roles that talk over HTTP.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { loadConfig } from '../../../config/load-config.ts';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { loadSample } from '../../../core/sample/load-sample.ts';
import { schemasOf } from '../../../gateway/cli/configure.ts';
import { startAll } from '../../../gateway/roles/all.ts';
import { plugins } from '../../../plugins/registry.ts';
import { type TestDatabase, testDatabase } from '../database/test-database.ts';
import { writeSample, writeTables } from './new-installation.ts';
import { startSeparately } from './start-separately.ts';
import { HTTP, type Topology, testTopology } from './topology.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';

const TOPOLOGY = testTopology();
/** Folder of uploads, in a folder of files and in a cache of a bucket. */
const UNFINISHED = 'unfinished';

if (TOPOLOGY?.hasEngines)
  before(async function startEngines() {
    // They may have to be installed.
    this.timeout(600_000);
    await (await import('../programs/test-engines.ts')).testEngines();
  });

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
  /** The first of several. */
  readonly core: RunningCore;
  readonly cores: readonly RunningCore[];
  readonly dataDir: string;
  readonly database: TestDatabase;
  /** The `service` of `application/service`. */
  readonly mediaType: string;
  readonly adminToken: string;
  readonly sample: Awaited<ReturnType<typeof loadSample>> | undefined;
  /** Prometheus text of all roles. */
  metrics(): Promise<string>;
  /** Names of the files of assets, as they are in the store. */
  storedFiles(): Promise<string[]>;
  /** Names of the files that uploads have begun. */
  unfinishedFiles(): Promise<string[]>;
  /** Closes it and removes the data folder. */
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'headwater-service-'));
  const database = await testDatabase();
  const topology = topologyOf(options, database);
  // Loaded for this topology only.
  const engines = topology?.hasEngines
    ? await (await import('../programs/test-engines.ts')).testEngines()
    : undefined;
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
    ...(topology && topology.cores > 1 && { HEADWATER_FILES_DIR: join(dataDir, 'files') }),
    ...engines?.environment,
    ...(options.unlimited && { HEADWATER_PIPELINE__OFF: 'rate-limit' }),
    ...options.environment,
  };
  const schemas = schemasOf(plugins);
  const load = (more: Readonly<Record<string, string>> = {}) =>
    loadConfig({ environment: { ...environment, ...more } }, schemas);
  const config = await load();
  let sample: RunningService['sample'];
  const beforeListening = async ({ operations }: RunningCore) => {
    if (options.sample) sample ??= await loadSample(operations);
  };
  try {
    if (database.url === null) {
      if (options.sample && !engines && !hasOwnStore(options))
        sample = await writeSample(dataDir, config.settings.vendor);
      else await writeTables(dataDir);
    }
    const started = topology
      ? await startSeparately(topology, load, dataDir, beforeListening)
      : await startAll({ config, plugins, beforeListening });
    const cores = 'cores' in started ? started.cores : [started.core];
    return {
      url: started.urls.http,
      httpsUrl: started.urls.https,
      core: started.core,
      cores,
      dataDir,
      database,
      mediaType: config.settings.vendor.mediaType,
      adminToken: ADMIN_TOKEN,
      sample,
      async metrics() {
        if ('metrics' in started) return started.metrics();
        return (await fetch(`${started.urls.http}/metrics`)).text();
      },
      async storedFiles() {
        if (engines) return engines.storedFiles();
        const unfinished = join(dataDir, 'files', UNFINISHED);
        const files = await filesIn(join(dataDir, 'files'));
        return files.filter((file) => !file.startsWith(unfinished)).map((file) => basename(file));
      },
      async unfinishedFiles() {
        const folders = engines
          ? cores.map((_, index) => join(dataDir, index === 0 ? '' : `core-${index + 1}`, 'files-cache'))
          : [join(dataDir, 'files')];
        const files = await Promise.all(folders.map((folder) => filesIn(join(folder, UNFINISHED))));
        return files.flat().map((file) => basename(file));
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

function topologyOf(
  { isOverHttp, environment }: ServiceOptions,
  { url }: TestDatabase,
): Topology | undefined {
  if (TOPOLOGY === undefined) return isOverHttp ? HTTP : undefined;
  return {
    ...TOPOLOGY,
    // The test has chosen SQLite, which belongs to one core.
    ...(url === null && { cores: 1 }),
    // The test has workers of its own.
    ...(environment?.['HEADWATER_WORKERS__REMOTE'] && { workers: 0 }),
  };
}

/** What the sample is loaded into differs from that of other services. */
function hasOwnStore({ environment = {} }: ServiceOptions): boolean {
  return Object.keys(environment).some((name) =>
    /^HEADWATER_(CONFIG|DATA_DIR|DATABASE|FILES|REDIS|VENDOR)/.test(name),
  );
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
}
