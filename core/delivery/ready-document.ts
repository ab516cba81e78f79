import { hash } from 'node:crypto';
import { ASSET_BASE_MARK } from '../storage/page-plan.ts';
import type { ShownDocument } from './project-document.ts';

/** Characters of a digest. */
const DIGEST = 22;

const COMMA = Buffer.from(',');
/** Of no components, as most documents have. */
const NO_COMPONENTS = hash('sha256', '', 'base64url');

/**
 * A document as the bytes that answers are joined from, each with a comma at its end: with commas of their own, joining
 * 496 documents (800 KB) took 0.37 ms of CPU instead of 0.28. Nearly all requests have the same base of asset URLs, so the bytes
 * contain it: to search each answer for its places and to join it again took as long as joining it (700 KB of 493
 * documents, each with one asset: 0.60 ms of CPU, now 0.26; a third of them with one: 0.52, now 0.25). Cutting one out of what
 * is stored takes 8.7 µs of CPU (10.6 before; least of 20 interleaved turns, documents of 3.6 kB).
 */
export class ReadyDocument {
  readonly number: number;
  readonly item: number;
  readonly codename: string;
  /** Storage number. */
  readonly type: number;
  /** Items linked from the elements that are shown. */
  readonly linked: readonly number[];
  /** 128 bits that identify its bytes, the same in every process and for every base. */
  readonly digest: string;
  readonly #bodyStart: number;
  readonly #keyed: Based;
  readonly #components: Based | null;
  #body: Uint8Array;

  constructor({ number, item, codename, type, body, components, linked }: ShownDocument) {
    const key = `"${codename}":`;
    const keyed =
      typeof body === 'string'
        ? Buffer.from(`${key}${body},`)
        : Buffer.concat([Buffer.from(key), body, COMMA]);
    this.number = number;
    this.item = item;
    this.codename = codename;
    this.type = type;
    this.linked = linked;
    this.#bodyStart = Buffer.byteLength(key);
    this.#keyed = new Based(keyed);
    this.#components = components === '' ? null : new Based(Buffer.from(`${components},`));
    this.#body = keyed.subarray(this.#bodyStart);
    const ofBody = hash('sha256', keyed.subarray(0, -1), 'base64url');
    const ofComponents = components === '' ? NO_COMPONENTS : hash('sha256', components, 'base64url');
    this.digest = hash('sha256', ofBody + ofComponents, 'base64url').slice(0, DIGEST);
  }

  /** @returns whether the bytes are others than before */
  use(assetBase: string): boolean {
    const isOther = this.#keyed.use(assetBase);
    // The codename has no mark.
    if (isOther) this.#body = this.#keyed.bytes.subarray(this.#bodyStart);
    return this.#components?.use(assetBase) || isOther;
  }

  /** The document alone, and a comma. */
  body(assetBase: string): Uint8Array {
    this.use(assetBase);
    return this.#body;
  }

  /** `"codename":{…},` */
  keyed(assetBase: string): Uint8Array {
    this.use(assetBase);
    return this.#keyed.bytes;
  }

  /** `"codename":{…},` of each of its components; null when it has none. */
  components(assetBase: string): Uint8Array | null {
    this.use(assetBase);
    return this.#components?.bytes ?? null;
  }

  /** Its bytes with a base, by default the one that was used last; they need not be made. */
  bytes(assetBase?: string): number {
    return this.#keyed.lengthWith(assetBase) + (this.#components?.lengthWith(assetBase) ?? 0);
  }
}

/** Compiled bytes with a base in place of each mark. */
class Based {
  bytes: Uint8Array;
  /** Positions of the base; null where there are none. */
  #places: number[] | null;
  /** Undefined: the marks. */
  #base: string | undefined;
  #length = 1;

  constructor(compiled: Uint8Array) {
    this.bytes = compiled;
    this.#places = null;
    for (let at = compiled.indexOf(ASSET_BASE_MARK); at >= 0; at = compiled.indexOf(ASSET_BASE_MARK, at + 1))
      if (this.#places) this.#places.push(at);
      else this.#places = [at];
  }

  /** @returns whether the bytes are others than before */
  use(base: string): boolean {
    const places = this.#places;
    if (places === null || base === this.#base) return false;
    const baseBytes = Buffer.from(base);
    const pieces: Uint8Array[] = [];
    let from = 0;
    let length = 0;
    for (const [index, at] of places.entries()) {
      pieces.push(this.bytes.subarray(from, at), baseBytes);
      length += at - from;
      places[index] = length;
      length += baseBytes.length;
      from = at + this.#length;
    }
    pieces.push(this.bytes.subarray(from));
    this.bytes = Buffer.concat(pieces);
    this.#base = base;
    this.#length = baseBytes.length;
    return true;
  }

  lengthWith(base: string | undefined): number {
    const { length } = this.bytes;
    if (base === undefined || base === this.#base || this.#places === null) return length;
    return length + this.#places.length * (Buffer.byteLength(base) - this.#length);
  }
}
