/** Cores and gateways as processes, with a relay wherever one of them connects to another or to PostgreSQL. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresServer } from '../support/postgres.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { freePort } from '../support/run-gateway.ts';
import { Part } from './part.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';
const COMMON = {
  HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
  HEADWATER_INTERNAL_TOKEN: 'a-secret-of-gateway-and-core-0123456789',
  HEADWATER_TLS_PORT: '0',
  HEADWATER_SAMPLE: 'false',
  HEADWATER_LOG_LEVEL: 'fatal',
  HEADWATER_DRAIN_SECONDS: '1',
  npm_lifecycle_event: 'test',
  // The process starts no other one, so that signals reach the service itself.
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '33554432',
  MALLOC_ARENA_MAX: '2',
};
const START_MS = 30_000;

export interface Database {
  readonly server: PostgresServer;
  readonly name: string;
}

export interface ClusterOptions {
  readonly gateways: number;
  /** More than one needs a database. */
  readonly cores?: number;
  /** SQLite in the data folder of the core unless given. */
  readonly database?: Database | undefined;
  /** Of the gateways. */
  readonly environment?: Readonly<Record<string, string>>;
}

export class ChaosCluster {
  readonly cores: readonly Part[];
  readonly gateways: readonly Part[];
  /** Of each gateway, those to each core. */
  readonly coreRelays: readonly (readonly Relay[])[];
  readonly database: Database | undefined;
  /** Those of each core. */
  readonly databaseRelays: readonly Relay[];

  private constructor(
    parts: Pick<ChaosCluster, 'cores' | 'gateways' | 'coreRelays' | 'database' | 'databaseRelays'>,
  ) {
    this.cores = parts.cores;
    this.gateways = parts.gateways;
    this.coreRelays = parts.coreRelays;
    this.database = parts.database;
    this.databaseRelays = parts.databaseRelays;
  }

  /** @param folder of the data folders: `core-0`, `gateway-0` … */
  static async start(
    folder: string,
    { gateways: gatewayCount, cores: coreCount = 1, database, environment = {} }: ClusterOptions,
  ): Promise<ChaosCluster> {
    const databaseRelays: Relay[] = [];
    const cores: Part[] = [];
    for (let number = 0; number < coreCount; number += 1) {
      const port = await freePort();
      cores.push(
        new Part(`core ${number}`, port, {
          ...COMMON,
          HEADWATER_ROLE: 'core',
          HEADWATER_DATA_DIR: join(folder, `core-${number}`),
          HEADWATER_LISTEN: `127.0.0.1:${port}`,
          HEADWATER_WEBHOOKS__ALLOW: '127.0.0.0/8',
          ...(database && {
            HEADWATER_DATABASE_URL: await relayed(database, databaseRelays),
            HEADWATER_FILES_DIR: join(folder, 'files'),
          }),
        }),
      );
    }
    const coreRelays: Relay[][] = [];
    const gateways: Part[] = [];
    for (let number = 0; number < gatewayCount; number += 1) {
      const relays = await Promise.all(cores.map(({ port }) => startRelay(port)));
      coreRelays.push(relays);
      const port = await freePort();
      const dataDir = join(folder, `gateway-${number}`);
      await mkdir(dataDir);
      gateways.push(
        new Part(`gateway ${number}`, port, {
          ...COMMON,
          HEADWATER_ROLE: 'gateway',
          HEADWATER_DATA_DIR: dataDir,
          HEADWATER_CORES: relays.map((relay) => `127.0.0.1:${relay.port}`).join(','),
          HEADWATER_PORT: String(port),
          HEADWATER_PIPELINE__OFF: 'rate-limit',
          ...environment,
        }),
      );
    }
    const cluster = new ChaosCluster({ cores, gateways, coreRelays, database, databaseRelays });
    try {
      await cluster.healthy(START_MS);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get parts(): readonly Part[] {
    return [...this.cores, ...this.gateways];
  }

  /** Waits until all parts are healthy. What they wait for a CPU does not count: that is the machine, not the fault. */
  async healthy(milliseconds: number): Promise<void> {
    const { parts } = this;
    const before = parts.map((part) => part.waited);
    // Of a process that was started since, all of it.
    const busy = () =>
      parts.reduce((sum, { waited }, index) => sum + waited - Math.min(before[index]!, waited), 0);
    await Promise.all(parts.map((part) => part.healthy(milliseconds, busy)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.parts.map((part) => part.stop()));
    for (const relay of [...this.coreRelays.flat(), ...this.databaseRelays]) await relay.close();
  }
}

/** @returns the URL of the database through a relay of its own, which is added to `relays` */
async function relayed({ server, name }: Database, relays: Relay[]): Promise<string> {
  const relay = await startRelay(server.port);
  relays.push(relay);
  const url = new URL(server.tcpUrl(name));
  url.port = `${relay.port}`;
  return url.href;
}
