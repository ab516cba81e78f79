import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { StoredDocument } from '../storage/page-plan.ts';
import type { CommittedChanges, Reader } from '../storage/ports.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { documentDigest } from './document-digest.ts';
import { projectDocument } from './project-document.ts';

/** Bytes of documents kept in memory: some 20,000 of 3 KB. */
const CAPACITY = 64 * 1024 * 1024;
/** Views whose resolved items are remembered; each up to RESOLVED_LIMIT items. */
const VIEWS = 64;
const RESOLVED_LIMIT = 100_000;

/** A document ready to be sent. */
export interface ReadyDocument {
  readonly item: number;
  readonly codename: string;
  /** Storage number. */
  readonly type: number;
  /** Stands for its bytes. */
  readonly digest: string;
  /** `"codename":{…}`; the body starts at `bodyAt`. */
  readonly keyed: Uint8Array;
  readonly bodyAt: number;
  /** `"codename":{…}` of its components, joined by commas; null when it has none. */
  readonly components: Uint8Array | null;
  readonly linked: readonly number[];
}

/** Which document a view resolves items to, as of one sequence; null: it has none. */
interface Resolved {
  readonly sequence: number;
  readonly documents: Map<number, number | null>;
}

/**
 * Documents by number: they never change under it, so they can be kept without ever being asked about.
 * What does change, which document an item resolves to, is only believed for the very sequence it was read
 * at. A page with its links then takes one statement
 * for the numbers and no copy of its bytes out of the database: 100 items with what they link to (800 KB) went
 * from 1.8 to 0.4 ms of CPU.
 */
export class DocumentCache {
  readonly #documents = new LRUCache<string, ReadyDocument>({
    maxSize: CAPACITY,
    sizeCalculation: ({ keyed, components, linked }, key) =>
      350 + key.length + keyed.length + (components?.length ?? 0) + linked.length * 8,
  });
  readonly #resolved = new LRUCache<number, Resolved>({ max: VIEWS });

  /** To be called with every commit. */
  committed({ entries }: Pick<CommittedChanges, 'entries'>): void {
    // What was restored counts its documents from where the backup was.
    if (!entries.some(({ type }) => type === 'installation')) return;
    this.#documents.clear();
    this.#resolved.clear();
  }

  /**
   * The documents in the order given, cut down to some elements.
   * @param projection as `projectionOf` gives it
   * @returns undefined when one of them was replaced meanwhile
   */
  async documents(
    reader: Reader,
    numbers: readonly number[],
    projection: readonly string[] | null,
  ): Promise<ReadyDocument[] | undefined> {
    const suffix = projection ? `:${shortened(projection.join())}` : '';
    const ready = new Map<number, ReadyDocument>();
    const missing: number[] = [];
    for (const number of numbers) {
      const known = this.#documents.get(number + suffix);
      if (known) ready.set(number, known);
      else missing.push(number);
    }
    if (missing.length > 0) {
      const elements = projection && new Set(projection);
      const read = await inPieces(
        missing,
        (some) => reader.documents(some),
        ({ body, components }) => body.length + components.length,
      );
      for (const stored of read) {
        // Some 50 µs each.
        if (isTurnLong()) await nextTurn();
        const document = prepare(stored, elements);
        this.#documents.set(stored.number + suffix, document);
        ready.set(stored.number, document);
      }
    }
    const found: ReadyDocument[] = [];
    for (const number of numbers) {
      const document = ready.get(number);
      if (!document) return undefined;
      found.push(document);
    }
    return found;
  }

  /**
   * Numbers of the documents a view resolves items to at a sequence; items it does not have are left out.
   * @returns undefined when something was committed since
   */
  async resolve(
    reader: Reader,
    project: number,
    view: number,
    sequence: number,
    items: Iterable<number>,
  ): Promise<number[] | undefined> {
    const known = this.#resolvedAt(view, sequence);
    const numbers: number[] = [];
    const missing: number[] = [];
    for (const item of items) {
      const document = known.get(item);
      if (document === undefined) missing.push(item);
      else if (document !== null) numbers.push(document);
    }
    if (missing.length === 0) return numbers;
    const read = await reader.resolve(project, view, missing);
    if (read.sequence !== sequence) return undefined;
    for (const item of missing) {
      const document = read.documents.get(item) ?? null;
      known.set(item, document);
      if (document !== null) numbers.push(document);
    }
    return numbers;
  }

  /** The view turned out to point at documents that are gone: recompiling moves them within a sequence. */
  forget(view: number): void {
    this.#resolved.delete(view);
  }

  #resolvedAt(view: number, sequence: number): Map<number, number | null> {
    const kept = this.#resolved.get(view);
    if (kept?.sequence === sequence && kept.documents.size < RESOLVED_LIMIT) return kept.documents;
    const documents = new Map<number, number | null>();
    // A reader of an older snapshot must not push out what newer ones have.
    if (!kept || kept.sequence <= sequence) this.#resolved.set(view, { sequence, documents });
    return documents;
  }
}

/** The key of each document holds it. */
function shortened(text: string): string {
  return text.length <= 64 ? text : hash('sha256', text, 'base64url');
}

function prepare(stored: StoredDocument, elements: ReadonlySet<string> | null): ReadyDocument {
  const { item, codename, type } = stored;
  const key = Buffer.from(`"${codename}":`);
  const body = elements ? Buffer.from(stored.body).toString() : '';
  const shown = projectDocument(
    { item, codename, type, body, components: stored.components, layout: stored.layout },
    elements,
  );
  const keyed = Buffer.concat([key, elements ? Buffer.from(shown.body) : stored.body]);
  return {
    item,
    codename,
    type,
    digest: documentDigest(keyed, shown.components),
    keyed,
    bodyAt: key.length,
    components: shown.components === '' ? null : Buffer.from(shown.components),
    linked: shown.linked,
  };
}
