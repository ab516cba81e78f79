/**
 * The socket of the owner of a data folder, and the secret by which both ends authenticate: `<data>/owner.json`,
 * readable by its user only, written by each start of a service.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { mkdtemp, open, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { LONGEST_SOCKET_PATH } from '../../config/core-address.ts';
import type { Role } from '../../config/role-settings.ts';
import { StartError } from '../../config/start-error.ts';

export interface OwnerFile {
  readonly role: Role;
  readonly pid: number;
  /** Path of the socket, or name of the pipe. */
  readonly socket: string;
  readonly secret: string;
}

/** The socket is relative where it is in the folder: the folder may have another path for the command, say outside of a container. */
interface Written extends OwnerFile {
  readonly folder: string;
}

const IS_WINDOWS = process.platform === 'win32';
const SOCKET = 'owner.sock';

/** Chooses a socket path and writes the file. Removes the socket of an owner that crashed. */
export async function makeOwnerFile(dataDir: string, role: Role): Promise<OwnerFile> {
  await removeOwnerFile(dataDir);
  const socket = await socketPath(resolve(dataDir));
  const secret = randomBytes(32).toString('base64url');
  const isInside = dirname(socket) === resolve(dataDir);
  const { pid } = process;
  const written: Written = {
    role,
    pid,
    socket: isInside ? SOCKET : socket,
    secret,
    folder: identityOf(dataDir),
  };
  const beside = `${fileIn(dataDir)}.${randomUUID()}.next`;
  const handle = await open(beside, 'wx', 0o600);
  try {
    await handle.writeFile(JSON.stringify(written));
  } finally {
    await handle.close();
  }
  await rename(beside, fileIn(dataDir));
  return { role, pid, socket, secret };
}

export async function removeOwnerFile(dataDir: string): Promise<void> {
  const stale = trustedFile(dataDir);
  await rm(fileIn(dataDir), { force: true });
  if (IS_WINDOWS) return;
  // Also where the file does not name it: only the owner listens in the folder, and the path must be free.
  await rm(join(resolve(dataDir), SOCKET), { force: true });
  if (stale === undefined || dirname(stale.socket) === resolve(dataDir)) return;
  await rm(stale.socket, { force: true });
  await rmdir(dirname(stale.socket)).catch(() => {});
}

/** Ignores a file that is damaged or that another user could have written. */
function trustedFile(dataDir: string): OwnerFile | undefined {
  try {
    return readOwnerFile(dataDir);
  } catch {
    return undefined;
  }
}

/**
 * Undefined where there is no file.
 *
 * @throws StartError where another user could have written the file or the folder of the socket
 */
export function readOwnerFile(dataDir: string): OwnerFile | undefined {
  const path = fileIn(dataDir);
  try {
    const file = requirePrivate(path, 'file', statSync(resolve(dataDir)).uid);
    const found = parse(readFileSync(path, 'utf8'));
    if (found === undefined) throw new StartError(`${path} is damaged; start the service again.`);
    // A copy of the folder, made while its service ran: the socket belongs to the original.
    if (found.folder !== identityOf(dataDir)) return undefined;
    if (IS_WINDOWS) return found;
    const socket = resolve(dataDir, found.socket);
    if (dirname(socket) !== resolve(dataDir)) requirePrivate(dirname(socket), 'folder', file.uid);
    return { ...found, socket };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // No file, or no folder: it has no running owner.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new StartError(
      `The data folder ${dataDir} belongs to another user: ask its service as that user.`,
      {
        cause: error,
      },
    );
  }
}

/** In the data folder, or, where that path is too long, in a new folder with a random name. */
async function socketPath(dataDir: string): Promise<string> {
  if (IS_WINDOWS) return `\\\\.\\pipe\\headwater-${randomUUID()}`;
  const path = join(dataDir, SOCKET);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return path;
  const wanted = join(tmpdir(), 'headwater-socket-');
  // mkdtemp creates the folder with mode 0700, or fails where it exists.
  const folder = await mkdtemp(
    Buffer.byteLength(wanted) < LONGEST_SOCKET_PATH - 20 ? wanted : '/tmp/headwater-socket-',
  );
  return join(folder, SOCKET);
}

/** Refuses links: lstat does not follow them. */
function requirePrivate(path: string, kind: 'file' | 'folder', owner: number): Stats {
  const found = lstatSync(path);
  const isKind = kind === 'file' ? found.isFile() : found.isDirectory();
  const isOurs = found.uid === owner || found.uid === process.geteuid?.();
  if (IS_WINDOWS || (isKind && isOurs && (found.mode & 0o077) === 0)) return found;
  throw new StartError(
    `${path} is not a ${kind} that only the owner of the data can use, so the command was not forwarded. ` +
      'Find out who put it there, remove it and start the service again.',
  );
}

function parse(text: string): Written | undefined {
  try {
    const { role, pid, socket, secret, folder } = JSON.parse(text) as Partial<Written>;
    return typeof socket === 'string' && typeof secret === 'string' && secret.length >= 32
      ? { role: role ?? 'all', pid: Number(pid), socket, secret, folder: String(folder) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Identifies the folder, whatever its path. */
function identityOf(dataDir: string): string {
  const { dev, ino } = statSync(resolve(dataDir), { bigint: true });
  return `${dev}:${ino}`;
}

function fileIn(dataDir: string): string {
  return join(resolve(dataDir), 'owner.json');
}
