import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { StartError } from '../../../config/start-error.ts';
import { ServiceError } from '../../errors.ts';
import { isDiskFull } from '../full-disk.ts';
import type { BlobRange, Blobs, ListedBlob, RemoteStore, StagedBlob, StoredBlob } from './blobs.ts';
import { Download, damaged } from './download.ts';
import { FileCache, flushFile, type HeldFile, type ReservedSpace } from './file-cache.ts';
import { keepStaged } from './keep-staged.ts';
import { readPart } from './read-part.ts';
import { type ReceivedContent, S3Bucket } from './s3-bucket.ts';
import type { S3Options } from './s3-options.ts';
import { writeHashed } from './write-hashed.ts';

/** A source that is not cached after so many transfers is passed as bytes. */
const MOST_TRANSFERS = 3;

/** A transfer for all who read a blob; undefined where the cache has no space for it. */
interface Transfer {
  readonly download: Promise<Download | undefined>;
  /** Resolves when the file is in the cache, or not. */
  readonly ended: Promise<void>;
}

/**
 * Opens a store of blobs as objects of a bucket, named by hash. Uploads and what was read last are cached as files.
 *
 * @throws StartError where the bucket is missing or may not be used; one that cannot be reached is used later
 */
export async function openS3Blobs(options: S3Options): Promise<S3Blobs> {
  const { cache } = options;
  return new S3Blobs(await S3Bucket.open(options), await FileCache.open(cache.folder, cache.bytes));
}

class S3Blobs implements Blobs {
  readonly #bucket: S3Bucket;
  readonly #cache: FileCache;
  readonly #transfers = new Map<string, Transfer>();
  #installation: string | undefined;
  #isClaimed = true;
  #hits = 0;
  #misses = 0;

  constructor(bucket: S3Bucket, cache: FileCache) {
    this.#bucket = bucket;
    this.#cache = cache;
  }

