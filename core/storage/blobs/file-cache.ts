import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { blobName } from './blob-name.ts';

interface Entry {
  readonly size: number;
  /** Users of the file, which is not deleted meanwhile. */
  holds: number;
}

/** A file in use; `release` must be called once. */
export interface HeldFile {
  readonly path: string;
  release(): void;
}

/** A part of the cache's bytes for a file that is being written. */
export interface ReservedSpace {
  /** Takes more, also where there is no space. */
  grow(bytes: number): void;
  release(): void;
}

/**
 * Files of blobs that are stored elsewhere. They are bounded in bytes, together with those that are being written; the one
 * that was used longest ago is deleted first.
 */
export class FileCache {
  readonly #folder: string;
  readonly #limit: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #removals = new Map<string, Promise<void>>();
  #bytes = 0;
  #reserved = 0;

  private constructor(folder: string, limit: number) {
    this.#folder = folder;
    this.#limit = limit;
  }

  /** Finds the files of an earlier process; `unfinished` is for files that are being written. */
  static async open(folder: string, bytes: number): Promise<FileCache> {
    const cache = new FileCache(folder, bytes);
    await rm(cache.unfinished, { recursive: true, force: true });
    await cache.makeUnfinished();
    const found: { hash: string; size: number; used: number }[] = [];
    for (const name of await readdir(folder)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      const rests = (await readdir(join(folder, name))).filter((rest) => /^[0-9a-f]{62}$/.test(rest));
      const files = rests.map(async (rest) => {
        const { size, mtimeMs } = await stat(join(folder, name, rest));
        return { hash: name + rest, size, used: mtimeMs };
      });
      found.push(...(await Promise.all(files)));
    }
    found.sort((one, other) => one.used - other.used);
    for (const { hash, size } of found) cache.#set(hash, size);
    cache.#evict();
    return cache;
  }

  get unfinished(): string {
    return join(this.#folder, 'unfinished');
  }

  /** Before each file: somebody may have emptied the folder. */
  async makeUnfinished(): Promise<void> {
    await mkdir(this.unfinished, { recursive: true });
  }

  /** Of cached files and of those that are being written. */
  get bytes(): number {
    return this.#bytes + this.#reserved;
  }

  get entries(): number {
    return this.#entries.size;
  }

  has(hash: string): boolean {
    return this.#entries.has(hash);
  }

  /** The file of the blob, if it is cached and was not removed by hand. */
  hold(hash: string): HeldFile | undefined {
    const entry = this.#entries.get(hash);
    if (!entry) return undefined;
    const path = this.#file(hash);
    if (!existsSync(path)) {
      this.#remove(hash);
      return undefined;
    }
    this.#entries.delete(hash);
    this.#entries.set(hash, entry);
    entry.holds += 1;
    return {
      path,
      release: () => {
        entry.holds -= 1;
        this.#evict();
      },
    };
  }

  /** Removes a file that cannot be read. */
  forget(hash: string): void {
    if (this.#entries.has(hash)) this.#remove(hash);
  }

  /** Deletes files to have space for one that will be written; undefined, and none is deleted, where it does not fit. */
  reserve(bytes: number): ReservedSpace | undefined {
    if (this.#reserved + this.#used + bytes > this.#limit) return undefined;
    const space = this.reserveAny();
    space.grow(bytes);
    return space;
  }

  /** The same for a file of unknown size that is written in any case. */
  reserveAny(): ReservedSpace {
    let taken = 0;
    return {
      grow: (bytes) => {
        taken += bytes;
        this.#reserved += bytes;
        this.#evict();
      },
      release: () => {
        this.#reserved -= taken;
        taken = 0;
      },
    };
  }

  /** Bytes of files in use. */
  get #used(): number {
    let used = 0;
    for (const { size, holds } of this.#entries.values()) if (holds > 0) used += size;
    return used;
  }

  /**
   * Moves a complete file in; its space is released. One that does not fit is deleted. The content must be on the disk, so
   * that a file that the next start finds is complete also after a power failure.
   */
  async add(hash: string, path: string, size: number, space: ReservedSpace): Promise<void> {
    const file = this.#file(hash);
    try {
      await mkdir(dirname(file), { recursive: true });
      for (let removal = this.#removals.get(hash); removal; removal = this.#removals.get(hash)) await removal;
      await rename(path, file);
    } finally {
      space.release();
    }
    this.#set(hash, size);
    this.#evict();
  }

  #set(hash: string, size: number): void {
    const entry = this.#entries.get(hash);
    // The same content was stored again.
    if (entry) return;
    this.#entries.set(hash, { size, holds: 0 });
    this.#bytes += size;
  }

  #evict(): void {
    if (this.bytes <= this.#limit) return;
    for (const [hash, { holds }] of this.#entries) {
      if (holds === 0) this.#remove(hash);
      if (this.bytes <= this.#limit) return;
    }
  }

  #remove(hash: string): void {
    this.#bytes -= this.#entries.get(hash)?.size ?? 0;
    this.#entries.delete(hash);
    const removal: Promise<void> = rm(this.#file(hash), { force: true })
      .catch(() => {})
      .finally(() => {
        if (this.#removals.get(hash) === removal) this.#removals.delete(hash);
      });
    this.#removals.set(hash, removal);
  }

  #file(hash: string): string {
    return join(this.#folder, blobName(hash));
  }
}

/** Flushes the content of a file to the disk. */
export async function flushFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.datasync().finally(() => handle.close());
}
