import { randomUUID } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { flushToDisk } from '../flush-to-disk.ts';
import { blobName } from './blob-name.ts';
import type { BlobRange, Blobs, ListedBlob, StagedBlob, StoredBlob } from './blobs.ts';
import { keepStaged } from './keep-staged.ts';
import { readPart } from './read-part.ts';
import { writeHashed } from './write-hashed.ts';

const ABANDONED_MS = 24 * 60 * 60 * 1000;
const STATS_AT_ONCE = 32;

/**
 * Opens a store of blobs as files, `ab/cdef…` by hash. A blob is written under another name, flushed and then renamed, so
 * that a file under its final name is complete even after a kill or a power failure.
 */
export async function openDiskBlobs(
  folder: string,
  /** Whether other processes use the folder too. */
  { isShared = false } = {},
): Promise<Blobs> {
  const unfinished = join(folder, 'unfinished');
  await mkdir(unfinished, { recursive: true });
  for (const name of await readdir(unfinished)) {
    const path = join(unfinished, name);
    if (!isShared || (await isAbandoned(path))) await rm(path, { force: true });
  }
  return new DiskBlobs(folder, unfinished);
}

/** In a shared folder a file may belong to a running process, unless it was not written for a day. */
async function isAbandoned(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > ABANDONED_MS;
}

class DiskBlobs implements Blobs {
  readonly #folder: string;
  readonly #unfinished: string;

  constructor(folder: string, unfinished: string) {
    this.#folder = folder;
    this.#unfinished = unfinished;
  }

  async put(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob> {
    return keepStaged(await this.stage(content));
  }

  async stage(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StagedBlob> {
    const path = join(this.#unfinished, randomUUID());
    const drop = () => rm(path, { force: true });
    try {
      const blob = await writeHashed(path, content, { isFlushed: true });
      return { ...blob, keep: () => this.#keep(path, this.#file(blob.hash)), drop };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  async #keep(path: string, file: string): Promise<void> {
    const isNew = (await mkdir(dirname(file), { recursive: true })) !== undefined;
    await rename(path, file);
    await flushToDisk(dirname(file));
    if (isNew) await flushToDisk(this.#folder);
  }

  open(hash: string, range?: BlobRange): Readable {
    return createReadStream(this.#file(hash), range ?? {});
  }

  async read(hash: string, range?: BlobRange): Promise<Buffer> {
    const file = this.#file(hash);
    return range ? readPart(file, range) : readFile(file);
  }

  openOnce(hash: string): Readable {
    return this.open(hash);
  }

  withSource<T>(hash: string, work: (source: string) => Promise<T>): Promise<T> {
    return work(resolve(this.#file(hash)));
  }

  async *list(): AsyncGenerator<ListedBlob> {
    for (const first of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(first)) continue;
      const names = (await readdir(join(this.#folder, first))).filter((rest) => /^[0-9a-f]{62}$/.test(rest));
      for (let at = 0; at < names.length; at += STATS_AT_ONCE) {
        const some = names.slice(at, at + STATS_AT_ONCE).map(async (rest) => {
          const found = await statOf(join(this.#folder, first, rest));
          return found ? [{ hash: first + rest, size: found.size, modified: found.mtimeMs }] : [];
        });
        yield* (await Promise.all(some)).flat();
      }
    }
  }

  remove(hash: string): Promise<void> {
    return rm(this.#file(hash), { force: true });
  }

  async size(hash: string): Promise<number | undefined> {
    return (await statOf(this.#file(hash)))?.size;
  }

  #file(hash: string): string {
    return join(this.#folder, blobName(hash));
  }
}

/** Undefined: the file is not there, or no longer. */
function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
