/** Gateways in the process of the test, and cores as processes that a test kills. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../config/load-config.ts';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { startCore } from '../../../gateway/roles/core.ts';
import type { RunningGatewayRole } from '../../../gateway/roles/gateway.ts';
import { plugins } from '../../../plugins/registry.ts';
import { HeadwaterProcess, IN_PLACE } from '../run-headwater.ts';
import { HEADWATER_INTERNAL_TOKEN, startGateways } from '../start-separately.ts';
import { ADMIN_TOKEN } from '../start-service.ts';
import { type TestDatabase, testDatabase } from '../test-database.ts';
import type { Topology } from '../topology.ts';

export class KilledRoles {
  readonly database: TestDatabase;
  readonly folder: string;
  readonly #topology: Topology;
  readonly #environment: Readonly<Record<string, string>>;
  #gateways: RunningGatewayRole[] = [];

  private constructor(
    topology: Topology,
    database: TestDatabase,
    folder: string,
    environment: Readonly<Record<string, string>>,
  ) {
    this.#topology = topology;
    this.database = database;
    this.folder = folder;
    this.#environment = environment;
  }

  static async open(topology: Topology): Promise<KilledRoles> {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-killed-'));
    const database = await testDatabase();
    const engines = topology.hasEngines
      ? await (await import('../test-engines.ts')).testEngines()
      : undefined;
    return new KilledRoles(topology, database, folder, {
      HEADWATER_DATA_DIR: folder,
      ...(database.url && { HEADWATER_DATABASE_URL: database.url }),
      ...(topology.cores > 1 && { HEADWATER_FILES_DIR: join(folder, 'files') }),
      ...engines?.environment,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_INTERNAL_TOKEN,
      HEADWATER_LOG_LEVEL: 'silent',
      HEADWATER_SAMPLE: 'false',
      HEADWATER_PIPELINE__OFF: 'rate-limit',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
    });
  }

  /** URLs of the gateways, once `withCore` has run. */
  get urls(): string[] {
    return this.#gateways.map(({ urls }) => urls.http);
  }

  /** Data folder, address and settings of a core, from 0 on. */
  core(index: number): {
    readonly folder: string;
    readonly address: string;
    readonly environment: Record<string, string>;
  } {
    const folder = join(this.folder, `core-${index + 1}`);
    const address = `unix:${join(this.folder, `core-${index + 1}.sock`)}`;
    const environment = {
      ...this.#environment,
      HEADWATER_DATA_DIR: folder,
      HEADWATER_ROLE: 'core',
      HEADWATER_LISTEN: address,
      ...IN_PLACE,
    };
    return { folder, address, environment };
  }

  /** Starts all cores as processes. */
  async start(): Promise<HeadwaterProcess[]> {
    const cores = Array.from(
      { length: this.#topology.cores },
      (_, index) => new HeadwaterProcess(['serve'], this.core(index).environment),
    );
    await Promise.all(cores.map((core) => core.printed(/runs as a core at \S+\.\n/)));
    return cores;
  }

  /** Lets the gateways reach a core in this process, while no other one runs. */
  async withCore<T>(work: (core: RunningCore) => Promise<T>): Promise<T> {
    const running = await startCore(await this.#load(this.core(0).environment));
    try {
      if (this.#gateways.length === 0) {
        const addresses = Array.from(
          { length: this.#topology.cores },
          (_, index) => this.core(index).address,
        );
        const load = (more = {}) => this.#load({ ...this.#environment, ...more });
        this.#gateways = await startGateways(this.#topology.gateways, addresses, load, this.folder);
      }
      return await work(running.core);
    } finally {
      await running.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
    await rm(this.folder, { recursive: true, force: true });
    await this.database.remove();
  }

  #load(environment: Readonly<Record<string, string>>) {
    const schemas = Object.fromEntries(plugins.map(({ name, settings }) => [name, settings]));
    return loadConfig({ environment }, schemas);
  }
}
