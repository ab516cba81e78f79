import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namespace } from '../../support/small-disk.ts';

const MEGABYTES = 64;
const BALLAST = 'ballast';

/**
 * A folder on a disk of a few megabytes: a memory file system in the mount namespace of a process, which ends with the test.
 */
export class SmallFolder {
  /** For processes that are started `through`. */
  readonly path: string;
  /** Begins the command of a process that sees the folder. */
  readonly through: readonly string[];
  /** For this process, which reaches the folder through a link of the system that not every library follows. */
  readonly #path: string;
  readonly #holder: ChildProcess;

  private constructor(path: string, holder: ChildProcess) {
    this.path = path;
    this.#holder = holder;
    this.#path = `/proc/${holder.pid}/root${path}`;
    const user = process.getuid?.() === 0 ? [] : ['-U', '--preserve-credentials'];
    this.through = ['nsenter', ...user, '-m', '-t', `${holder.pid}`, '--'];
  }

  static async make(): Promise<SmallFolder> {
    const mountedAt = await mkdtemp(join(tmpdir(), 'headwater-small-'));
    const script = `mount -t tmpfs -o size=${MEGABYTES}m none "$0" && echo mounted && exec cat`;
    const holder = spawn('unshare', [...(await namespace()), 'sh', '-c', script, mountedAt], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(holder, 'exit').then(() => {
      throw new Error('A memory file system could not be mounted; see the message above.');
    });
    await Promise.race([once(holder.stdout!, 'data'), ended]);
    ended.catch(() => {});
    return new SmallFolder(mountedAt, holder);
  }

  copyFrom(folder: string): Promise<void> {
    return cp(folder, this.#path, { recursive: true });
  }

  copyTo(folder: string): Promise<void> {
    return cp(this.#path, folder, { recursive: true });
  }

  /** Leaves no byte free. */
  async fill(): Promise<void> {
    const error = await writeFile(join(this.#path, BALLAST), Buffer.alloc(MEGABYTES * 2 ** 20)).then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (error?.code !== 'ENOSPC') throw new Error(`The disk is not full: ${error?.message}`);
  }

  free(): Promise<void> {
    return rm(join(this.#path, BALLAST), { force: true });
  }

  async end(): Promise<void> {
    const ended = once(this.#holder, 'exit');
    this.#holder.stdin!.end();
    await ended;
    await rm(this.path, { recursive: true });
  }
}
