import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { ReadyDocument } from './ready-document.ts';

/** Items fetched at a time: one level can name every item of a project. */
const BATCH = 200;
/** Bytes of linked documents held at once; larger answers are streamed. */
const HELD_BYTES = 8_000_000;
/** Links followed between two reads of the clock. */
const LINKS_PER_CHECK = 1000;

/** Items that documents link to: level by level, each once, some at a time. */
export class LinkWalk {
  readonly #batch: number;
  readonly #seen = new Set<number>();
  #levels: number;
  #level: readonly number[] = [];
  #at = 0;
  #next = new Set<number>();

  constructor(depth: number, batch = BATCH) {
    this.#levels = depth;
    this.#batch = batch;
  }

  /** Whether links are still followed: those of the last level are not. */
  get isFollowing(): boolean {
    return this.#levels > 0;
  }

  /** Puts items that are not on a level yet on the next one, if it is still walked. */
  follow(items: readonly number[]): void {
    if (!this.isFollowing) return;
    for (const item of items) if (!this.#seen.has(item)) this.#next.add(item);
  }

  /** The next items; null at the end. Links of their documents are to be followed before the next call. */
  next(): readonly number[] | null {
    if (this.#at >= this.#level.length) {
      if (this.#levels === 0 || this.#next.size === 0) return null;
      this.#levels--;
      this.#level = [...this.#next];
      this.#at = 0;
      if (this.#levels > 0) {
        this.#next = new Set();
        for (const item of this.#level) this.#seen.add(item);
      }
    }
    const from = this.#at;
    this.#at += this.#batch;
    return this.#level.length <= this.#batch ? this.#level : this.#level.slice(from, this.#at);
  }
}

export interface LinkedDocuments {
  /** By codename; a root that another document links to is among them. */
  readonly linked: readonly ReadyDocument[];
  /** Items that readers do not get, by storage number. */
  readonly missing: ReadonlySet<number>;
}

const NONE: LinkedDocuments = { linked: [], missing: new Set() };

/**
 * What documents link to.
 * @param assetBase that they will be shown with: it is part of their bytes
 * @param fetch undefined ends the walk
 */
export async function collectLinked(
  roots: readonly ReadyDocument[],
  depth: number,
  assetBase: string,
  fetch: (items: readonly number[]) => Promise<readonly ReadyDocument[] | undefined>,
): Promise<LinkedDocuments | 'too large' | undefined> {
  if (depth === 0) return NONE;
  const walk = new LinkWalk(depth);
  let links = 0;
  for (const { linked } of roots) {
    walk.follow(linked);
    links += linked.length;
    if (links < LINKS_PER_CHECK) continue;
    links = 0;
    if (isTurnLong()) await nextTurn();
  }
  let items = walk.next();
  if (!items) return NONE;
  const known = new Map(roots.map((root) => [root.item, root]));
  const linked: ReadyDocument[] = [];
  const missing = new Set<number>();
  let bytes = 0;
  while (items) {
    const unknown = items.filter((item) => !known.has(item));
    const documents = unknown.length === 0 ? [] : await fetch(unknown);
    if (!documents) return undefined;
    for (const document of documents) {
      known.set(document.item, document);
      bytes += document.bytes(assetBase);
      walk.follow(document.linked);
    }
    if (bytes > HELD_BYTES) return 'too large';
    for (const item of items) {
      const document = known.get(item);
      if (document) linked.push(document);
      else missing.add(item);
    }
    items = walk.next();
    if (items && isTurnLong()) await nextTurn();
  }
  return { linked: linked.sort((a, b) => (a.codename < b.codename ? -1 : 1)), missing };
}
