/**
 * Starts the whole service on a free port over a data folder that is removed afterwards: as role `all` does, or, with
 * HEADWATER_TEST_TOPOLOGY=http, as a gateway that reaches its core over HTTP.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Config, loadConfig } from '../../config/load-config.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { loadSample } from '../../core/sample/load-sample.ts';
import { startAll } from '../../gateway/roles/all.ts';
import { startCore } from '../../gateway/roles/core.ts';
import { startGateway } from '../../gateway/roles/gateway.ts';
import { plugins } from '../../plugins/registry.ts';
import { type TestDatabase, testDatabase } from './test-database.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';

const OVER_HTTP = process.env['HEADWATER_TEST_TOPOLOGY'] === 'http';

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
  const { isOverHttp = OVER_HTTP } = options;
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
    const started = isOverHttp
      ? await startBoth(load, dataDir, beforeListening)
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
        const own = await (await fetch(`${started.urls.http}/metrics`)).text();
        return isOverHttp ? own + (await readSocket(socketOf(dataDir), '/metrics')) : own;
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

async function startBoth(
  load: (environment: Readonly<Record<string, string>>) => Promise<Config>,
  dataDir: string,
  beforeListening: (core: RunningCore) => Promise<void>,
) {
  const HEADWATER_INTERNAL_TOKEN = 'a-secret-of-gateway-and-core-0123456789';
  const asCore = await load({
    HEADWATER_ROLE: 'core',
    HEADWATER_LISTEN: `unix:${socketOf(dataDir)}`,
    HEADWATER_INTERNAL_TOKEN,
  });
  const core = await startCore(asCore, beforeListening);
  try {
    const asGateway = await load({
      HEADWATER_ROLE: 'gateway',
      HEADWATER_CORES: core.address,
      HEADWATER_INTERNAL_TOKEN,
    });
    const gateway = await startGateway({ config: asGateway, plugins });
    return {
      ...gateway,
      core: core.core,
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

function socketOf(dataDir: string): string {
  return join(dataDir, 'core.sock');
}

async function readSocket(socketPath: string, path: string): Promise<string> {
  const [response] = (await once(get({ socketPath, path }), 'response')) as [IncomingMessage];
  return text(response);
}
