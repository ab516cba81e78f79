import type { Readable } from 'node:stream';

export interface StoredBlob {
  /** SHA-256 of the content, hex; its name. */
  readonly hash: string;
  readonly size: number;
}

/** Bytes by their hash: written once, never changed, stored once however often they come. */
export interface Blobs {
  /** Resolves when the content is durable; of a write that failed nothing remains. */
  put(content: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob>;
  /** @param range first and last byte, both inclusive */
  open(hash: string, range?: { readonly start: number; readonly end: number }): Readable;
  /** Bytes; undefined when there is no such blob. */
  size(hash: string): Promise<number | undefined>;
}
