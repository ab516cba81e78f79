/**
 * One process owns a data folder. A running service is its owner, and runs commands that need the data; it receives
 * them over a socket that only the folder's user can open. Both ends prove that they know the secret of the folder
 * before the command is sent.
 *
 * One connection is one command, each message a line of JSON: `{nonce}` of the service, `{nonce, proof}` of the
 * command, `{proof}` of the service, `{words, folder}` of the command, then the output of the service (`{out}`,
 * `{err}`, `{progress}`, at last `{exit}`). `{cancel: true}` of the command and a closed connection cancel it; after the
 * former the service says what was done.
 */
import { chmod } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { CORE_ROLES, type Role } from '../../config/role-settings.ts';
import { StartError } from '../../config/start-error.ts';
import { listenError } from '../listeners/listen-error.ts';
import { onStopSignal } from '../signals.ts';
import { makeOwnerFile, type OwnerFile, readOwnerFile, removeOwnerFile } from './owner-file.ts';
import { isProof, newNonce, proofOf } from './owner-proof.ts';
import type { Terminal } from './terminal.ts';

/** Both ends are on one machine. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

export type RunCommand = (
  words: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
  /** Working directory of the command. */
  folder: string,
) => Promise<number>;

/** Only for the process that owns the folder. */
export async function openOwnerSocket(
  dataDir: string,
  run: RunCommand,
  role: Role = 'all',
): Promise<{ close(): Promise<void> }> {
  const { socket: path, secret } = await makeOwnerFile(dataDir, role);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveOne(socket, secret, run).catch(() => socket.destroy());
  });
  await new Promise<void>((done, fail) => {
    server.once('error', (error) => fail(listenError(`unix:${path}`, 'HEADWATER_DATA_DIR', error)));
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
 * Roles with a core lock their folder; the others own it as long as they answer here.
 *
 * @throws StartError where a running process owns the folder
 */
export async function refuseSecondOwner(dataDir: string, role: Role): Promise<void> {
  const owner = readOwnerFile(dataDir);
  if (owner === undefined || (CORE_ROLES.includes(role) && CORE_ROLES.includes(owner.role))) return;
  const socket = await connectTo(dataDir, owner);
  if (!socket) return;
  socket.destroy();
  throw new StartError(
    `The data folder ${dataDir} belongs to a running process with the role ${owner.role} (process ${owner.pid}); ` +
      `give this ${role} a folder of its own (HEADWATER_DATA_DIR).`,
  );
}

/**
 * Lets the running owner of the folder run a command.
 *
 * @returns its exit code; undefined where the folder has no running owner
 * @throws StartError where this user may not use the socket, or the other end does not authenticate
 */
export async function forwardCommand(
  dataDir: string,
  words: readonly string[],
  terminal: Terminal,
  folder = process.cwd(),
): Promise<number | undefined> {
  const owner = readOwnerFile(dataDir);
  const socket = owner && (await connectTo(dataDir, owner));
  if (!socket) return undefined;
  let signals: { readonly close: () => void } | undefined;
  try {
    const lines = linesOf(socket);
    await authenticate(socket, lines, owner, dataDir);
    send(socket, { words, folder });
    // A second signal ends this process, and so closes the connection.
    signals = onStopSignal(() => send(socket, { cancel: true }));
    for await (const line of { [Symbol.asyncIterator]: () => lines }) {
      const { out, err, progress, exit } = JSON.parse(line) as Message;
      if (out !== undefined) terminal.out(out);
      if (err !== undefined) terminal.err(err);
      if (progress !== undefined) terminal.progress(progress);
      if (exit !== undefined) return exit;
    }
    terminal.err(
      'headwater: the running service ended before it had finished the command, which may have done a part of its work: ' +
        'look at that once the service runs again, and repeat the command.',
    );
    return 1;
  } finally {
    signals?.close();
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
async function authenticate(
  socket: Socket,
  lines: Lines,
  { socket: path, secret }: OwnerFile,
  dataDir: string,
): Promise<void> {
  const timeout = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS);
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
  const closed = new AbortController();
  socket.on('close', () => closed.abort());
  socket.on('error', () => closed.abort());
  const timeout = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS);
  closed.signal.addEventListener('abort', () => clearTimeout(timeout));
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
  nextMessage(lines).then(
    ({ cancel }) => cancel === true && closed.abort(),
    () => {},
  );
  const output = (message: Message) => send(socket, message);
  const terminal: Terminal = {
    out: (text) => output({ out: text }),
    err: (text) => output({ err: text }),
    progress: (text) => output({ progress: text }),
  };
  output({ exit: await run(words, terminal, closed.signal, folder) });
}

function linesOf(socket: Socket): Lines {
  const reader = createInterface({ input: socket });
  // A destroyed socket has no `end`, only a `close`.
  socket.once('close', () => reader.close());
  return reader[Symbol.asyncIterator]();
}

/** @throws where the connection is closed or the message is not JSON */
async function nextMessage(lines: Lines): Promise<Record<string, unknown>> {
  const { done, value } = await lines.next();
  if (done) throw new Error('The connection was closed.');
  return { ...(JSON.parse(value) as object) };
}

function send(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** @throws StartError where the owner belongs to another user */
function connectTo(dataDir: string, { socket: path }: OwnerFile): Promise<Socket | undefined> {
  return new Promise((done, fail) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.on('error', () => socket.destroy());
      done(socket);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      // No socket, or a socket without a listener: the folder has no running owner.
      if (code !== 'EACCES' && code !== 'EPERM') return done(undefined);
      fail(
        new StartError(`The data folder ${dataDir} belongs to another user: ask its service as that user.`),
      );
    });
  });
}
