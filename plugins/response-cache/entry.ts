import { matchesEntityTag, type ServiceError } from '../../core/contract.ts';
import { joined, Pieces } from '../caching/pieces.ts';
import { ownBytes } from '../caching/subrequest.ts';
import type { Encoding } from '../http/accept-encoding.ts';
import { tagOfEncoding } from '../http/tag-of-encoding.ts';
import { FRESH_STATUS, type HeaderWriter } from './cache-headers.ts';
import type { ProjectVersions, Versioned } from './feed-tag-versions.ts';

/** One encoding of a cached body, with its header blocks. */
export interface EncodedBody {
  /** As one piece; made when it is first asked for. */
  readonly body: Buffer;
  /** For one response: the pieces it came in until `body` is made. */
  readonly unjoined: Buffer | Pieces;
  readonly length: number;
  /** With quotes. */
  readonly etag: string;
  /** Names and values in turn, of a fresh hit. */
  readonly block: string[];
  readonly block304: string[];
}

/** A cached answer: a body in up to three encodings, or an error that holds until one of its tags changes. */
export class Entry implements Versioned {
  readonly versions: ProjectVersions;
  readonly tags: readonly string[];
  readonly generation: number;
  readonly headers: HeaderWriter;
  readonly error: ServiceError | undefined;
  /** Core's, with quotes. */
  readonly etag: string | undefined;
  readonly bodies = new Map<Encoding, EncodedBody>();
  readonly #project: string;
  readonly #coreHeaders: Readonly<Record<string, string>>;
  sequence: number;
  checked = -1;
  /** When the fetch began by which core last confirmed it; time of the monotonic clock. */
  confirmed: number;
  /** When core was first found failing while this was outdated. */
  foundStale: number | undefined;
  /** Encodings that are made, or not to be made. */
  readonly settled = new Set<Encoding>();
  readonly pending = new Map<Encoding, Promise<void>>();

  constructor(made: {
    readonly coreHeaders: Readonly<Record<string, string>>;
    /** Undefined for an error. */
    readonly body: Buffer | Pieces | undefined;
    readonly project: string;
    readonly tags: readonly string[];
    readonly sequence: number;
    readonly confirmed: number;
    readonly versions: ProjectVersions;
    readonly generation: number;
    readonly headers: HeaderWriter;
    readonly error?: ServiceError;
  }) {
    this.versions = made.versions;
    this.tags = made.tags;
    this.sequence = made.sequence;
    this.confirmed = made.confirmed;
    this.generation = made.generation;
    this.headers = made.headers;
    this.error = made.error;
    this.#project = made.project;
    this.#coreHeaders = made.coreHeaders;
    this.etag = made.coreHeaders.etag;
    if (made.body !== undefined) this.add('identity', made.body);
  }

  add(encoding: Encoding, bytes: Buffer | Pieces): void {
    const etag = this.etag === undefined ? '' : tagOfEncoding(this.etag, encoding);
    const parts = { core: this.#coreHeaders, etag, encoding, project: this.#project, tags: this.tags };
    this.bodies.set(
      encoding,
      new KeptBody(bytes, {
        etag,
        block: this.headers.full(parts, bytes.length, FRESH_STATUS, this.sequence),
        block304: this.headers.unchanged(parts, FRESH_STATUS, this.sequence),
      }),
    );
  }

  /** The encoding if it is made, else the plain body. */
  body(encoding: Encoding): EncodedBody {
    return this.bodies.get(encoding) ?? this.bodies.get('identity')!;
  }

  /** Bytes this takes, objects and strings of the header blocks counted roughly. */
  get size(): number {
    // An error has its message and its stack.
    let size = this.error === undefined ? 800 : 1600;
    for (const tag of this.tags) size += tag.length + 24;
    for (const { length, block } of this.bodies.values()) {
      size += length + 600;
      // Once in the block, once in the head that is sent.
      for (const text of block) size += 2 * text.length + 12;
    }
    return size;
  }
}

/**
 * Most pieces are documents that core has in memory anyway. Many answers are never asked for again, and what is joined
 * for them is memory outside V8's heap, for which V8 collects garbage: a miss of 805 kB took 2.2 times the CPU of the same
 * answer without a cache, and takes 1.2 times (`npm run bench -- delivery --only cache-miss --quick`, machine not quiet).
 */
class KeptBody implements EncodedBody {
  readonly length: number;
  readonly etag: string;
  readonly block: string[];
  readonly block304: string[];
  #kept: Buffer | Pieces;

  constructor(
    bytes: Buffer | Pieces,
    { etag, block, block304 }: Omit<EncodedBody, 'body' | 'unjoined' | 'length'>,
  ) {
    // zlib returns pieces of 16 kB: with three encodings each, 64 MB of entries took 220 MB.
    if (Buffer.isBuffer(bytes)) this.#kept = ownBytes(bytes);
    else this.#kept = memoryOf(bytes) > 2 * bytes.length ? joined(bytes) : bytes;
    this.length = bytes.length;
    this.etag = etag;
    this.block = block;
    this.block304 = block304;
  }

  get body(): Buffer {
    this.#kept = joined(this.#kept);
    return this.#kept;
  }

  get unjoined(): Buffer | Pieces {
    return Buffer.isBuffer(this.#kept) ? this.#kept : new Pieces(this.#kept.all, this.length);
  }
}

/** Bytes that pieces keep: small ones are parts of larger memory, such as Node's pool, 8 or 64 kB by its version. */
function memoryOf({ all }: Pieces): number {
  const counted = new Set<ArrayBufferLike>();
  let bytes = 0;
  for (const { buffer } of all) {
    if (counted.has(buffer)) continue;
    counted.add(buffer);
    bytes += buffer.byteLength;
  }
  return bytes;
}

/**
 * `If-None-Match` against an entry (RFC 9110, 13.1.2): a list of tags or `*`. The tag of any encoding will do: the
 * client has the same content.
 */
export function matchesEntry(ifNoneMatch: string | undefined, { etag }: Entry): boolean {
  return matchesEntityTag(ifNoneMatch, etag, withoutSuffix);
}

function withoutSuffix(etag: string): string {
  return etag.replace(/-(br|gzip)"$/, '"');
}
