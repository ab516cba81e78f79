import type { Readable } from 'node:stream';

/** First and last byte, both inclusive. */
export interface BlobRange {
  readonly start: number;
  readonly end: number;
}

export interface StoredBlob {
  /** SHA-256 of the content, hex; its name. */
  readonly hash: string;
  readonly size: number;
}

/** Content that nobody can read yet, and that is gone with the process. */
export interface StagedBlob extends StoredBlob {
  /** Makes it a blob; resolves when that is durable. */
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/** Bytes by their hash: written once, never changed, stored once however often they come. */
export interface Blobs {
  /** Resolves when the content is durable; of a write that failed nothing remains. */
  put(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob>;
  /** Takes the content in without making it a blob, for work that may yet be given up. */
  stage(content: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  open(hash: string, range?: BlobRange): Readable;
  /** All of it, or the range, in memory. */
  read(hash: string, range?: BlobRange): Promise<Buffer>;
  /** Where other processes of this machine can read it; undefined where it is not on a disk of ours. */
  path(hash: string): string | undefined;
  /** Bytes; undefined when there is no such blob. */
  size(hash: string): Promise<number | undefined>;
}
