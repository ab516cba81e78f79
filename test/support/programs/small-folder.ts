import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { namespace } from '../service/small-disk.ts';

export interface SmallFolderOptions {
  readonly megabytes: number;
  /** An empty folder to mount it at; by default a new one. */
  readonly at?: string;
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/** Others write while the size is set. */
const ATTEMPTS = 50;

/**
 * A folder on a disk of its own: a memory file system in the mount namespace of a process, which ends with the test. Filled means
 * that the disk has become as small as what it holds.
 */
export class SmallFolder {
  /** For processes that are started `through`. */
  readonly path: string;
  /** Begins the command of a process that sees the folder. */
  readonly through: readonly string[];
  /** For this process, which reaches the folder through a link of the system that not every library follows. */
  readonly reached: string;
  readonly #megabytes: number;
  readonly #holder: ChildProcess;

  private constructor(path: string, megabytes: number, holder: ChildProcess) {
    this.path = path;
    this.#megabytes = megabytes;
    this.#holder = holder;
    this.reached = `/proc/${holder.pid}/root${path}`;
    const user = process.getuid?.() === 0 ? [] : ['-U', '--preserve-credentials'];
    this.through = ['nsenter', ...user, '-m', '-t', `${holder.pid}`, '--'];
  }

  static async make({ megabytes, at, owner }: SmallFolderOptions): Promise<SmallFolder> {
    const mountedAt = at ?? (await mkdtemp(join(tmpdir(), 'headwater-small-')));
    const owned = owner ? `,uid=${owner.uid},gid=${owner.gid}` : '';
    const script = `mount -t tmpfs -o size=${megabytes}m,mode=700${owned} none "$0" && echo mounted && exec cat`;
    const holder = spawn('unshare', [...(await namespace()), 'sh', '-c', script, mountedAt], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(holder, 'exit').then(() => {
      throw new Error('A memory file system could not be mounted; see the message above.');
    });
    await Promise.race([once(holder.stdout!, 'data'), ended]);
    ended.catch(() => {});
    return new SmallFolder(mountedAt, megabytes, holder);
  }

  copyFrom(folder: string): Promise<void> {
    return cp(folder, this.reached, { recursive: true });
  }

  copyTo(folder: string): Promise<void> {
    return cp(this.reached, folder, { recursive: true });
  }

  /** Leaves no byte free. */
  async fill(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { bsize, blocks, bfree } = await statfs(this.reached);
      // A size of 0 would mean no limit.
      const refused = await this.#resize(`${Math.max(1, blocks - bfree) * bsize}`).catch((error) => error);
      if (refused === undefined) return;
      if (attempt === ATTEMPTS) throw refused;
    }
  }

  async free(): Promise<void> {
    await this.#resize(`${this.#megabytes}m`);
  }

  async end(): Promise<void> {
    const ended = once(this.#holder, 'exit');
    this.#holder.stdin!.end();
    await ended;
    await rm(this.path, { recursive: true });
  }

  async #resize(size: string): Promise<undefined> {
    const [program = '', ...words] = [...this.through, 'mount', '-o', `remount,size=${size}`, this.path];
    await promisify(execFile)(program, words);
  }
}