  readonly remote: RemoteStore = {
    claim: async (installation) => {
      this.#installation = installation;
      this.#isClaimed = false;
      await this.#claim().catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
      });
    },
    owner: () => this.#bucket.owner(),
    health: () => this.#bucket.health(),
    figures: () => ({
      bytes: this.#cache.bytes,
      entries: this.#cache.entries,
      hits: this.#hits,
      misses: this.#misses,
      ...this.#bucket.figures(),
    }),
  };

  async #claim(): Promise<void> {
    if (this.#isClaimed || this.#installation === undefined) return;
    const owner = await this.#bucket.takeOwnership(this.#installation);
    if (owner !== this.#installation) throw otherInstallation(this.#bucket.markerName);
    this.#isClaimed = true;
  }

  async put(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob> {
    return keepStaged(await this.stage(content));
  }

  async stage(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StagedBlob> {
    const path = join(this.#cache.unfinished, randomUUID());
    const space = this.#cache.reserveAny();
    const drop = async () => {
      space.release();
      await rm(path, { force: true });
    };
    try {
      await this.#cache.makeUnfinished();
      const blob = await writeHashed(path, content, { isFlushed: false, written: space.grow });
      return { ...blob, keep: () => this.#keep(path, blob, space), drop };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  async #keep(path: string, blob: StoredBlob, space: ReservedSpace): Promise<void> {
    await this.#claim().catch((cause: unknown) => {
      if (!(cause instanceof StartError)) throw cause;
      throw new ServiceError('unavailable', 'Files cannot be stored at present. Try again later.', { cause });
    });
    const flushed = flushFile(path);
    flushed.catch(() => {});
    const isStored = this.#cache.has(blob.hash) && (await this.size(blob.hash)) === blob.size;
    if (!isStored) await this.#bucket.put(path, blob);
    await flushed;
    await this.#cache.add(blob.hash, path, blob.size, space);
  }

  open(hash: string, range?: BlobRange): Readable {
    const held = this.#cache.hold(hash);
    if (!held) return streamOf(this.#content(hash, range));
    this.#hits += 1;
    return this.#cached(held, hash, range);
  }

  #cached({ path, release }: HeldFile, hash: string, range: BlobRange | undefined): Readable {
    return (
      createReadStream(path, range ?? {})
        // The next read takes it from the store.
        .once('error', () => this.#cache.forget(hash))
        .once('close', release)
    );
  }

  openOnce(hash: string): Readable {
    return this.#cache.has(hash) ? this.open(hash) : streamOf(this.#uncached(hash));
  }

  async read(hash: string, range?: BlobRange): Promise<Buffer> {
    const held = this.#cache.hold(hash);
    if (held) {
      try {
        const content = await (range ? readPart(held.path, range) : readFile(held.path));
        this.#hits += 1;
        return content;
      } catch {
        this.#cache.forget(hash);
      } finally {
        held.release();
      }
    }
    return buffer(streamOf(this.#content(hash, range)));
  }

  async withSource<T>(hash: string, work: (source: string | Uint8Array) => Promise<T>): Promise<T> {
    for (let transfers = 0; transfers < MOST_TRANSFERS; transfers += 1) {
      const held = this.#cache.hold(hash);
      if (held) {
        if (transfers === 0) this.#hits += 1;
        return work(held.path).finally(held.release);
      }
      const { download, ended } = this.#transfer(hash);
      const running = await download;
      if (!running) break;
      const leave = running.join();
      try {
        await running.done;
      } catch (error) {
        if (isDiskFull(error)) break;
        if (!running.isAbandoned) throw error;
      } finally {
        leave?.();
      }
      await ended;
    }
    return work(await buffer(streamOf(this.#uncached(hash))));
  }

  isCached(hash: string): boolean {
    return this.#cache.has(hash);
  }

  /** In the bucket: what is cached may be of another one, or of one that has lost it. */
  size(hash: string): Promise<number | undefined> {
    return this.#bucket.size(hash);
  }

  list(): AsyncIterable<ListedBlob> {
    return this.#bucket.list();
  }

  async remove(hash: string): Promise<void> {
    await this.#bucket.remove(hash);
    this.#cache.forget(hash);
  }

  async *#content(hash: string, range: BlobRange | undefined): AsyncGenerator<Buffer> {
    if (range && !this.#transfers.has(hash)) {
      this.#misses += 1;
      const part = await this.#bucket.get(hash, range);
      if (part) return yield* this.#parts(hash, range, part);
    }
    for (;;) {
      const held = this.#cache.hold(hash);
      if (held) return yield* this.#cached(held, hash, range);
      const { download, ended } = this.#transfer(hash);
      const running = await download;
      if (!running) return yield* this.#uncached(hash, range);
      const leave = running.join();
      if (leave) {
        let { start, end } = range ?? { start: 0, end: Number.POSITIVE_INFINITY };
        try {
          for await (const chunk of partOf(running.follow(), { start, end })) {
            yield chunk;
            start += chunk.length;
          }
          return;
        } catch (error) {
          if (!isDiskFull(error)) throw error;
        } finally {
          leave();
        }
        return yield* this.#uncached(hash, { start, end });
      }
      // It ended meanwhile: the file is in the cache soon, or it was damaged or not stored, or all its readers have gone.
      await running.done.catch((error: Error) => {
        if (!running.isAbandoned && !isDiskFull(error)) throw error;
      });
      await ended;
    }
  }

  /** Straight from the store, compared with its hash; a store without ranges sends all of it for a part. */
  async *#uncached(hash: string, range?: BlobRange): AsyncGenerator<Buffer> {
    const whole = await this.#bucket.get(hash);
    if (whole?.size === undefined) {
      whole?.cancel();
      throw new Error(`The store does not say how large the stored file ${hash} is.`);
    }
    const content = checked(this.#parts(hash, { start: 0, end: whole.size - 1 }, whole), hash);
    yield* range ? partOf(content, range) : content;
  }

  /** Ends the transfer to a reader that pauses, and continues with the rest when it reads on. */
  async *#parts(
    hash: string,
    { start, end }: BlobRange,
    first: ReceivedContent | undefined,
  ): AsyncGenerator<Buffer> {
    let part = first;
    for (let at = start; ; ) {
      if (!part) throw new Error(`The store ignores ranges, so the rest of ${hash} cannot be read.`);
      const { content, cancel } = part;
      let isPaused = false;
      for await (const chunk of content) {
        at += chunk.length;
        const timer = setTimeout(() => {
          isPaused = true;
          cancel();
        }, this.#bucket.deadlines.paused);
        try {
          yield chunk;
        } finally {
          clearTimeout(timer);
        }
        if (isPaused) break;
      }
      if (at > end) return;
      part = await this.#bucket.get(hash, { start: at, end });
    }
  }

  /** One transfer for all who read the blob meanwhile. */
  #transfer(hash: string): Transfer {
    const running = this.#transfers.get(hash);
    if (running) return running;
    this.#misses += 1;
    const path = join(this.#cache.unfinished, randomUUID());
    let space: ReservedSpace | undefined;
    const start = async () => {
      await this.#cache.makeUnfinished();
      const received = await this.#bucket.get(hash);
      space = received?.size === undefined ? undefined : this.#cache.reserve(received.size);
      if (received && space)
        return { size: received.size, download: await Download.start(path, received, hash) };
      received?.cancel();
      return undefined;
    };
    const started = start();
    const end = async () => {
      try {
        const found = await started;
        if (found && space) {
          await found.download.done;
          await flushFile(path);
          await this.#cache.add(hash, path, found.size ?? 0, space);
        }
      } catch {
        // Its readers get the error, later ones another transfer.
        this.#transfers.delete(hash);
        space?.release();
        await rm(path, { force: true });
        return;
      }
      this.#transfers.delete(hash);
    };
    const download = started.then(
      (found) => found?.download,
      (error: unknown) => {
        if (!isDiskFull(error)) throw error;
        return undefined;
      },
    );
    const transfer = { download, ended: end() };
    this.#transfers.set(hash, transfer);
    return transfer;
  }
}

function otherInstallation(marker: string): StartError {
  return new StartError(
    `Another installation uses the bucket and prefix of filesUrl; give this one a prefix of its own, or delete the object '${marker}' where the other one no longer exists.`,
  );
}

function streamOf(content: AsyncGenerator<Buffer>): Readable {
  return Readable.from(content, { objectMode: false });
}

/** The last chunk follows when the hash is known to be right. */
async function* checked(content: AsyncIterable<Buffer>, expected: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let last: Buffer | undefined;
  for await (const chunk of content) {
    if (last) yield last;
    hash.update(chunk);
    last = chunk;
  }
  if (hash.digest('hex') !== expected) throw damaged(expected);
  if (last) yield last;
}

/** The part of content that is read from its start. */
async function* partOf(content: AsyncIterable<Buffer>, { start, end }: BlobRange): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of content) {
    const from = Math.max(0, start - at);
    const to = Math.min(chunk.length, end + 1 - at);
    at += chunk.length;
    if (from < to) yield chunk.subarray(from, to);
    if (at > end) return;
  }
}
