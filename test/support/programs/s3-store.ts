/** A real store with an S3 API for a test file: buckets, options of core for them, and what they hold. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from '../../../core/storage/blobs/s3-options.ts';
import { type RunningSwift, runSwift, SWIFT_KEY, SWIFT_SECRET } from './run-swift.ts';

export const STORE_CREDENTIALS = { accessKeyId: SWIFT_KEY, secretAccessKey: SWIFT_SECRET };

export class S3Store {
  readonly swift: RunningSwift;
  readonly client: S3Client;
  readonly #folders: string[] = [];
  #count = 0;

  private constructor(swift: RunningSwift) {
    this.swift = swift;
    this.client = new S3Client({
      endpoint: swift.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: STORE_CREDENTIALS,
      // On a busy machine Swift asks for patience.
      maxAttempts: 20,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
  }

  static async start(): Promise<S3Store> {
    return new S3Store(await runSwift());
  }

  get port(): number {
    return Number(new URL(this.swift.endpoint).port);
  }

  async newBucket(): Promise<string> {
    this.#count += 1;
    await this.client.send(new CreateBucketCommand({ Bucket: `bucket-${this.#count}` }));
    return `bucket-${this.#count}`;
  }

  async newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-s3-'));
    this.#folders.push(folder);
    return folder;
  }

  /** A new bucket with an empty cache, unless `more` says otherwise. */
  async options(more: Partial<S3Options> = {}): Promise<S3Options> {
    return {
      bucket: more.bucket ?? (await this.newBucket()),
      prefix: 'site/',
      endpoint: this.swift.endpoint,
      region: 'us-east-1',
      pathStyle: true,
      credentials: STORE_CREDENTIALS,
      cache: { folder: await this.newFolder(), bytes: 100_000_000 },
      ...more,
    };
  }

  /** Settings of a service whose files are in the bucket. */
  settings(bucket: string, prefix = 'one', endpoint = this.swift.endpoint): Record<string, string> {
    return {
      HEADWATER_FILES_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&pathStyle=true`,
      HEADWATER_FILES__ACCESS_KEY_ID: SWIFT_KEY,
      HEADWATER_FILES__SECRET_ACCESS_KEY: SWIFT_SECRET,
    };
  }

  /** Names of all objects of a bucket. */
  async stored(bucket: string): Promise<string[]> {
    const { Contents = [] } = await this.client.send(new ListObjectsCommand({ Bucket: bucket }));
    return Contents.map(({ Key = '' }) => Key);
  }

  /** Puts an object, for example one whose bytes do not have the hash of its name. */
  async replace(bucket: string, name: string, content: Uint8Array): Promise<void> {
    await this.client.send(
      new PutObjectCommand({ Bucket: bucket, Key: name, Body: content, ContentLength: content.length }),
    );
  }

  async end(): Promise<void> {
    this.client.destroy();
    await this.swift.end();
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}
