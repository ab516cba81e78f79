/** A core and gateways as real processes, each with a data folder of its own; all is removed afterwards. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Ended, HeadwaterProcess, IN_PLACE, runHeadwater } from './run-headwater.ts';

export const INTERNAL_TOKEN = 'a-secret-of-gateways-and-cores-0123456789';
export const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';
export const SAMPLE_PROJECT = '8d1a7c5e-3f42-4b69-9c0d-6e5b1f2a7d34';

type Environment = Readonly<Record<string, string>>;

export class RoleProcesses {
  readonly folder = mkdtempSync(join(tmpdir(), 'headwater-roles-'));
  readonly coreAddress = `unix:${join(this.folder, 'core.sock')}`;
  readonly #running: HeadwaterProcess[] = [];

  /** @param name of its data folder */
  environment(role: 'core' | 'gateway', name: string, more: Environment = {}): Environment {
    return {
      ...IN_PLACE,
      HEADWATER_ROLE: role,
      HEADWATER_DATA_DIR: join(this.folder, name),
      HEADWATER_INTERNAL_TOKEN: INTERNAL_TOKEN,
      HEADWATER_DRAIN_SECONDS: '5',
      ...(role === 'core'
        ? { HEADWATER_LISTEN: this.coreAddress, HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN }
        : {
            HEADWATER_CORES: this.coreAddress,
            HEADWATER_TLS_PORT: '0',
            HEADWATER_PORT: '0',
            HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(this.folder, `${name}.log`),
          }),
      ...more,
    };
  }

  serve(environment: Environment): HeadwaterProcess {
    const started = new HeadwaterProcess(['serve'], environment);
    this.#running.push(started);
    return started;
  }

  async startCore(more: Environment = {}): Promise<HeadwaterProcess> {
    const core = this.serve(this.environment('core', 'core', more));
    await core.printed(/runs as a core at \S+\.\n/);
    return core;
  }

  /** @returns with the URL of its plain HTTP */
  async startGateway(
    name: string,
    more: Environment = {},
  ): Promise<{ process: HeadwaterProcess; url: string }> {
    const process = this.serve(this.environment('gateway', name, more));
    const [, url = ''] = await process.printed(
      /runs as a gateway at (http:\/\/[\d.]+:\d+)[\s\S]*?\n {2}try /,
    );
    return { process, url };
  }

  /** A command on the data folder of a gateway. */
  run(words: readonly string[], name: string, more: Environment = {}): Promise<Ended> {
    return runHeadwater(words, this.environment('gateway', name, more));
  }

  /** What each has written to its standard output and error. */
  outputs(): string[] {
    return this.#running.flatMap(({ out, err }) => [out, err]);
  }

  /** Ends them; their folders stay. */
  async end(): Promise<void> {
    for (const one of this.#running) one.signal('SIGTERM');
    await Promise.all(this.#running.map(({ ended }) => ended));
  }

  async stop(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true });
  }
}

/** What a request over a connection of its own got. */
export interface OneAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A request over a new connection, so that it may reach any process. */
export function fetchOnce(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  milliseconds = 30_000,
): Promise<OneAnswer> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ maxSockets: 1 });
    const request = get(url, { agent, headers, signal: AbortSignal.timeout(milliseconds) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () => {
        agent.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.once('error', reject);
  });
}

/** Repeats until the answer is as wanted. */
export async function eventually<T>(
  what: () => Promise<T>,
  isWanted: (value: T) => boolean,
  milliseconds = 30_000,
): Promise<T> {
  const ends = performance.now() + milliseconds;
  for (;;) {
    const value = await what();
    if (isWanted(value)) return value;
    if (performance.now() > ends) throw new Error(`Not within ${milliseconds} ms: ${JSON.stringify(value)}`);
    await pause(50);
  }
}

/** Shared libraries of a process, from /proc. */
export function librariesOf(pid: number): string[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  return [...new Set(lines.flatMap((line) => /\S+\.(?:so|node)\S*$/.exec(line)?.[0] ?? []))];
}

export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
