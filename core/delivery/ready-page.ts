import type { PagePlan, PageResult } from '../storage/page-plan.ts';
import type { Reader } from '../storage/ports.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { DeliveryContext } from './delivery-context.ts';
import type { DocumentCache, ReadyDocument } from './document-cache.ts';

/** A page with its documents at hand. */
export interface ReadyPage {
  readonly sequence: number;
  /** Nothing is being recompiled; else the stepwise road is taken. */
  readonly pending: false;
  readonly more: boolean;
  readonly total: number | null;
  readonly documents: readonly ReadyDocument[];
  /** By codename. */
  readonly linked: readonly ReadyDocument[];
  /** Items that were linked to and readers do not get. */
  readonly missing: ReadonlySet<number>;
}

export interface Wanted {
  readonly depth: number;
  /** Element codenames as `projectionOf` gives them; null = all. */
  readonly elements: readonly string[] | null;
}

/** Commits may come between the statements of a page so often before it is read over one snapshot instead. */
const ATTEMPTS = 3;
/** Bytes of a page's documents, and of linked ones, held at once; whoever asks for more is streamed to. */
const HELD_BYTES = 8_000_000;
/** Linked documents fetched before their bytes are counted: one level can name every item of a project. */
const BATCH = 200;

/**
 * The road of most requests: one statement for the numbers of a page, its documents and what they link to from
 * memory. `stepwise`: they must be read over one snapshot; `streamed`: what they link to is too much to
 * hold; undefined: the model changed.
 */
export async function readyPage(
  { storage, documents }: Pick<DeliveryContext, 'storage' | 'documents'>,
  plan: PagePlan,
  wanted: Wanted,
  remembered: () => Promise<PageResult | undefined> = async () => undefined,
): Promise<ReadyPage | 'stepwise' | 'streamed' | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const page = (await remembered()) ?? (await storage.page(plan));
    if (page.modelChanged) return undefined;
    if (page.pending) return 'stepwise';
    const roots = await documents.documents(storage, page.documents, wanted.elements);
    if (roots && roots.length > 1 && sizeOf(roots) > HELD_BYTES) return 'streamed';
    const linked = roots && (await linkedFrom(storage, documents, plan, page.sequence, roots, wanted));
    if (linked === 'streamed') return 'streamed';
    if (!linked) {
      documents.forget(plan.view);
      continue;
    }
    const { sequence, more, total } = page;
    return { sequence, pending: false, more, total, documents: roots, ...linked };
  }
  return 'stepwise';
}

function sizeOf(documents: readonly ReadyDocument[]): number {
  return documents.reduce((sum, { keyed, components }) => sum + keyed.length + (components?.length ?? 0), 0);
}

/** Level by level, each once; a root that something links back to is among them. */
async function linkedFrom(
  storage: Reader,
  documents: DocumentCache,
  plan: PagePlan,
  sequence: number,
  roots: readonly ReadyDocument[],
  { depth, elements }: Wanted,
): Promise<Pick<ReadyPage, 'linked' | 'missing'> | 'streamed' | undefined> {
  const known = new Map(roots.map((root) => [root.item, root]));
  const linked = new Map<number, ReadyDocument>();
  const lacking = new Set<number>();
  let frontier = roots;
  let bytes = 0;
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const items = new Set<number>();
    const missing = new Set<number>();
    for (const document of frontier) {
      if (isTurnLong()) await nextTurn();
      for (const item of document.linked) {
        if (linked.has(item)) continue;
        items.add(item);
        if (!known.has(item)) missing.add(item);
      }
    }
    const numbers = await documents.resolve(storage, plan.project, plan.view, sequence, missing);
    if (!numbers) return undefined;
    const fetched: ReadyDocument[] = [];
    for (let from = 0; from < numbers.length; from += BATCH) {
      const batch = await documents.documents(storage, numbers.slice(from, from + BATCH), elements);
      if (!batch) return undefined;
      for (const document of batch) {
        fetched.push(document);
        known.set(document.item, document);
        bytes += document.keyed.length + (document.components?.length ?? 0);
      }
      if (bytes > HELD_BYTES) return 'streamed';
    }
    for (const item of items) {
      if (isTurnLong()) await nextTurn();
      const document = known.get(item);
      if (document) linked.set(item, document);
      else lacking.add(item);
    }
    // Roots were expanded on the first level.
    frontier = fetched;
  }
  return {
    linked: [...linked.values()].sort((a, b) => (a.codename < b.codename ? -1 : 1)),
    missing: lacking,
  };
}

const COMMA = Buffer.from(',');

/** The whole answer as one piece; what stands before, between and behind the documents is the caller's. */
export function joinPage(
  { documents, linked }: Pick<ReadyPage, 'documents' | 'linked'>,
  frame: { readonly opening: Uint8Array; readonly middle: Uint8Array; readonly closing: string },
): Uint8Array {
  const parts: Uint8Array[] = [frame.opening];
  for (const [index, document] of documents.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(document.keyed.subarray(document.bodyAt));
  }
  parts.push(frame.middle);
  let filled = false;
  const add = (piece: Uint8Array) => {
    if (filled) parts.push(COMMA);
    filled = true;
    parts.push(piece);
  };
  for (const document of linked) add(document.keyed);
  // Each document's components once, also of one that is both on the page and linked.
  const roots = new Set(documents.map((document) => document.item));
  for (const document of documents) if (document.components) add(document.components);
  for (const document of linked)
    if (document.components && !roots.has(document.item)) add(document.components);
  parts.push(Buffer.from(frame.closing));
  return Buffer.concat(parts);
}
