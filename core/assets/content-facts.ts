import { HeaderReader } from '../images/header/header-reader.ts';
import type { ImageHeader } from '../images/header/image-header.ts';
import type { Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { SNIFFED_BYTES, sniffType } from './sniff-type.ts';

/** Properties of stored content, detected from its bytes. */
export interface ContentFacts {
  /** Media type if it is one that `sniffType` detects. */
  readonly sniffed: string | null;
  /** Of a JPEG, PNG, GIF or WebP. */
  readonly image: ImageHeader | null;
}

/** Detects them while the content is streamed. */
export class ContentReader {
  readonly #header = new HeaderReader();
  readonly #head = Buffer.alloc(SNIFFED_BYTES);
  #length = 0;

  /** The rest of the content is not needed. */
  get done(): boolean {
    return this.#header.done && this.#length === SNIFFED_BYTES;
  }

  get facts(): ContentFacts {
    return {
      sniffed: sniffType(this.#head.subarray(0, this.#length)) ?? null,
      image: this.#header.header ?? null,
    };
  }

  write(chunk: Uint8Array): void {
    if (this.#length < SNIFFED_BYTES) {
      this.#head.set(chunk.subarray(0, SNIFFED_BYTES - this.#length), this.#length);
      this.#length = Math.min(SNIFFED_BYTES, this.#length + chunk.byteLength);
    }
    this.#header.write(chunk);
  }
}

export async function readFacts(content: AsyncIterable<Uint8Array>): Promise<ContentFacts> {
  const reader = new ContentReader();
  for await (const chunk of content) {
    reader.write(chunk);
    if (reader.done) break;
  }
  return reader.facts;
}

interface FactsRow {
  readonly sniffed: string | null;
  readonly format: ImageHeader['format'] | null;
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
  readonly frames: number;
  readonly alpha: number;
}

export async function loadFacts(sql: Sql, hash: string): Promise<ContentFacts | undefined> {
  const row = await sql.get<FactsRow>(
    'SELECT sniffed, format, width, height, orientation, frames, alpha FROM content_facts WHERE hash = ?',
    [hash],
  );
  if (!row) return undefined;
  const { sniffed, format, width, height, orientation, frames } = row;
  return {
    sniffed,
    image: format && { format, width, height, orientation, frames, alpha: row.alpha === 1 },
  };
}

/** The content of a hash never changes, so neither do its facts. */
export async function storeFacts(tx: Transaction, hash: string, facts: ContentFacts): Promise<void> {
  const { sniffed, image } = facts;
  await tx.run(
    `INSERT INTO content_facts (hash, sniffed, format, width, height, orientation, frames, alpha)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING`,
    [
      hash,
      sniffed,
      image?.format ?? null,
      image?.width ?? 0,
      image?.height ?? 0,
      image?.orientation ?? 1,
      image?.frames ?? 0,
      image?.alpha ? 1 : 0,
    ],
  );
}
