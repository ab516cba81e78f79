import { type CoreAnswer, matchesEntityTag, type ServiceError } from '../../core/contract.ts';
import type { Encoding } from '../accept-encoding.ts';
import { joined, ownBytes } from '../send-answer.ts';
import { FRESH_STATUS, type HeaderWriter } from './cache-headers.ts';
import type { Dated, ProjectVersions } from './tag-versions.ts';

/** One encoding of a kept body, ready to be written. */
export interface Variant {
  readonly body: Buffer;
  /** With quotes. */
  readonly etag: string;
  /** Names and values in turn, of a fresh hit: written as it is. */
  readonly block: string[];
  readonly block304: string[];
}

/** A kept answer: a body in up to three encodings, or an error that holds until one of its tags changes. */
export class Entry implements Dated {
  readonly versions: ProjectVersions;
  readonly tags: readonly string[];
  readonly generation: number;
  readonly headers: HeaderWriter;
  readonly error: ServiceError | undefined;
  /** What is asked of core, to make the same anew. */
  readonly etag: string | undefined;
  readonly variants = new Map<Encoding, Variant>();
  readonly #project: string;
  readonly #coreHeaders: Readonly<Record<string, string>>;
  sequence: number;
  checked = -1;
  /** When core was first found failing while this was outdated. */
  foundStale: number | undefined;
  /** Encodings that are there, or would be no smaller. */
  readonly settled = new Set<Encoding>();
  readonly making = new Map<Encoding, Promise<void>>();

  constructor(made: {
    readonly answer: Pick<CoreAnswer, 'headers' | 'body'>;
    readonly project: string;
    readonly tags: readonly string[];
    readonly sequence: number;
    readonly versions: ProjectVersions;
    readonly generation: number;
    readonly headers: HeaderWriter;
    readonly error?: ServiceError;
  }) {
    this.versions = made.versions;
    this.tags = made.tags;
    this.sequence = made.sequence;
    this.generation = made.generation;
    this.headers = made.headers;
    this.error = made.error;
    this.#project = made.project;
    this.#coreHeaders = made.answer.headers;
    this.etag = made.answer.headers.etag;
    if (made.error === undefined) {
      this.add('identity', joined((made.answer.body ?? []) as readonly Uint8Array[]));
    }
  }

  add(encoding: Encoding, bytes: Buffer): void {
    // zlib hands out pieces of 16 kB: with three encodings each, 64 MB of entries took 220 MB.
    const body = ownBytes(bytes);
    const etag = this.etag === undefined ? '' : withSuffix(this.etag, encoding);
    const parts = { core: this.#coreHeaders, etag, encoding, project: this.#project, tags: this.tags };
    this.variants.set(encoding, {
      body,
      etag,
      block: this.headers.full(parts, body.length, FRESH_STATUS, this.sequence),
      block304: this.headers.unchanged(parts, FRESH_STATUS, this.sequence),
    });
  }

  /** The encoding asked for if it is there, else the plain one. */
  variant(encoding: Encoding): Variant {
    return this.variants.get(encoding) ?? this.variants.get('identity')!;
  }

  /** Bytes this takes, objects and strings of the header blocks counted roughly. */
  get size(): number {
    // An error has its message and where it was made.
    let size = this.error === undefined ? 800 : 1600;
    for (const tag of this.tags) size += tag.length + 24;
    for (const { body, block } of this.variants.values()) {
      size += body.length + 600;
      // Once in the list, once in the head that is sent.
      for (const text of block) size += 2 * text.length + 12;
    }
    return size;
  }
}

/** `"abc"` and br → `"abc-br"`: each encoding has bytes of its own, so a strong tag of its own (RFC 9110, 8.8.3). */
function withSuffix(etag: string, encoding: Encoding): string {
  return encoding === 'identity' ? etag : `${etag.slice(0, -1)}-${encoding}"`;
}

/**
 * `If-None-Match` against an entry (RFC 9110, 13.1.2): a list of tags or `*`. The tag of any encoding will do: the
 * client holds the same content, and says with what it got it.
 */
export function matchesEntry(ifNoneMatch: string | undefined, { etag }: Entry): boolean {
  return matchesEntityTag(ifNoneMatch, etag, withoutSuffix);
}

function withoutSuffix(etag: string): string {
  return etag.replace(/-(br|gzip)"$/, '"');
}
