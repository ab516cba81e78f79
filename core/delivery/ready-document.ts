import { hash } from 'node:crypto';
import type { DocumentRow, StoredDocument } from '../storage/page-plan.ts';
import { projectDocument } from './project-document.ts';

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

  /** @param elements null = all */
  constructor(row: StoredDocument | DocumentRow, elements: ReadonlySet<string> | null) {
    const { body, components, linked } = projectDocument(row, elements);
    const key = Buffer.from(`"${row.codename}":`);
    this.number = row.number;
    this.item = row.item;
    this.codename = row.codename;
    this.type = row.type;
    this.keyed = Buffer.concat([key, typeof body === 'string' ? Buffer.from(body) : body]);
    this.bodyStart = key.length;
    this.components = components === '' ? null : Buffer.from(components);
    this.linked = linked;
  }

  get body(): Uint8Array {
    return this.keyed.subarray(this.bodyStart);
  }

  get bytes(): number {
    return this.keyed.length + (this.components?.length ?? 0);
  }

  /** 128 bits that stand for its bytes, the same in every process. Made once. */
  digest(): string {
    if (this.#digest === undefined) {
      const parts = [this.keyed, this.components ?? ''].map((part) => hash('sha256', part, 'base64url'));
      this.#digest = hash('sha256', parts.join(''), 'base64url').slice(0, DIGEST);
    }
    return this.#digest;
  }
}
