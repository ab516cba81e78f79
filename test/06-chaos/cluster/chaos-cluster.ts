/** Processes of the product and nginx, with a relay wherever one of them connects to another or to an engine. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../support/gateway/run-gateway.ts';
import { type Relay, startRelay } from '../../support/network/relay.ts';
import { SWIFT_KEY, SWIFT_SECRET } from '../../support/programs/run-swift.ts';
import type { SmallFolder } from '../../support/programs/small-folder.ts';
import { IN_PLACE } from '../../support/service/run-headwater.ts';
import type { Engines } from './engines.ts';
import { NginxPart } from './nginx-part.ts';
import { Part } from './part.ts';
import { ShiftedClock } from './shifted-clock.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';
const WORKER_TOKEN = 'a-secret-of-core-and-worker-0123456789';
const COMMON = {
  HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
  HEADWATER_INTERNAL_TOKEN: 'a-secret-of-gateway-and-core-0123456789',
  HEADWATER_SAMPLE: 'false',
  HEADWATER_LOG_LEVEL: 'warn',
  HEADWATER_DRAIN_SECONDS: '1',
  ...IN_PLACE,
};
const START_MS = 30_000;
/** Most that counts as waiting for a CPU: on a busy machine the waits of all processes grow faster than the time. */
const MOST_BUSY_MS = 60_000;
/** Longer calls are lines in the logs, so that a request beyond its deadline can be followed. */
const SLOW_MS = '10000';

export interface ClusterOptions {
  /** Of the data folders: `core-0`, `gateway-0` … */
  readonly folder: string;
  readonly gateways: number;
  /** More than one needs a database. */
  readonly cores?: number;
  /** Further settings of cores and gateways. */
  readonly shared?: Readonly<Record<string, string>>;
  /** Further settings of the gateways. */
  readonly environment?: Readonly<Record<string, string>>;
  /** With it, the cluster has nginx, a worker, Redis and S3, and clocks that can be changed. */
  readonly whole?: WholeCluster;
}

export interface WholeCluster {
  readonly engines: Engines;
  /** SQLite in the data folder of the core unless given. */
  readonly database: string | undefined;
  readonly bucket: string;
  /** Has the data folder of the first core. */
  readonly disk: SmallFolder;
}

/** The relays of a cluster. */
class Relays {
  /** Of nginx, to each gateway. */
  readonly gateways: Relay[] = [];
  /** Of each gateway, to each core. */
  readonly cores: Relay[][] = [];
  /** Of each core and gateway. */
  readonly redis: Relay[] = [];
  /** Of each core, to each server. */
  readonly database: Relay[] = [];
  /** Of each core. */
  readonly s3: Relay[] = [];
  readonly worker: Relay[] = [];

  get all(): readonly Relay[] {
    return [
      ...this.gateways,
      ...this.cores.flat(),
      ...this.redis,
      ...this.database,
      ...this.s3,
      ...this.worker,
    ];
  }
}

export class ChaosCluster {
  readonly cores: Part[] = [];
  readonly gateways: Part[] = [];
  worker: Part | undefined;
  nginx: NginxPart | undefined;
  readonly relays = new Relays();
  readonly #options: ClusterOptions;

  private constructor(options: ClusterOptions) {
    this.#options = options;
  }

  static async start(options: ClusterOptions): Promise<ChaosCluster> {
    const cluster = new ChaosCluster(options);
    try {
      await cluster.#start(options);
      await cluster.healthy(START_MS);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get parts(): readonly Part[] {
    return [...this.cores, ...this.gateways, ...(this.worker ? [this.worker] : [])];
  }

  /** Waits until all parts are healthy. What they wait for a CPU does not count: that is the machine, not the fault. */
  async healthy(milliseconds: number): Promise<void> {
    const { parts, nginx } = this;
    const busy = this.busy();
    await Promise.all([...parts, ...(nginx ? [nginx] : [])].map((part) => part.healthy(milliseconds, busy)));
  }

  /** @returns milliseconds that all parts have waited for a CPU since this call; no more than count */
  busy(): () => number {
    const waits = this.waits();
    return () =>
      Math.min(
        MOST_BUSY_MS,
        waits().reduce((sum, one) => sum + one, 0),
      );
  }

  /** @returns the same of each part, all of it */
  waits(): () => number[] {
    const { parts } = this;
    const before = parts.map(({ waited }) => waited);
    // Of a process that was started since, all of it.
    return () => parts.map(({ waited }, index) => waited - Math.min(before[index]!, waited));
  }

  async stop(): Promise<void> {
    await this.nginx?.stop();
    await Promise.all(this.parts.map((part) => part.stop()));
    await Promise.all(this.relays.all.map((relay) => relay.close()));
  }

  async #start({ gateways, cores = 1, environment, whole }: ClusterOptions): Promise<void> {
    if (whole) this.worker = await this.#startWorker();
    for (let number = 0; number < cores; number += 1) this.cores.push(await this.#startCore(number));
    for (let number = 0; number < gateways; number += 1)
      this.gateways.push(await this.#startGateway(number, environment));
    if (!whole) return;
    for (const { port } of this.gateways) this.relays.gateways.push(await startRelay(port));
    this.nginx = await NginxPart.start(this.relays.gateways.map(({ port }) => port));
  }

  async #startWorker(): Promise<Part> {
    const [port, health] = [await freePort(), await freePort()];
    this.relays.worker.push(await startRelay(port));
    return this.#part('worker', health, {
      HEADWATER_ROLE: 'worker',
      HEADWATER_DATA_DIR: await this.#dataFolder('worker'),
      HEADWATER_PORT: `${health}`,
      HEADWATER_WORKERS__LISTEN: `127.0.0.1:${port}`,
      HEADWATER_WORKERS__TOKEN: WORKER_TOKEN,
      HEADWATER_WORKERS__HOSTS: '1',
    });
  }

