import type { PageReads } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { inPieces, nextPiece } from '../turns/in-pieces.ts';
import { spliceAssetBase } from './asset-base.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { LinkWalk } from './link-walk.ts';
import type { Frame, StreamedPage } from './page.ts';
import type { ShownDocument } from './project-document.ts';
import { readDocuments } from './snapshot-page.ts';
import { textBytes } from './text-bytes.ts';

/** Documents read and sent at a time, fewer where they are large. */
const BATCH = 100;
const FIRST_BATCH = 16;

/**
 * An answer of any length: documents are read and sent in batches, so that a slow client holds no connection and no
 * snapshot, and memory stays the same. An item published meanwhile is sent as it is by then.
 */
export async function* streamItems(
  { storage, settings }: DeliveryContext,
  { reading, items, more, total }: StreamedPage,
  frame: Frame,
  assetBase: string,
): AsyncGenerator<Uint8Array> {
  const { view, project } = reading.plan;
  const walk = new LinkWalk(reading.query.depth, BATCH);
  /** Those that have some: with all of a batch, an unlimited listing of three elements took 1.18 × the CPU (3,000 items). */
  const itemsWithComponents: number[] = [];
  let count = 0;
  const readBatch = <T>(read: (reads: Sql & PageReads, pending: boolean) => Promise<T>): Promise<T> =>
    storage.snapshot(async (reads) => read(reads, (await reads.project(project)).pending), { stream: true });
  const roots = new Set(items);
  const componentsOfBatch = (batch: readonly number[]): Promise<readonly Uint8Array[]> =>
    readBatch(async (reads, pending) => {
      if (!pending && !reading.elements)
        return joinedInPieces(batch, (some) => reads.joinedComponents(view, some));
      const documents = await readDocuments(reads, reading, settings, batch, pending);
      return textBytes(documents.flatMap(componentsOf));
    });
  /** Linked documents by codename, with their components unless the item is a top-level one; follows their links. */
  const linkedBatch = (batch: readonly number[]): Promise<readonly Uint8Array[]> =>
    readBatch(async (reads, pending) => {
      if (!pending && !reading.elements) {
        if (walk.isFollowing) walk.follow(await reads.linked(view, batch));
        return joinedInPieces(batch, (some) =>
          reads.joinedByCodename(
            view,
            some,
            some.filter((item) => roots.has(item)),
          ),
        );
      }
      const documents = await readDocuments(reads, reading, settings, batch, pending);
      for (const { linked } of documents) walk.follow(linked);
      const texts = documents.flatMap((document) => [
        `"${document.codename}":${document.body}`,
        ...(roots.has(document.item) ? [] : componentsOf(document)),
      ]);
      return textBytes(texts);
    });

  /** Sends chunks with a comma between those of each two calls. */
  const separated = () => {
    let isFirst = true;
    return function* (chunks: readonly Uint8Array[]) {
      if (chunks.length === 0) return;
      if (!isFirst) yield COMMA;
      isFirst = false;
      yield* spliceAssetBase(chunks, assetBase);
    };
  };

  yield frame.opening;
  const sendDocuments = separated();
  for (let from = 0, size = FIRST_BATCH; from < items.length; ) {
    const batch = items.slice(from, from + size);
    from += size;
    const { chunks, found, links, withComponents } = await readBatch((reads, pending) =>
      pending || reading.elements
        ? readDocuments(reads, reading, settings, batch, pending).then(rootsOf)
        : joinedRoots(reads, view, batch, reading.query.depth),
    );
    count += found;
    walk.follow(links);
    for (const item of withComponents) itemsWithComponents.push(item);
    size = nextBatch(size, chunks);
    yield* sendDocuments(chunks);
  }

  yield frame.middle;
  const sendLinked = separated();
  // Components of top-level items are read again rather than held: they could be any number of bytes.
  for (let from = 0, size = FIRST_BATCH; from < itemsWithComponents.length; ) {
    const chunks = await componentsOfBatch(itemsWithComponents.slice(from, from + size));
    from += size;
    size = nextBatch(size, chunks);
    yield* sendLinked(chunks);
  }
  for (let batch = walk.next(); batch; batch = walk.next()) yield* sendLinked(await linkedBatch(batch));
  yield Buffer.from(frame.closing({ count, more, total }));
}

const COMMA = Buffer.from(',');

function nextBatch(size: number, chunks: readonly Uint8Array[]): number {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return nextPiece(size, length, BATCH);
}

/** A batch of the listing's own documents. */
interface Roots {
  readonly chunks: readonly Uint8Array[];
  readonly found: number;
  readonly links: readonly number[];
  /** Items that have components. */
  readonly withComponents: readonly number[];
}

/** Joined by the database, which takes a third of the time. */
async function joinedRoots(
  reads: PageReads,
  view: number,
  batch: readonly number[],
  depth: number,
): Promise<Roots> {
  const { count, bodies, withComponents } = await reads.joined(view, batch);
  return {
    chunks: count === 0 ? [] : [bodies],
    found: count,
    links: depth > 0 && count > 0 ? await reads.linked(view, batch) : [],
    withComponents,
  };
}

/** What the database joined, some items at a time, as one sequence. */
async function joinedInPieces(
  items: readonly number[],
  read: (some: readonly number[]) => Promise<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  const pieces = await inPieces(
    items,
    async (some) => [await read(some)],
    ({ length }) => length,
  );
  return pieces
    .filter(({ length }) => length > 0)
    .flatMap((piece, index) => (index === 0 ? [piece] : [COMMA, piece]));
}

async function rootsOf(documents: readonly ShownDocument<string>[]): Promise<Roots> {
  return {
    chunks: await textBytes(documents.map(({ body }) => body)),
    found: documents.length,
    links: documents.flatMap(({ linked }) => linked),
    withComponents: documents.filter(({ components }) => components !== '').map(({ item }) => item),
  };
}

function componentsOf({ components }: ShownDocument): string[] {
  return components === '' ? [] : [components];
}
