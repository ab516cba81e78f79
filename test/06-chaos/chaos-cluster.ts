/** A core and gateways as processes, with a relay between each gateway and the core, so that all of it can be disturbed. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Relay, startRelay } from '../support/relay.ts';
import { freePort } from '../support/run-gateway.ts';
import { HeadwaterProcess } from '../support/run-headwater.ts';

const TOKENS = {
  HEADWATER_ADMIN_TOKEN: 'a-token-for-tests-only-0123456789abcdef',
  HEADWATER_INTERNAL_TOKEN: 'a-secret-of-gateway-and-core-0123456789',
};
const COMMON = {
  ...TOKENS,
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
const POLL_MS = 50;

/** A process that is started again after it was killed. */
export class Part {
  readonly name: string;
  readonly port: number;
  readonly #environment: Readonly<Record<string, string>>;
  #process: HeadwaterProcess;

  constructor(name: string, port: number, environment: Readonly<Record<string, string>>) {
    this.name = name;
    this.port = port;
    this.#environment = { ...COMMON, ...environment };
    this.#process = new HeadwaterProcess(['serve'], this.#environment);
  }

  signal(name: NodeJS.Signals): void {
    this.#process.signal(name);
  }

  async restart(): Promise<void> {
    await this.#process.ended;
    this.#process = new HeadwaterProcess(['serve'], this.#environment);
  }

  async stop(): Promise<void> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    await this.#process.ended;
  }

  /** @throws Error unless it is healthy within the time */
  async healthy(milliseconds: number): Promise<void> {
    const ends = performance.now() + milliseconds;
    while (performance.now() < ends) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/health/ready`, {
        signal: AbortSignal.timeout(2000),
      }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status === 200) return;
      await setTimeout(POLL_MS);
    }
    throw new Error(`${this.name} is not healthy after ${milliseconds} ms.`);
  }
}

export class ChaosCluster {
  readonly core: Part;
  readonly gateways: readonly Part[];
  readonly relays: readonly Relay[];

  private constructor(core: Part, gateways: readonly Part[], relays: readonly Relay[]) {
    this.core = core;
    this.gateways = gateways;
    this.relays = relays;
  }

  /** @param environment of the gateways */
  static async start(
    folder: string,
    gateways: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ChaosCluster> {
    const port = await freePort();
    const core = new Part('core', port, {
      HEADWATER_ROLE: 'core',
      HEADWATER_DATA_DIR: join(folder, 'core'),
      HEADWATER_LISTEN: `127.0.0.1:${port}`,
      HEADWATER_WEBHOOKS__ALLOW: '127.0.0.0/8',
    });
    const relays: Relay[] = [];
    const parts: Part[] = [];
    for (let number = 0; number < gateways; number += 1) {
      const relay = await startRelay(port);
      const own = await freePort();
      const dataDir = join(folder, `gateway-${number}`);
      await mkdir(dataDir);
      relays.push(relay);
      parts.push(
        new Part(`gateway ${number}`, own, {
          HEADWATER_ROLE: 'gateway',
          HEADWATER_DATA_DIR: dataDir,
          HEADWATER_CORES: `127.0.0.1:${relay.port}`,
          HEADWATER_PORT: String(own),
          HEADWATER_PIPELINE__OFF: 'rate-limit',
          ...environment,
        }),
      );
    }
    const cluster = new ChaosCluster(core, parts, relays);
    await cluster.healthy(30_000);
    return cluster;
  }

  async healthy(milliseconds: number): Promise<void> {
    await Promise.all([this.core, ...this.gateways].map((part) => part.healthy(milliseconds)));
  }

  async stop(): Promise<void> {
    for (const relay of this.relays) await relay.close();
    await Promise.all([this.core, ...this.gateways].map((part) => part.stop()));
  }
}
