import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { blobName } from './blob-name.ts';
import type { BlobRange, ListedBlob, RemoteFigures, StoredBlob } from './blobs.ts';
import { FileBody } from './file-body.ts';
import { S3Calls, unavailable } from './s3-calls.ts';
import { failedCode, isOutage, refusalOf, statusOf } from './s3-failures.ts';
import { S3_DEADLINES, type S3BucketOptions, type S3Deadlines } from './s3-options.ts';

/** Transfers at a time. */
const CONNECTIONS = 256;
/** Health is reported by the last call, unless that was longer ago. */
const PROBE_MS = 5000;
/** Below the prefix: names the installation that uses it. */
const MARKER = 'headwater.json';
/** The library writes to the console where it has no logger. */
const SILENT_LOG = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
// It warns of a Node older than its later releases need, on standard error, where each line is JSON. Its release is pinned.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** The content of an object as it arrives. Reading it fails when the store pauses for too long or ends early. */
export interface ReceivedContent {
  /** Of the whole object; undefined where the store does not say. */
  readonly size: number | undefined;
  readonly content: AsyncIterable<Buffer>;
  /** Ends the transfer; reading fails then. */
  cancel(): void;
}

/** The calls of one bucket. Blobs are objects named by their hash, `<prefix>ab/cdef…`. */
export class S3Bucket {
  readonly #client: S3Client;
  readonly #options: S3BucketOptions;
  readonly deadlines: S3Deadlines;
  readonly #calls: S3Calls;

