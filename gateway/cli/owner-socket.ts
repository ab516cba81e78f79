/**
 * One process owns a data folder. While a service runs it is the owner, and commands that need the data are
 * handed to it over a socket; only the folder's user can open that, and both ends prove that they know the
 * secret of the folder before a command is sent or done.
 *
 * One connection is one command, each message a line of JSON: `{nonce}` of the service, `{nonce, proof}` of the
 * command, `{proof}` of the service, `{words, folder}` of the command, then what the service has to say (`{out}`,
 * `{err}`, `{progress}`, at last `{exit}`). A client that leaves cancels its command.
 */
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { StartError } from '../start-error.ts';
import { makeOwnerFile, type OwnerFile, readOwnerFile, removeOwnerFile } from './owner-file.ts';
import { isProof, newNonce, proofOf } from './owner-proof.ts';
import type { Terminal } from './terminal.ts';

/** Both ends are on one machine; whoever takes longer is not what it should be. */
const LONGEST_INTRODUCTION_MS = 10_000;

export type RunCommand = (
  words: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
  /** Folder the command was given in. */
  folder: string,
) => Promise<number>;

/** For the process that has the lock on the folder. */
export async function openOwnerSocket(dataDir: string, run: RunCommand): Promise<{ close(): Promise<void> }> {
  const { socket: path, secret } = await makeOwnerFile(dataDir);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveOne(socket, secret, run).catch(() => socket.destroy());
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(path, done);
  });
  if (process.platform !== 'win32') await chmod(path, 0o600);
  return {
    async close() {
      await new Promise<void>((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      });
      await removeOwnerFile(dataDir);
    },
  };
}

/**
 * Hands a command to the running owner of the folder; undefined when there is none.
 *
 * @throws StartError where this user may not ask, or somebody else answers
 */
export async function askOwner(
  dataDir: string,
  words: readonly string[],
  terminal: Terminal,
): Promise<number | undefined> {
  const owner = readOwnerFile(dataDir);
  const socket = owner && (await connected(dataDir, owner));
  if (!socket) return undefined;
  try {
    const lines = linesOf(socket);
    await introduce(socket, lines, owner, dataDir);
    send(socket, { words, folder: process.cwd() });
    for await (const line of { [Symbol.asyncIterator]: () => lines }) {
      const { out, err, progress, exit } = JSON.parse(line) as Message;
      if (out !== undefined) terminal.out(out);
      if (err !== undefined) terminal.err(err);
      if (progress !== undefined) terminal.progress(progress);
      if (exit !== undefined) return exit;
    }
    terminal.err('headwater: the running service went away before it had finished the command.');
    return 1;
  } finally {
    socket.destroy();
  }
}

interface Message {
  readonly out?: string;
  readonly err?: string;
  readonly progress?: string;
  readonly exit?: number;
}

type Lines = AsyncIterator<string>;

/** @throws StartError unless the other end proves that it is the service of the folder */
async function introduce(
  socket: Socket,
  lines: Lines,
  { socket: path, secret }: OwnerFile,
  dataDir: string,
): Promise<void> {
  const timeout = setTimeout(() => socket.destroy(), LONGEST_INTRODUCTION_MS);
  try {
    const { nonce } = await nextMessage(lines);
    const challenge = { service: String(nonce), command: newNonce() };
    send(socket, { nonce: challenge.command, proof: proofOf(secret, 'command', challenge) });
    if (isProof((await nextMessage(lines))['proof'], secret, 'service', challenge)) return;
  } catch (error) {
    throw notTheService(path, dataDir, error);
  } finally {
    clearTimeout(timeout);
  }
  throw notTheService(path, dataDir);
}

function notTheService(path: string, dataDir: string, cause?: unknown): StartError {
  return new StartError(
    `What listens at ${path} does not prove that it is the service of ${dataDir}: the command was not sent to it. ` +
      'Start the service again; if that does not help, find out which program listens there.',
    { cause },
  );
}

async function serveOne(socket: Socket, secret: string, run: RunCommand): Promise<void> {
  const gone = new AbortController();
  socket.on('close', () => gone.abort());
  socket.on('error', () => gone.abort());
  const timeout = setTimeout(() => socket.destroy(), LONGEST_INTRODUCTION_MS);
  gone.signal.addEventListener('abort', () => clearTimeout(timeout));
  const lines = linesOf(socket);
  const service = newNonce();
  send(socket, { nonce: service });
  const { nonce, proof } = await nextMessage(lines);
  const challenge = { service, command: String(nonce) };
  if (!isProof(proof, secret, 'command', challenge)) {
    socket.destroy();
    return;
  }
  clearTimeout(timeout);
  send(socket, { proof: proofOf(secret, 'service', challenge) });
  const { words, folder } = (await nextMessage(lines)) as {
    readonly words: readonly string[];
    readonly folder: string;
  };
  const tell = (message: Message) => send(socket, message);
  const terminal: Terminal = {
    out: (text) => tell({ out: text }),
    err: (text) => tell({ err: text }),
    progress: (text) => tell({ progress: text }),
  };
  tell({ exit: await run(words, terminal, gone.signal, folder) });
}

function linesOf(socket: Socket): Lines {
  const reader = createInterface({ input: socket });
  // A socket that is destroyed has no end, only a close.
  socket.once('close', () => reader.close());
  return reader[Symbol.asyncIterator]();
}

/** @throws where the other end has left, or says no JSON object */
async function nextMessage(lines: Lines): Promise<Record<string, unknown>> {
  const { done, value } = await lines.next();
  if (done) throw new Error('The connection was closed.');
  return { ...(JSON.parse(value) as object) };
}

function send(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** @throws StartError where the owner is another user's, who is nobody to be asked by this one */
function connected(dataDir: string, { socket: path }: OwnerFile): Promise<Socket | undefined> {
  return new Promise((done, fail) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.on('error', () => socket.destroy());
      done(socket);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      // No socket, or one that nobody listens on: there is no owner to ask.
      if (code !== 'EACCES' && code !== 'EPERM') return done(undefined);
      fail(
        new StartError(`The data folder ${dataDir} belongs to another user: ask its service as that user.`),
      );
    });
  });
}
