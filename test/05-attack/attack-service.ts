/** The built service in a process of its own, as an operator runs it. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, end, ROOT, start } from '../bench/processes.ts';
import { freePort, ready } from '../bench/service.ts';
import type { Runs } from '../support/measure/watched-server.ts';
import { eventually } from '../support/service/role-processes.ts';
import { IN_PLACE } from '../support/service/run-headwater.ts';
import { attackData, type Sizes } from './attack-data.ts';
import type { AttackDataReply } from './make-attack-data.ts';

export const ADMIN_TOKEN = 'a-token-for-the-attack-only-0123456789abcdef';

export interface ProbedService {
  readonly url: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly pid: number;
  readonly dataDir: string;
  /** Log lines of level error and graver, so far. */
  errorLines(): string[];
  /** CPU time of the main thread's longest run without yielding since this was asked last, in milliseconds. */
  longestRun(): Promise<number>;
  /** Memory of JavaScript in use after a garbage collection, in bytes. */
  memory(): Promise<number>;
  /** Asks it to end; milliseconds until it has. */
  end(): Promise<number>;
}

export interface AttackService extends ProbedService, AttackDataReply {}

/** More settings, under their names in the environment without prefix. */
type Settings = Readonly<Record<string, string>>;

/** Over a project that is attacked and another one, with everything in its default. */
export async function startAttackService(items: Sizes, settings: Settings = {}): Promise<AttackService> {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-attack-'));
  const data = await attackData(items, folder);
  return { ...(await startProbed(folder, { SAMPLE: 'false', ...settings })), ...data };
}

/** Over the folder, which is deleted afterwards. */
export async function startProbed(folder: string, settings: Settings): Promise<ProbedService> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const sockets = { RUN_WATCH: join(folder, 'runs.sock'), MEMORY_PROBE: join(folder, 'memory.sock') };
  const all = {
    DATA_DIR: folder,
    PORT: `${port}`,
    TLS_PORT: `${tlsPort}`,
    DRAIN_SECONDS: '2',
    ADMIN_TOKEN,
    PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
    ...settings,
  };
  const probes = fileURLToPath(new URL('probes.cjs', import.meta.url));
  const child = start(
    process.execPath,
    ['--require', probes, join(ROOT, 'gateway/cli/headwater.cjs'), 'serve'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: cleanEnvironment({
        ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`HEADWATER_${name}`, value])),
        ...sockets,
        ...IN_PLACE,
      }),
    },
  );
  const said = linesOf(child);
  let isEnding = false;
  const gone = new Promise<never>((_, reject) => {
    child.once('close', (code, signal) => {
      const message = `The service ended with ${code ?? signal}: ${said.tail()}`;
      if (!isEnding) said.errors.push(message);
      reject(new Error(message));
    });
  });
  gone.catch(() => {});
  await Promise.race([ready(port), gone]);
  const longestRun = async () => (await answerOf<Runs>(sockets.RUN_WATCH)).longest;
  // The probes are loaded beside the service.
  await eventually(
    () => longestRun().catch(() => undefined),
    (longest) => longest !== undefined,
  );
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    tlsPort,
    pid: child.pid!,
    dataDir: folder,
    errorLines: () => said.errors,
    longestRun,
    memory: () => answerOf<number>(sockets.MEMORY_PROBE),
    async end() {
      isEnding = true;
      const began = performance.now();
      await end(child, 30_000);
      const took = performance.now() - began;
      await rm(folder, { recursive: true, force: true });
      return took;
    },
  };
}

async function answerOf<Answer>(socket: string): Promise<Answer> {
  const connection = connect(socket);
  await once(connection, 'connect');
  return JSON.parse(await text(connection)) as Answer;
}

/** Keeps the error lines and the last other lines; what the service writes is always read. */
function linesOf(child: ChildProcess): { readonly errors: string[]; tail(): string } {
  const errors: string[] = [];
  let last = '';
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      // Levels of pino: 50 is error, 60 fatal. What is no JSON is the stack trace of an uncaught error.
      errors.push(
        ...lines.filter((line) => /"level":(50|60|"error"|"fatal")|^\s+at .+:\d+:\d+\)?$/.test(line)),
      );
      last = (last + chunk.toString()).slice(-4000);
    });
  }
  return { errors, tail: () => last };
}
