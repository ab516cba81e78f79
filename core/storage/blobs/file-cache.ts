import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { blobName } from './blob-name.ts';

/** Files of blobs that are stored elsewhere: bounded in bytes, the one that was used longest ago is deleted first. */
export class FileCache {
  readonly #folder: string;
  readonly #sizes: LRUCache<string, number>;

  private constructor(folder: string, bytes: number) {
    this.#folder = folder;
    this.#sizes = new LRUCache({
      maxSize: bytes,
      sizeCalculation: (size) => Math.max(1, size),
      dispose: (_size, hash, reason) => {
        // Running reads of it end well: the file has no name then.
        if (reason === 'evict' || reason === 'delete') rm(this.#file(hash), { force: true }).catch(() => {});
      },
    });
  }

  /** Finds the files of an earlier process; `unfinished` is for files that are being written. */
  static async open(folder: string, bytes: number): Promise<FileCache> {
    const cache = new FileCache(folder, bytes);
    await rm(cache.unfinished, { recursive: true, force: true });
    await mkdir(cache.unfinished, { recursive: true });
    const found: { hash: string; size: number; used: number }[] = [];
    for (const name of await readdir(folder)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      for (const rest of await readdir(join(folder, name))) {
        if (!/^[0-9a-f]{62}$/.test(rest)) continue;
        const { size, mtimeMs } = await stat(join(folder, name, rest));
        found.push({ hash: name + rest, size, used: mtimeMs });
      }
    }
    found.sort((one, other) => one.used - other.used);
    for (const { hash, size } of found) cache.#sizes.set(hash, size);
    return cache;
  }

  get unfinished(): string {
    return join(this.#folder, 'unfinished');
  }

  /** The file of the blob, if it is cached. */
  path(hash: string): string | undefined {
    return this.#sizes.get(hash) === undefined ? undefined : this.#file(hash);
  }

  /** Moves a complete file in. One that is larger than the cache is deleted. */
  async add(hash: string, path: string, size: number): Promise<void> {
    const file = this.#file(hash);
    await mkdir(join(file, '..'), { recursive: true });
    // A file that is found at the next start is complete, also after a power failure.
    const handle = await open(path, 'r');
    await handle.datasync().finally(() => handle.close());
    await rename(path, file);
    this.#sizes.set(hash, size);
    if (!this.#sizes.has(hash)) await rm(file, { force: true });
  }

  #file(hash: string): string {
    return join(this.#folder, blobName(hash));
  }
}
