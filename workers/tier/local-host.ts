import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { programFolder } from '../../config/program-folder.ts';
import { type HostOptions, PARENT_SOCKET } from '../host/host-options.ts';
import { Channel } from '../protocol/channel.ts';
import { type Connection, handshake } from './connection.ts';
import { type Allocator, hostEnvironment } from './host-environment.ts';

/** Tests run from source, but hosts run from the build: a TypeScript loader made each start 0.5 s slower. */
const ENTRY = fileURLToPath(new URL('.build/bundle/host-main.js', programFolder()));

/** Bytes of standard error kept for the log. */
const STDERR_TAIL = 2000;

/** Starts a host process; resolves when it accepts tasks. */
export async function startLocalHost(options: HostOptions, allocator: Allocator): Promise<Connection> {
  const child = spawnHost(options, allocator);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
  // Without file descriptors for it, there are no streams either.
  if (child.pid === undefined) throw new Error(await exited);
  const stderrTail = collect(child);
  const channel = new Channel(child.stdio[PARENT_SOCKET] as Duplex);
  const end = () => {
    channel.close();
    child.kill('SIGKILL');
  };
  try {
    return {
      ...(await handshake(channel, () => '')),
      pid: child.pid,
      isRemote: false,
      onClose: (listener) => {
        channel.onClose(() => child.kill('SIGKILL'));
        exited.then((reason) => listener([reason, stderrTail()].filter(Boolean).join(': ')));
      },
      end,
    };
  } catch (error) {
    end();
    const reason = await exited;
    throw new Error([(error as Error).message, reason, stderrTail()].filter(Boolean).join(': '));
  }
}

function spawnHost(options: HostOptions, allocator: Allocator): ChildProcess {
  // In the session of the service: a kernel that schedules by session would weigh a host in its own session like
  // the whole service, whatever its priority.
  return spawn(process.execPath, [ENTRY, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: hostEnvironment(options.concurrency, allocator),
  });
}

function collect(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.on('data', (chunk) => {
    tail = (tail + String(chunk)).slice(-STDERR_TAIL);
  });
  return () => tail.trim();
}
