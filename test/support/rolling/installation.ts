/** Gateways behind nginx, cores on PostgreSQL and a worker, each a process that can be replaced by one of another build. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../network/free-port.ts';
import { type RunningNginx, runNginx } from '../programs/run-nginx.ts';
import { BIN, HeadwaterProcess, IN_PLACE } from '../service/run-headwater.ts';

export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';
const START_MS = 60_000;
const POLL_MS = 25;
const INTERNAL_TOKEN = 'a-secret-of-gateway-and-core-0123456789';
const WORKER_TOKEN = 'a-secret-of-core-and-worker-0123456789';
const COMMON = {
  HEADWATER_LOG_LEVEL: 'error',
  ...IN_PLACE,
};

type Environment = Readonly<Record<string, string>>;

/** One process and those that replace it. */
class Member {
  readonly name: string;
  readonly port: number;
  readonly #environment: Environment;
  #process: HeadwaterProcess;
  /** What all of them wrote to their logs. */
  #before = '';

  constructor(name: string, port: number, environment: Environment) {
    this.name = name;
    this.port = port;
    this.#environment = environment;
    this.#process = new HeadwaterProcess(['serve'], environment);
  }

  get log(): string {
    return this.#before + this.#process.err;
  }

  /** Resolves when it can serve. */
  async ready(): Promise<void> {
    const url = `http://127.0.0.1:${this.port}/health/ready`;
    for (const ends = performance.now() + START_MS; performance.now() < ends; await pause(POLL_MS)) {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status === 200) return;
    }
    throw new Error(`${this.name} is not ready: ${this.log}`);
  }

  /** @throws Error unless it ends with 0 */
  async stop(): Promise<void> {
    this.#process.signal('SIGTERM');
    const { code, err } = await this.#process.ended;
    if (code !== 0) throw new Error(`${this.name} ended with ${code}: ${err}`);
  }

  /** SIGTERM, start, wait for health. */
  async replace(program: string): Promise<void> {
    await this.stop();
    this.#before = this.log;
    this.#process = new HeadwaterProcess(['serve'], this.#environment, [], program);
    await this.ready();
  }
}

export interface InstallationOptions {
  /** For data; removed at the end. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly gateways: number;
  readonly cores: number;
  readonly workers: 0 | 1;
}

export class RollingInstallation {
  readonly gateways: readonly Member[];
  readonly cores: readonly Member[];
  readonly workers: readonly Member[];
  readonly nginx: RunningNginx;
  readonly #folder: string;

  private constructor(
    parts: Pick<RollingInstallation, 'gateways' | 'cores' | 'workers' | 'nginx'>,
    folder: string,
  ) {
    this.gateways = parts.gateways;
    this.cores = parts.cores;
    this.workers = parts.workers;
    this.nginx = parts.nginx;
    this.#folder = folder;
  }

  static async start(options: InstallationOptions): Promise<RollingInstallation> {
    const { folder } = options;
    await mkdir(join(folder, 'files'), { recursive: true });
    const workers = await members('worker', options.workers, async (name, port) => ({
      HEADWATER_ROLE: 'worker',
      HEADWATER_WORKERS__TOKEN: WORKER_TOKEN,
      HEADWATER_WORKERS__LISTEN: `127.0.0.1:${await freePort()}`,
      HEADWATER_PORT: String(port),
      HEADWATER_DATA_DIR: join(folder, name),
    }));
    const cores = await members('core', options.cores, async (name, port) => ({
      HEADWATER_ROLE: 'core',
      HEADWATER_INTERNAL_TOKEN: INTERNAL_TOKEN,
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_SAMPLE: 'false',
      HEADWATER_LISTEN: `127.0.0.1:${port}`,
      HEADWATER_DATA_DIR: join(folder, name),
      HEADWATER_DATABASE_URL: options.databaseUrl,
      HEADWATER_FILES_DIR: join(folder, 'files'),
      ...(workers.length > 0 && {
        HEADWATER_WORKERS__TOKEN: WORKER_TOKEN,
        HEADWATER_WORKERS__REMOTE: workers
          .map(({ settings }) => settings['HEADWATER_WORKERS__LISTEN'])
          .join(),
      }),
    }));
    const gateways = await members('gateway', options.gateways, async (name, port) => ({
      HEADWATER_ROLE: 'gateway',
      HEADWATER_INTERNAL_TOKEN: INTERNAL_TOKEN,
      HEADWATER_TLS_PORT: '0',
      HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
      HEADWATER_PORT: String(port),
      HEADWATER_DATA_DIR: join(folder, name),
      HEADWATER_CORES: cores.map(({ port: core }) => `127.0.0.1:${core}`).join(),
      HEADWATER_PIPELINE__OFF: 'rate-limit',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, `${name}.log`),
    }));
    const started: Member[] = [];
    const startAll = async (all: readonly Described[]) => {
      const own = all.map(({ name, port, settings }) => new Member(name, port, settings));
      started.push(...own);
      await Promise.all(own.map((one) => one.ready()));
      return own;
    };
    try {
      const parts = {
        workers: await startAll(workers),
        cores: await startAll(cores),
        gateways: await startAll(gateways),
      };
      const nginx = await runNginx(...gateways.map(({ port }) => `127.0.0.1:${port}`));
      return new RollingInstallation({ ...parts, nginx }, folder);
    } catch (error) {
      await Promise.allSettled(started.map((one) => one.stop()));
      throw error;
    }
  }

  /** Old and new cores and gateways meet in both directions: core, half of the gateways, the other cores, the rest. */
  get order(): readonly Member[] {
    const [first, ...others] = this.cores;
    const half = Math.ceil(this.gateways.length / 2);
    return [
      first!,
      ...this.gateways.slice(0, half),
      ...others,
      ...this.gateways.slice(half),
      ...this.workers,
    ];
  }

  /** Replaces each process in turn by one of a program, by default the one of this build. */
  async restart(program = BIN, replaced: (name: string) => Promise<void> | void = () => {}): Promise<void> {
    for (const member of this.order) {
      await member.replace(program);
      await replaced(member.name);
    }
  }

  /** Errors of all processes, and those of nginx that a restart does not explain. */
  async logs(): Promise<string> {
    const all = this.order.flatMap(({ name, log }) => log.split('\n').map((line) => `${name}: ${line}`));
    const nginx = (await this.nginx.log()).split('\n').map((line) => `nginx: ${line}`);
    return [...all, ...nginx]
      .filter((line) => !/: $|SIGTERM|Connection refused|temporarily disabled/.test(line))
      .join('\n');
  }

  async stop(): Promise<void> {
    await this.nginx.end();
    for (const group of [this.gateways, this.cores, this.workers])
      await Promise.allSettled(group.map((one) => one.stop()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface Described {
  readonly name: string;
  readonly port: number;
  readonly settings: Environment;
}

function members(
  role: string,
  count: number,
  settings: (name: string, port: number) => Promise<Environment>,
): Promise<Described[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const name = `${role}-${index + 1}`;
      const port = await freePort();
      return { name, port, settings: { ...COMMON, ...(await settings(name, port)) } };
    }),
  );
}
