/** The built service in a process of its own, as an operator runs it, over a project that is attacked and another one. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../bench/child.ts';
import { cleanEnvironment, end, ROOT, start } from '../bench/processes.ts';
import { freePort, ready } from '../bench/service.ts';
import type { AttackDataOrder, AttackDataReply } from './make-attack-data.ts';

export const ADMIN_TOKEN = 'a-token-for-the-attack-only-0123456789abcdef';

export interface AttackService extends AttackDataReply {
  readonly url: string;
  readonly port: number;
  readonly tlsPort: number;
  /** Of the service itself, not of a process that starts it. */
  readonly pid: number;
  /** Log lines of level error and graver, so far. */
  errorLines(): string[];
  /** Asks it to end; milliseconds until it has. */
  end(): Promise<number>;
}

export interface AttackServiceOptions {
  readonly items: readonly [number, number];
  /** More settings, under their names in the environment without prefix. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Options of Node for the service. */
  readonly nodeOptions?: string;
}

export async function startAttackService(options: AttackServiceOptions): Promise<AttackService> {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-attack-'));
  const maker = startChild<AttackDataOrder, AttackDataReply>(
    new URL('make-attack-data.ts', import.meta.url).href,
  );
  const data = await maker.ask({ folder, items: options.items }).finally(() => maker.end());
  const [port, tlsPort] = [await freePort(), await freePort()];
  const settings = {
    DATA_DIR: folder,
    PORT: `${port}`,
    TLS_PORT: `${tlsPort}`,
    SAMPLE: 'false',
    DRAIN_SECONDS: '2',
    ADMIN_TOKEN,
    PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
    ...options.settings,
  };
  const child = start(process.execPath, [join(ROOT, 'gateway/cli/headwater.cjs'), 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnvironment({
      ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`HEADWATER_${name}`, value])),
      ...(options.nodeOptions && { NODE_OPTIONS: options.nodeOptions }),
      // The build is made before the tests start.
      npm_lifecycle_event: 'test',
    }),
  });
  const said = linesOf(child);
  const gone = new Promise<never>((_, reject) => {
    child.once('close', (code) => reject(new Error(`The service ended with ${code}: ${said.tail()}`)));
  });
  gone.catch(() => {});
  await Promise.race([ready(port), gone]);
  return {
    ...data,
    url: `http://127.0.0.1:${port}`,
    port,
    tlsPort,
    pid: servicePid(child.pid!),
    errorLines: () => said.errors,
    async end() {
      const began = performance.now();
      await end(child, 30_000);
      const took = performance.now() - began;
      await rm(folder, { recursive: true, force: true });
      return took;
    },
  };
}

/** Keeps the error lines and the last of the others, and lets the service never wait for a reader. */
function linesOf(child: ChildProcess): { readonly errors: string[]; tail(): string } {
  const errors: string[] = [];
  let last = '';
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      // Levels of pino: 50 is error, 60 fatal. What is no JSON is a stack trace that nobody caught.
      errors.push(
        ...lines.filter((line) => /"level":(50|60|"error"|"fatal")|^\s+at .+:\d+:\d+\)?$/.test(line)),
      );
      last = (last + chunk.toString()).slice(-4000);
    });
  }
  return { errors, tail: () => last };
}

/** Where Node cannot replace a process by another, the one we started runs the service as its child. */
function servicePid(started: number): number {
  const children = readFileSync(`/proc/${started}/task/${started}/children`, 'utf8')
    .split(' ')
    .filter(Boolean);
  const isService = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('headwater.cjs');
  return Number(children.find(isService) ?? started);
}
