/** A real Redis in a folder of its own, on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../gateway/run-gateway.ts';
import { realProgram } from './real-program.ts';

export interface RunningRedis {
  readonly url: string;
  readonly port: number;
  /** Stops it where it is; `continue` lets it go on. */
  stall(): void;
  continue(): void;
  /** Kills it; what it held is lost. */
  kill(): Promise<void>;
  /** Sends an inline command. @returns its reply as it comes */
  send(command: string): Promise<string>;
  /** Starts it again at the same port. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

/** @param settings more of its command line, for example `--requirepass x` */
export async function runRedis(...settings: readonly string[]): Promise<RunningRedis> {
  const program = await realProgram('redis-server');
  const folder = await mkdtemp(join(tmpdir(), 'headwater-redis-'));
  const port = await freePort();
  const fixed = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  // By default it is 10,000 above the other one, where it may be taken.
  const bus = settings.includes('--cluster-enabled') ? ['--cluster-port', `${await freePort()}`] : [];
  return runProcess(port, folder, program, [...fixed, ...bus, '--dir', folder, ...settings]);
}

/** A sentinel that watches one server under the name `headwater`, and decides alone. */
export async function runSentinel(master: number): Promise<RunningRedis> {
  const program = await realProgram('redis-server');
  const folder = await mkdtemp(join(tmpdir(), 'headwater-sentinel-'));
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor headwater 127.0.0.1 ${master} 1`,
    'sentinel down-after-milliseconds headwater 500',
    'sentinel failover-timeout headwater 3000',
  ];
  await writeFile(file, lines.join('\n'));
  return runProcess(port, folder, program, [file, '--sentinel']);
}

async function runProcess(
  port: number,
  folder: string,
  program: string,
  words: readonly string[],
): Promise<RunningRedis> {
  let server: ChildProcess;

  async function start(): Promise<void> {
    server = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      let printed = '';
      server.stdout!.on('data', (some: Buffer) => {
        printed += some;
        if (/Ready to accept connections|\+monitor master/.test(printed)) resolve();
      });
      server.once('exit', async () => {
        reject(new Error(`Redis ended: ${printed}${await text(server.stderr!).catch(() => '')}`));
      });
    });
  }
  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stall: () => server.kill('SIGSTOP'),
    continue: () => server.kill('SIGCONT'),
    kill,
    send(command) {
      const socket = connect(port, '127.0.0.1');
      socket.end(`${command}\r\n`);
      return text(socket);
    },
    restart: start,
    async end() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
