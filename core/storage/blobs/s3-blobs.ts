import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { ServiceError } from '../../errors.ts';
import { nextTurn } from '../../turns/turn.ts';
import { StorageStartError } from '../start-error.ts';
import { blobName } from './blob-name.ts';
import type { BlobRange, Blobs, StagedBlob, StoredBlob } from './blobs.ts';
import { Download } from './download.ts';
import { FileCache } from './file-cache.ts';
import { keepStaged } from './keep-staged.ts';
import type { S3Options } from './s3-options.ts';
import { writeFlushed } from './write-flushed.ts';

const CONNECT_MS = 2000;
/** A call without an answer, or a transfer without a byte, for so long has failed. */
const SILENT_MS = 10_000;
const RETRY_AFTER_S = '5';

/**
 * Opens a store of blobs as objects of a bucket, named by hash. Uploads and what was read last are cached as files.
 *
 * @throws StorageStartError where the bucket is missing or may not be used; one that cannot be reached is used later
 */
export async function openS3Blobs(options: S3Options): Promise<Blobs> {
  const { cache } = options;
  return new S3Blobs(await connect(options), options, await FileCache.open(cache.folder, cache.bytes));
}

/** The sizes of blobs in the bucket itself, for a check of it. */
export async function openS3Sizes(options: Omit<S3Options, 'cache'>): Promise<Pick<Blobs, 'size'>> {
  const client = await connect(options);
  return { size: (hash) => sizeOf(client, options.bucket, options.prefix + blobName(hash)) };
}

async function connect({
  endpoint,
  region,
  pathStyle,
  credentials,
  bucket,
}: Omit<S3Options, 'cache'>): Promise<S3Client> {
  const config: S3ClientConfig = {
    region,
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    // Other checksums than the signed hash would be sent as a trailer of chunks, which small servers refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
  };
  const client = new S3Client(config);
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
  } catch (error) {
    const status = statusOf(error);
    if (status !== undefined && status < 500)
      throw new StorageStartError(
        `The bucket '${bucket}' ${REFUSALS[status] ?? `answers ${status}`}; look at filesUrl.`,
      );
  }
  return client;
}

async function sizeOf(client: S3Client, bucket: string, key: string): Promise<number | undefined> {
  try {
    return (await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }))).ContentLength;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw unavailable(error);
  }
}

const REFUSALS: Readonly<Record<number, string>> = {
  301: 'is in another region',
  400: 'refuses the request, perhaps because of the region or the credentials',
  403: 'may not be used with these credentials',
  404: 'does not exist',
};

class S3Blobs implements Blobs {
  readonly #client: S3Client;
  readonly #options: S3Options;
  readonly #cache: FileCache;
  readonly #downloads = new Map<string, Promise<Download>>();

  constructor(client: S3Client, options: S3Options, cache: FileCache) {
    this.#client = client;
    this.#options = options;
    this.#cache = cache;
  }

