import { hash } from 'node:crypto';
import type { ShownDocument } from './project-document.ts';

/** Characters of a digest. */
const DIGEST = 22;

/** A document as the bytes that answers are joined from. */
export class ReadyDocument {
  readonly number: number;
  readonly item: number;
  readonly codename: string;
  /** Storage number. */
  readonly type: number;
  /** `"codename":{…}`; the body begins at `bodyStart`. */
  readonly keyed: Uint8Array;
  readonly bodyStart: number;
  /** `"codename":{…}` of its components, joined by commas; null when it has none. */
  readonly components: Uint8Array | null;
  /** Items linked from the elements that are shown. */
  readonly linked: readonly number[];
  #digest: string | undefined;

  constructor({ number, item, codename, type, body, components, linked }: ShownDocument) {
    const key = `"${codename}":`;
    this.number = number;
    this.item = item;
    this.codename = codename;
    this.type = type;
    this.keyed = typeof body === 'string' ? Buffer.from(key + body) : Buffer.concat([Buffer.from(key), body]);
    this.bodyStart = Buffer.byteLength(key);
    this.components = components === '' ? null : Buffer.from(components);
    this.linked = linked;
  }

  get body(): Uint8Array {
    return this.keyed.subarray(this.bodyStart);
  }

  get bytes(): number {
    return this.keyed.length + (this.components?.length ?? 0);
  }

  /** 128 bits that identify its bytes, the same in every process. Made once. */
  digest(): string {
    if (this.#digest === undefined) {
      const parts = [this.keyed, this.components ?? ''].map((part) => hash('sha256', part, 'base64url'));
      this.#digest = hash('sha256', parts.join(''), 'base64url').slice(0, DIGEST);
    }
    return this.#digest;
  }
}
