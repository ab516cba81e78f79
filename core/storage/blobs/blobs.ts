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

/** Content that is not readable yet; it is lost when the process ends. */
export interface StagedBlob extends StoredBlob {
  /** Makes it a blob; resolves when it is durable. */
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/** Bytes by their hash: stored once, never changed. */
export interface Blobs {
  /** Resolves when the content is durable. A failed write leaves nothing. */
  put(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob>;
  /** Stores the content without making it a blob, for work that may still be abandoned. */
  stage(content: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  open(hash: string, range?: BlobRange): Readable;
  /** All of it, or the range, in memory. */
  read(hash: string, range?: BlobRange): Promise<Buffer>;
  /** The file that other processes of this machine can read; undefined for a store without files. */
  path(hash: string): string | undefined;
  /** Bytes; undefined when there is no such blob. */
  size(hash: string): Promise<number | undefined>;
}