  async put(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob> {
    return keepStaged(await this.#stage(content));
  }

  stage(content: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
    return this.#stage(content);
  }

  open(hash: string, range?: BlobRange): Readable {
    const cached = this.#cache.path(hash);
    if (cached !== undefined) return createReadStream(cached, range ?? {});
    const target = new PassThrough();
    this.#source(hash, this.#key(hash), range)
      .then((source) => pipeline(source, target))
      .catch((error: Error) => target.destroy(error));
    return target;
  }

  async #source(hash: string, key: string, range: BlobRange | undefined): Promise<Readable> {
    if (range && !this.#downloads.has(hash)) return this.#get(key, range);
    for (;;) {
      const cached = this.#cache.path(hash);
      if (cached !== undefined) return createReadStream(cached, range ?? {});
      const download = await this.#download(hash);
      const content = download.read();
      if (content) return range ? partOf(content, range) : content;
      // It ended meanwhile: the file is in the cache soon, or it was damaged, or all its readers have gone.
      await download.done.catch((error: Error) => {
        if (!download.isAbandoned) throw error;
      });
      await nextTurn();
    }
  }

  async read(hash: string, range?: BlobRange): Promise<Buffer> {
    const cached = this.#cache.path(hash);
    if (cached !== undefined && !range) return readFile(cached);
    return buffer(this.open(hash, range));
  }

  path(hash: string): string | undefined {
    return this.#cache.path(hash);
  }

  /** In the bucket: what is cached may be of another one, or of one that has lost it. */
  async size(hash: string): Promise<number | undefined> {
    return sizeOf(this.#client, this.#options.bucket, this.#key(hash));
  }

  async #stage(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StagedBlob> {
    const path = join(this.#cache.unfinished, randomUUID());
    const drop = () => rm(path, { force: true });
    try {
      const blob = await writeFlushed(path, content);
      const keep = async () => {
        const isCached = this.#cache.path(blob.hash) !== undefined;
        if (isCached && (await this.size(blob.hash)) === blob.size) return drop();
        await this.#upload(path, blob);
        await this.#cache.add(blob.hash, path, blob.size);
      };
      return { ...blob, keep, drop };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  async #upload(path: string, { hash, size }: StoredBlob): Promise<void> {
    const content = createReadStream(path);
    // The client neither listens for its errors nor closes it where the call fails.
    const failed = new AbortController();
    content.once('error', (error) => failed.abort(error));
    const command = new PutObjectCommand({
      Bucket: this.#options.bucket,
      Key: this.#key(hash),
      Body: size === 0 ? '' : content,
      ContentLength: size,
    });
    // The signature covers it, so that the server refuses other bytes.
    command.middlewareStack.add(
      (next) => (call) => {
        (call.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = hash;
        return next(call);
      },
      { step: 'build', name: 'signedHash' },
    );
    try {
      await this.#client.send(command, { abortSignal: failed.signal });
    } catch (error) {
      throw failed.signal.reason ?? unavailable(error);
    } finally {
      content.destroy();
    }
  }

  /** One transfer for all who read the blob meanwhile. */
  #download(hash: string): Promise<Download> {
    const running = this.#downloads.get(hash);
    if (running) return running;
    const path = join(this.#cache.unfinished, randomUUID());
    const started = this.#get(this.#key(hash)).then((content) => Download.start(path, content, hash));
    this.#downloads.set(hash, started);
    started
      .then(async ({ done }) => this.#cache.add(hash, path, await done))
      .catch(() => rm(path, { force: true }))
      .finally(() => this.#downloads.delete(hash));
    return started;
  }

  async #get(key: string, range?: BlobRange): Promise<Readable> {
    try {
      const answer = await this.#client.send(
        new GetObjectCommand({
          Bucket: this.#options.bucket,
          Key: key,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      );
      if (range && answer.$metadata.httpStatusCode !== 206) throw new Error('The store ignores ranges.');
      return answer.Body as Readable;
    } catch (error) {
      if (statusOf(error) === 404) throw new Error(`There is no stored file '${key}'.`, { cause: error });
      throw unavailable(error);
    }
  }

  #key(hash: string): string {
    return this.#options.prefix + blobName(hash);
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'unavailable',
    'The store of files does not answer at present. Try again shortly.',
    {
      headers: { 'retry-after': RETRY_AFTER_S },
      cause,
    },
  );
}

/** The part of a stream that is read from its start. */
function partOf(source: Readable, { start, end }: BlobRange): Readable {
  async function* part() {
    let at = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const from = Math.max(0, start - at);
      const to = Math.min(chunk.length, end + 1 - at);
      at += chunk.length;
      if (from < to) yield chunk.subarray(from, to);
      if (at > end) return;
    }
  }
  const readable = Readable.from(part(), { objectMode: false });
  // Also where it was never read.
  return readable.once('close', () => source.destroy());
}
