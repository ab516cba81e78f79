import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Reader } from '../storage/ports.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { projectDocument } from './project-document.ts';
import type { Reading } from './reading.ts';
import { ReadyDocument } from './ready-document.ts';

/** Bytes of cached documents: some 20,000 of 3 KB. */
const CAPACITY = 64 * 1024 * 1024;
/** Views whose resolved items are cached; each up to RESOLVED_LIMIT items. */
const VIEWS = 64;
const RESOLVED_LIMIT = 100_000;

/** By which model documents are shown, and with which elements. */
type DocumentsShown = Pick<Reading, 'elements'> & {
  readonly model: Pick<Reading['model'], 'epoch' | 'namesSequence'>;
};

/** The document that a view resolves each item to at one sequence; null: it has none. */
interface Resolved {
  readonly sequence: number;
  readonly documents: Map<number, number | null>;
}

/**
 * Documents of one epoch by number and by the sequence of the newest rename of elements, as nothing but their names changes
 * under a number. Which document an item resolves to does change, so that is valid for the sequence it was read at only. A page
 * with its links takes one statement for the numbers and copies no bytes out of the database: 100 items with what they link to
 * (800 KB) went from 1.8 to 0.4 ms of CPU.
 */
export class DocumentCache {
  #documents = documentsByNumber();
  #resolved = new LRUCache<number, Resolved>({ max: VIEWS });
  /** Of both. */
  #epoch = '';

  /**
   * The documents in the order given, cut down to some elements, where all are in memory; otherwise undefined. For numbers that
   * were remembered nothing is read: after a restore by another process they may name other documents.
   */
  known(
    numbers: readonly number[],
    { elements, model: { epoch, namesSequence } }: DocumentsShown,
  ): ReadyDocument[] | undefined {
    const { found, missing } = inMemory(this.#of(epoch), numbers, suffixOf(elements, namesSequence));
    return missing.length === 0 ? found : undefined;
  }

  /**
   * The documents in the order given, cut down to some elements.
   * @returns undefined when one of them was replaced, elements were renamed, or the epoch changed, meanwhile
   */
  async documents(
    reader: Reader,
    numbers: readonly number[],
    { elements: projection, model: { epoch, namesSequence } }: DocumentsShown,
  ): Promise<ReadyDocument[] | undefined> {
    const cached = this.#of(epoch);
    const suffix = suffixOf(projection, namesSequence);
    const { found, missing } = inMemory(cached, numbers, suffix);
    if (missing.length === 0) return found;
    const elements = projection && new Set(projection);
    const read = await inPieces(
      missing,
      (some) => reader.documents(some),
      ({ body, components }) => body.length + components.length,
    );
    // Fewer than requested: some were replaced.
    if (read.length < missing.length) return undefined;
    if (read.some((document) => document.names !== namesSequence || document.epoch !== epoch))
      return undefined;
    const ready = new Map(found.map((document) => [document.number, document]));
    for (const stored of read) {
      // 9 µs each, and some 70 µs in a process that has made none yet.
      if (isTurnLong()) await nextTurn();
      const document = new ReadyDocument(projectDocument(stored, elements));
      cached.set(stored.number + suffix, document);
      ready.set(stored.number, document);
    }
    return numbers.flatMap((number) => ready.get(number) ?? []);
  }

  /**
   * Makes the bytes of documents with a base, which are part of what they take. To be called before they are sent only: an
   * answer without a body needs none, and hosts with bases of their own would make them in turns.
   * @param shown that they were requested with
   */
  show(
    documents: Iterable<ReadyDocument>,
    { elements, model: { epoch, namesSequence } }: DocumentsShown,
    assetBase: string,
  ): void {
    const cached = this.#of(epoch);
    let suffix: string | undefined;
    for (const document of documents) {
      if (!document.use(assetBase)) continue;
      suffix ??= suffixOf(elements, namesSequence);
      const key = document.number + suffix;
      // Others were read over a snapshot. A value that is set again keeps the size it had.
      if (cached.peek(key) === document && cached.delete(key)) cached.set(key, document);
    }
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

  /** The view resolves to documents that were deleted: recompiling replaces them within a sequence. */
  forget(view: number): void {
    this.#resolved.delete(view);
  }

  /**
   * A restore gives numbers a second time, and a promoted standby may give lost sequences again. Reads that are under way
   * meanwhile add to the former ones.
   */
  #of(epoch: string): LRUCache<string, ReadyDocument> {
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#documents = documentsByNumber();
      this.#resolved = new LRUCache({ max: VIEWS });
    }
    return this.#documents;
  }

  #resolvedAt(view: number, sequence: number): Map<number, number | null> {
    const cached = this.#resolved.get(view);
    if (cached?.sequence === sequence && cached.documents.size < RESOLVED_LIMIT) return cached.documents;
    const documents = new Map<number, number | null>();
    // A reader of an older snapshot must not replace what newer ones resolved.
    if (!cached || cached.sequence <= sequence) this.#resolved.set(view, { sequence, documents });
    return documents;
  }
}

function inMemory(
  cached: LRUCache<string, ReadyDocument>,
  numbers: readonly number[],
  suffix: string,
): { readonly found: ReadyDocument[]; readonly missing: readonly number[] } {
  const found: ReadyDocument[] = [];
  const missing: number[] = [];
  for (const number of numbers) {
    const known = cached.get(number + suffix);
    if (known) found.push(known);
    else missing.push(number);
  }
  return { found, missing };
}

function documentsByNumber(): LRUCache<string, ReadyDocument> {
  return new LRUCache({
    maxSize: CAPACITY,
    sizeCalculation: (document, key) => 350 + key.length + document.bytes() + document.linked.length * 8,
  });
}

function suffixOf(projection: readonly string[] | null, namesSequence: number): string {
  const names = namesSequence === 0 ? '' : `@${namesSequence}`;
  return projection ? `${names}:${shortened(projection.join())}` : names;
}

/** The key of each document holds it. */
function shortened(text: string): string {
  return text.length <= 64 ? text : hash('sha256', text, 'base64url');
}
