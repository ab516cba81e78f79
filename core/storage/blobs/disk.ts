import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobRange, Blobs, StagedBlob, StoredBlob } from './blobs.ts';

/**
 * Opens a store of blobs as files, `ab/cdef…` by hash. A blob is written under another name, flushed and then renamed, so
 * that a file under its final name is complete even after a kill or a power failure.
 */
export async function openDiskBlobs(folder: string): Promise<Blobs> {
  const unfinished = join(folder, 'unfinished');
  await mkdir(unfinished, { recursive: true });
  // The data folder has one owner, so these files belong to a process that has ended.
  for (const name of await readdir(unfinished)) await rm(join(unfinished, name), { force: true });
  return new DiskBlobs(folder, unfinished);
}

class DiskBlobs implements Blobs {
  readonly #folder: string;
  readonly #unfinished: string;

  constructor(folder: string, unfinished: string) {
    this.#folder = folder;
    this.#unfinished = unfinished;
  }

  async put(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob> {
    const { hash, size, keep, drop } = await this.stage(content);
    try {
      await keep();
      return { hash, size };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  async stage(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StagedBlob> {
    const path = join(this.#unfinished, randomUUID());
    const drop = () => rm(path, { force: true });
    try {
      const blob = await writeFlushed(path, content);
      return { ...blob, keep: () => this.#keep(path, this.#file(blob.hash)), drop };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  async #keep(path: string, file: string): Promise<void> {
    const isNew = (await mkdir(dirname(file), { recursive: true })) !== undefined;
    await rename(path, file);
    await flushFolder(dirname(file));
    if (isNew) await flushFolder(this.#folder);
  }

  open(hash: string, range?: BlobRange): Readable {
    return createReadStream(this.#file(hash), range ?? {});
  }

  async read(hash: string, range?: BlobRange): Promise<Buffer> {
    if (!range) return readFile(this.#file(hash));
    const file = await open(this.#file(hash), 'r');
    try {
      const length = range.end - range.start + 1;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, range.start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  path(hash: string): string {
    return resolve(this.#file(hash));
  }

  async size(hash: string): Promise<number | undefined> {
    try {
      return (await stat(this.#file(hash))).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #file(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`'${hash}' is no SHA-256.`);
    return join(this.#folder, hash.slice(0, 2), hash.slice(2));
  }
}

async function writeFlushed(
  path: string,
  content: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let size = 0;
  const file: FileHandle = await open(path, 'wx');
  try {
    const write = async (chunk: Uint8Array) => {
      hash.update(chunk);
      size += chunk.byteLength;
      await file.writeFile(chunk);
    };
    if (content instanceof Uint8Array) await write(content);
    else for await (const chunk of content) await write(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
  return { hash: hash.digest('hex'), size };
}

/** A rename is durable when its folder is flushed, a new folder when its parent is. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