  private constructor(options: S3BucketOptions) {
    const { endpoint, region, pathStyle, credentials } = options;
    this.#options = options;
    this.deadlines = options.deadlines ?? S3_DEADLINES;
    this.#calls = new S3Calls(options, this.deadlines);
    const agent = { keepAlive: true, maxSockets: CONNECTIONS };
    this.#client = new S3Client({
      region,
      forcePathStyle: pathStyle,
      maxAttempts: 2,
      // Other checksums than the signed hash would be sent as a trailer of chunks, which small servers refuse.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // The deadlines of `S3Calls` count only while the store is the one that is waited for.
      requestHandler: {
        connectionTimeout: this.deadlines.connect,
        socketTimeout: 0,
        httpAgent: agent,
        httpsAgent: agent,
      },
      logger: SILENT_LOG,
      ...(endpoint && { endpoint }),
      ...(credentials && { credentials }),
    });
  }

  /** @throws StartError where the bucket is missing or may not be used; one that cannot be reached is used later */
  static async open(options: S3BucketOptions): Promise<S3Bucket> {
    const bucket = new S3Bucket(options);
    try {
      await bucket.#readMarker();
    } catch (error) {
      const refusal = refusalOf(error, options);
      if (refusal) throw refusal;
    }
    return bucket;
  }

  /** @returns the installation that uses the bucket; undefined where there is none */
  async owner(): Promise<string | undefined> {
    return this.#marker(() => this.#readMarker());
  }

  /** Records an installation as the owner where there is none. @returns the owner */
  async takeOwnership(installation: string): Promise<string | undefined> {
    return this.#marker(async () => {
      const owner = await this.#readMarker();
      if (owner !== undefined) return owner;
      const write = async (condition: { readonly IfNoneMatch?: '*' }) => {
        const command = new PutObjectCommand({
          ...this.#object(MARKER),
          Body: JSON.stringify({ installation }),
          ContentType: 'application/json',
          ...condition,
        });
        await this.#calls.call('put', (abortSignal) => this.#client.send(command, { abortSignal }));
      };
      await write({ IfNoneMatch: '*' }).catch((error: unknown) => {
        // A store without conditions.
        if (statusOf(error) === 501) return write({});
        // Another process was faster; what it wrote is read below.
        if (statusOf(error) !== 412 && statusOf(error) !== 409) throw error;
        return undefined;
      });
      return this.#readMarker();
    });
  }

  get markerName(): string {
    return `${this.#options.bucket}/${this.#options.prefix}${MARKER}`;
  }

  async #marker<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw refusalOf(error, this.#options) ?? unavailable(error);
    }
  }

  async #readMarker(): Promise<string | undefined> {
    try {
      const text = await this.#calls.call('get', async (abortSignal) => {
        const { Body } = await this.#client.send(new GetObjectCommand(this.#object(MARKER)), { abortSignal });
        return Body?.transformToString();
      });
      const { installation } = JSON.parse(text ?? '') as { installation?: unknown };
      if (typeof installation !== 'string') throw new SyntaxError('no installation');
      return installation;
    } catch (error) {
      if (failedCode(error) === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  async size(hash: string): Promise<number | undefined> {
    try {
      const command = new HeadObjectCommand(this.#object(blobName(hash)));
      const { ContentLength } = await this.#calls.call('head', (abortSignal) =>
        this.#client.send(command, { abortSignal }),
      );
      return ContentLength;
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw unavailable(error);
    }
  }

  /** @returns undefined where the store ignores ranges */
  async get(hash: string, range?: BlobRange): Promise<ReceivedContent | undefined> {
    const name = blobName(hash);
    const command = new GetObjectCommand({
      ...this.#object(name),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    });
    try {
      const answer = await this.#calls.call('get', (abortSignal) =>
        this.#client.send(command, { abortSignal }),
      );
      const body = answer.Body as Readable;
      // No caller waits for an unread answer that is cancelled.
      body.on('error', () => {});
      let isCancelled = false;
      const cancel = () => {
        isCancelled = true;
        body.destroy();
      };
      const received = (length: number | undefined) => this.#calls.received(body, length, () => isCancelled);
      if (!range) {
        const size = answer.ContentLength;
        return { size, content: received(size), cancel };
      }
      if (answer.$metadata.httpStatusCode !== 206) {
        cancel();
        return undefined;
      }
      const size = sizeIfRange(answer.ContentRange, range);
      if (size === undefined) {
        cancel();
        throw new Error(`The store answers another range than ${range.start}-${range.end}.`);
      }
      return { size, content: received(range.end - range.start + 1), cancel };
    } catch (error) {
      if (statusOf(error) === 404) throw new Error(`There is no stored file '${name}'.`, { cause: error });
      throw unavailable(error);
    }
  }

  /** Stores the content of a file, with its hash as the signed checksum, so that the store accepts no other bytes. */
  async put(path: string, { hash, size }: StoredBlob): Promise<void> {
    try {
      // The library repeats no streams.
      await this.#put(path, hash, size).catch((error: unknown) => {
        if (!isOutage(error) || (error as Error).name === 'TimeoutError') throw error;
        return this.#put(path, hash, size);
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).path === path) throw error;
      throw unavailable(error);
    }
  }

  async #put(path: string, hash: string, size: number): Promise<void> {
    const content = new FileBody(path);
    // The client neither listens for its errors nor closes it where the call fails.
    const failed = new AbortController();
    content.once('error', (error) => failed.abort(error));
    const command = new PutObjectCommand({
      ...this.#object(blobName(hash)),
      Body: size === 0 ? '' : content,
      ContentLength: size,
    });
    command.middlewareStack.add(
      (next) => (call) => {
        (call.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = hash;
        return next(call);
      },
      { step: 'build', name: 'signedHash' },
    );
    try {
      await this.#calls.call(
        'put',
        (abortSignal) =>
          this.#client.send(command, { abortSignal: AbortSignal.any([failed.signal, abortSignal]) }),
        () => content.sent,
      );
    } catch (error) {
      throw failed.signal.reason ?? error;
    } finally {
      content.destroy();
    }
  }

  async *list(): AsyncGenerator<ListedBlob> {
    const { bucket: Bucket, prefix } = this.#options;
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket,
        Prefix: prefix,
        ...(token !== undefined && { ContinuationToken: token }),
      });
      const { Contents = [], NextContinuationToken } = await this.#calls
        .call('list', (abortSignal) => this.#client.send(command, { abortSignal }))
        .catch((error: unknown) => {
          throw unavailable(error);
        });
      for (const { Key = '', Size = 0, LastModified } of Contents) {
        const [, first, rest] = /^([0-9a-f]{2})\/([0-9a-f]{62})$/.exec(Key.slice(prefix.length)) ?? [];
        if (first !== undefined && rest !== undefined)
          yield { hash: first + rest, size: Size, modified: LastModified?.getTime() ?? Date.now() };
      }
      // A store that repeats itself would be read without end.
      token = NextContinuationToken === token ? undefined : NextContinuationToken;
    } while (token !== undefined);
  }

  async remove(hash: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#object(blobName(hash)));
    await this.#calls
      .call('delete', (abortSignal) => this.#client.send(command, { abortSignal }))
      .catch((error: unknown) => {
        throw unavailable(error);
      });
  }

  health(): { readonly ok: boolean; readonly detail: string } {
    // The result is that of a later report: a probe must not wait for a store that is silent.
    if (performance.now() - this.#calls.last > PROBE_MS) this.#readMarker().catch(() => {});
    const name = `bucket ${this.#options.bucket}`;
    const { failure } = this.#calls;
    return failure === undefined
      ? { ok: true, detail: `${name} answers` }
      : { ok: false, detail: `${name}: ${failure}` };
  }

  figures(): Pick<RemoteFigures, 'calls' | 'failures'> {
    return this.#calls.figures();
  }

  #object(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#options.prefix + name };
  }
}

/** The size of the object if `Content-Range` (RFC 9110, 14.4) is the range; else undefined. */
function sizeIfRange(header: string | undefined, { start, end }: BlobRange): number | undefined {
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header ?? '') ?? [];
  return Number(first) === start && Number(last) === end ? Number(size) : undefined;
}
