/**
 * One process owns a data folder. While a service runs it is the owner, and commands that need the data are
 * handed to it over a socket in that folder; nobody but the folder's user can open it.
 *
 * One connection is one command: a line of JSON there (`{words, folder}`), lines of JSON back (`{out}`, `{err}`,
 * `{progress}`, at last `{exit}`). A client that leaves cancels its command.
 */
import { createHash } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { StartError } from '../start-error.ts';
import type { Terminal } from './terminal.ts';

/** Systems keep socket paths shorter than this (Linux: 107 bytes). */
const LONGEST_PATH = 100;

export type RunCommand = (
  words: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
  /** Folder the command was given in. */
  folder: string,
) => Promise<number>;

export async function openOwnerSocket(dataDir: string, run: RunCommand): Promise<{ close(): Promise<void> }> {
  const path = socketPath(dataDir);
  // The lock on the folder is ours, so a socket that is still there belongs to a process that is gone.
  await rm(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveOne(socket, run).catch(() => socket.destroy());
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(path, done);
  });
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/**
 * Hands a command to the running owner of the folder; undefined when there is none.
 *
 * @throws StartError where this user may not ask
 */
export async function askOwner(
  dataDir: string,
  words: readonly string[],
  terminal: Terminal,
): Promise<number | undefined> {
  const socket = await connected(dataDir);
  if (!socket) return undefined;
  socket.write(`${JSON.stringify({ words, folder: process.cwd() })}\n`);
  for await (const line of createInterface({ input: socket })) {
    const { out, err, progress, exit } = JSON.parse(line) as Message;
    if (out !== undefined) terminal.out(out);
    if (err !== undefined) terminal.err(err);
    if (progress !== undefined) terminal.progress(progress);
    if (exit !== undefined) {
      socket.end();
      return exit;
    }
  }
  terminal.err('headwater: the running service went away before it had finished the command.');
  return 1;
}

interface Message {
  readonly out?: string;
  readonly err?: string;
  readonly progress?: string;
  readonly exit?: number;
}

async function serveOne(socket: Socket, run: RunCommand): Promise<void> {
  const gone = new AbortController();
  socket.on('close', () => gone.abort());
  socket.on('error', () => gone.abort());
  const tell = (message: Message) => {
    if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };
  for await (const line of createInterface({ input: socket })) {
    const { words, folder } = JSON.parse(line) as {
      readonly words: readonly string[];
      readonly folder: string;
    };
    const terminal: Terminal = {
      out: (text) => tell({ out: text }),
      err: (text) => tell({ err: text }),
      progress: (text) => tell({ progress: text }),
    };
    tell({ exit: await run(words, terminal, gone.signal, folder) });
    return;
  }
}

/** @throws StartError where the owner is another user's, who is nobody to be asked by this one */
function connected(dataDir: string): Promise<Socket | undefined> {
  return new Promise((done, fail) => {
    const socket = connect(socketPath(dataDir));
    socket.once('connect', () => done(socket));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      // No socket, or one that nobody listens on: there is no owner to ask.
      if (code !== 'EACCES' && code !== 'EPERM') return done(undefined);
      fail(
        new StartError(`The data folder ${dataDir} belongs to another user: ask its service as that user.`),
      );
    });
  });
}

function socketPath(dataDir: string): string {
  const folder = resolve(dataDir);
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\headwater-${name}`;
  const path = join(folder, 'owner.sock');
  return Buffer.byteLength(path) < LONGEST_PATH ? path : join(tmpdir(), `headwater-${name}.sock`);
}
