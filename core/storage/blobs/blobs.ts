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

export interface ListedBlob extends StoredBlob {
  /** When it was last stored, in milliseconds since 1970. */
  readonly modified: number;
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
  /** For work that reads many blobs once: they displace nothing in a cache. */
  openOnce(hash: string): Readable;
  /** All of it, or the range, in memory. */
  read(hash: string, range?: BlobRange): Promise<Buffer>;
  /**
   * Runs `work` with the content: a file that stays until `work` ends, so that other processes of this machine can read
   * it, or bytes.
   */
  withSource<T>(hash: string, work: (source: string | Uint8Array) => Promise<T>): Promise<T>;
  /** Bytes; undefined when there is no such blob. */
  size(hash: string): Promise<number | undefined>;
  /** All blobs, in no order. */
  list(): AsyncIterable<ListedBlob>;
  /** Deletes a blob. No row may name it, and no other process may be storing it. */
  remove(hash: string): Promise<void>;
  /** Undefined for files of this machine. */
  readonly remote?: RemoteStore;
}

/** What a store outside this machine has in addition. */
export interface RemoteStore {
  /**
   * Records the installation as the only one that uses the store, or compares it with the recorded one. While the store
   * cannot be reached, the first upload does that.
   * @throws StartError where another installation uses it
   */
  claim(installation: string): Promise<void>;
  /** The recorded installation, if there is one. */
  owner(): Promise<string | undefined>;
  /** The result of the last call. */
  health(): { readonly ok: boolean; readonly detail: string };
  figures(): RemoteFigures;
}

export interface RemoteFigures {
  /** Of the local cache. */
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  /** Calls of the store by kind, and those that failed. */
  readonly calls: Readonly<Record<string, number>>;
  readonly failures: number;
}
