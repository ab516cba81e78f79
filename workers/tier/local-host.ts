import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type HostOptions, PARENT_SOCKET } from '../host/host-options.ts';
import { Channel } from '../protocol/channel.ts';
import { type Connection, greet } from './connection.ts';
import { type Allocator, hostEnvironment } from './host-environment.ts';

/** Tests run the rest from source, but hosts from the build: with a loader for TypeScript each start took 0.5 s more. */
const ENTRY = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../.build/workers/host/host-main.js' : '../host/host-main.js',
    import.meta.url,
  ),
);

/** Of what a host says on standard error, the end is kept for the log. */
const LAST_WORDS = 2000;

/** Starts a host process; resolves when it is ready for tasks. */
export async function startLocalHost(options: HostOptions, allocator: Allocator): Promise<Connection> {
  const child = spawnHost(options, allocator);
  const lastWords = collect(child);
  const channel = new Channel(child.stdio[PARENT_SOCKET] as Duplex);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
  const end = () => {
    channel.close();
    child.kill('SIGKILL');
  };
  try {
    const { slots } = await greet(channel, () => '');
    return {
      slots,
      pid: child.pid ?? null,
      isRemote: false,
      send: (request, bytes) => channel.send(request, bytes),
      onAnswer: (listener) =>
        channel.onMessage((message, bytes) => {
          if (message.kind === 'result' || message.kind === 'failure') listener(message, bytes);
        }),
      onGone: (listener) => {
        channel.onClose(() => child.kill('SIGKILL'));
        exited.then((reason) => listener([reason, lastWords()].filter(Boolean).join(': ')));
      },
      end,
    };
  } catch (error) {
    end();
    const reason = await exited;
    throw new Error([(error as Error).message, reason, lastWords()].filter(Boolean).join(': '));
  }
}

function spawnHost(options: HostOptions, allocator: Allocator): ChildProcess {
  // In our own session: a kernel that groups processes for scheduling by session would weigh a host in one of
  // its own like the whole service, whatever its priority.
  const child = spawn(process.execPath, [ENTRY, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: hostEnvironment(options.slots, allocator),
  });
  if (child.pid !== undefined) lower(child.pid);
  return child;
}

/** At once, before it has threads: on Linux each thread has a priority, which it takes from the one that made it. */
function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It is gone already, which its exit will tell.
  }
}

function collect(child: ChildProcess): () => string {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = (said + String(chunk)).slice(-LAST_WORDS);
  });
  return () => said.trim();
}