  async #startCore(number: number): Promise<Part> {
    const { folder, whole, shared } = this.#options;
    const port = await freePort();
    const disk = number === 0 ? whole?.disk : undefined;
    const environment = {
      HEADWATER_ROLE: 'core',
      HEADWATER_DATA_DIR: disk?.path ?? join(folder, `core-${number}`),
      HEADWATER_LISTEN: `127.0.0.1:${port}`,
      HEADWATER_WEBHOOKS__ALLOW: '127.0.0.0/8',
      HEADWATER_SLOW_MILLISECONDS: SLOW_MS,
      ...(whole && (await this.#enginesOfCore(whole))),
      ...shared,
    };
    return this.#part(`core ${number}`, port, environment, disk?.through);
  }

  async #enginesOfCore({ engines, database, bucket }: WholeCluster): Promise<Record<string, string>> {
    const { relays } = this;
    const s3 = await startRelay(Number(new URL(engines.swift.endpoint).port));
    relays.s3.push(s3);
    const environment = {
      HEADWATER_FILES_URL: `s3://${bucket}?endpoint=http://127.0.0.1:${s3.port}&pathStyle=true`,
      HEADWATER_FILES__ACCESS_KEY_ID: SWIFT_KEY,
      HEADWATER_FILES__SECRET_ACCESS_KEY: SWIFT_SECRET,
      HEADWATER_WORKERS__REMOTE: `127.0.0.1:${relays.worker[0]!.port}`,
      HEADWATER_WORKERS__TOKEN: WORKER_TOKEN,
      HEADWATER_REDIS_URL: await this.#redisUrl(engines),
    };
    if (database === undefined) return environment;
    const servers = await Promise.all(engines.servers.map(({ port }) => startRelay(port)));
    relays.database.push(...servers);
    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const url = engines.primary.tcpUrl(database).replace(/@[^/]*/, `@${hosts}`);
    return { ...environment, HEADWATER_DATABASE_URL: url };
  }

  async #startGateway(number: number, environment: Readonly<Record<string, string>> = {}): Promise<Part> {
    const { whole, shared } = this.#options;
    const relays = await Promise.all(this.cores.map(({ port }) => startRelay(port)));
    this.relays.cores.push(relays);
    const port = await freePort();
    const name = `gateway ${number}`;
    return this.#part(name, port, {
      HEADWATER_ROLE: 'gateway',
      HEADWATER_DATA_DIR: await this.#dataFolder(`gateway-${number}`),
      HEADWATER_CORES: relays.map((relay) => `127.0.0.1:${relay.port}`).join(','),
      HEADWATER_PORT: String(port),
      HEADWATER_TLS_PORT: '0',
      HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
      HEADWATER_PLUGINS__CORE_PROXY__SLOW_MILLISECONDS: SLOW_MS,
      ...(whole
        ? { HEADWATER_REDIS_URL: await this.#redisUrl(whole.engines) }
        : { HEADWATER_PIPELINE__OFF: 'rate-limit' }),
      ...shared,
      ...environment,
    });
  }

  async #redisUrl(engines: Engines): Promise<string> {
    const relay = await startRelay(engines.redis.port);
    this.relays.redis.push(relay);
    return `redis://127.0.0.1:${relay.port}`;
  }

  async #dataFolder(name: string): Promise<string> {
    const folder = join(this.#options.folder, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async #part(
    name: string,
    port: number,
    environment: Readonly<Record<string, string>>,
    through?: readonly string[],
  ): Promise<Part> {
    const { folder, whole } = this.#options;
    const clock = whole && (await ShiftedClock.make(join(folder, `${name} clock`)));
    return new Part(name, port, { ...COMMON, ...environment }, { clock, through });
  }
}
