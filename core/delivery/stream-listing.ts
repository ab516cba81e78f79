import type { PageReads, Reader } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { nextPiece } from '../turns/in-pieces.ts';
import { spliceAssetBase } from './asset-base.ts';
import { collectDocuments, type Reading } from './collect-documents.ts';
import type { ShownDocument } from './project-document.ts';
import { separated, textBytes } from './text-bytes.ts';

/** Documents read and sent at a time, fewer where they are large. */
const BATCH = 100;
const FIRST_BATCH = 16;

interface Streamed {
  readonly depth: number;
  readonly assetBase: string;
  /** What stands before the documents, between them and what they link to, and at the end. */
  readonly frame: {
    readonly opening: Uint8Array;
    readonly middle: Uint8Array;
    /** Told how many documents were sent. */
    readonly tail: (count: number) => string;
  };
}

/**
 * An unlimited listing: the numbers of its items are collected in one short read, their documents fetched
 * and sent in batches, so that a slow reader holds no connection and no snapshot and memory stays the same
 * however many there are. An item published meanwhile is sent as it is by then.
 */
export async function* streamListing(
  storage: Reader,
  reading: Reading,
  items: readonly number[],
  { depth, assetBase, frame }: Streamed,
): AsyncGenerator<Uint8Array> {
  const sent: Sent = { count: 0, linked: new Set(), withComponents: [] };
  yield frame.opening;
  for (let from = 0, size = FIRST_BATCH; from < items.length; ) {
    const batch = items.slice(from, from + size);
    from += size;
    const bytes = await storage.snapshot((reads) => rootBatch(reads, reading, batch, depth, sent), {
      stream: true,
    });
    size = nextPiece(size, lengthOf(bytes), BATCH);
    yield* spliceAssetBase(bytes, assetBase);
  }
  yield frame.middle;
  let filled = false;
  const behindComma = function* (chunks: readonly Uint8Array[]) {
    if (chunks.length === 0) return;
    if (filled) yield COMMA;
    filled = true;
    yield* spliceAssetBase(chunks, assetBase);
  };
  // Components of top-level items are read again rather than held: they could be any number of bytes.
  for (const batch of sent.withComponents) {
    const bytes = await storage.snapshot((reads) => componentBatch(reads, reading, batch), { stream: true });
    yield* behindComma(bytes);
  }
  const roots = new Set(items);
  const done = new Set<number>();
  let frontier = [...sent.linked];
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const next = new Set<number>();
    for (let from = 0; from < frontier.length; from += BATCH) {
      const batch = frontier.slice(from, from + BATCH);
      for (const item of batch) done.add(item);
      const bytes = await storage.snapshot(
        (reads) => linkedBatch(reads, reading, batch, roots, level + 1 < depth ? next : null),
        { stream: true },
      );
      yield* behindComma(bytes);
    }
    frontier = [...next].filter((item) => !done.has(item));
  }
  yield Buffer.from(frame.tail(sent.count));
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

interface Sent {
  count: number;
  readonly linked: Set<number>;
  /** Batches that have components. */
  readonly withComponents: (readonly number[])[];
}

const COMMA = Buffer.from(',');

async function rootBatch(
  reads: Sql & PageReads,
  reading: Reading,
  batch: readonly number[],
  depth: number,
  sent: Sent,
): Promise<Uint8Array[]> {
  const { pending } = await reads.project(reading.model.project.number);
  const lead = sent.count > 0 ? [COMMA] : [];
  if (!pending && !reading.projection) {
    const joined = await reads.joined(reading.view, batch);
    if (joined.count === 0) return [];
    sent.count += joined.count;
    if (joined.components.length > 0) sent.withComponents.push(batch);
    if (depth > 0) for (const item of await reads.linked(reading.view, batch)) sent.linked.add(item);
    return [...lead, joined.bodies];
  }
  const documents = await collectDocuments(reads, reading, batch, pending);
  if (documents.length === 0) return [];
  sent.count += documents.length;
  if (documents.some((document) => document.components !== '')) sent.withComponents.push(batch);
  if (depth > 0) for (const document of documents) for (const item of document.linked) sent.linked.add(item);
  return [...lead, ...(await textBytes(separated(documents.map((document) => document.body))))];
}

async function componentBatch(
  reads: Sql & PageReads,
  reading: Reading,
  batch: readonly number[],
): Promise<Uint8Array[]> {
  const { pending } = await reads.project(reading.model.project.number);
  const documents = await collectDocuments(reads, reading, batch, pending);
  const components = documents.map((document) => document.components).filter((text) => text !== '');
  return components.length === 0 ? [] : textBytes(separated(components));
}

async function linkedBatch(
  reads: Sql & PageReads,
  reading: Reading,
  batch: readonly number[],
  roots: ReadonlySet<number>,
  next: Set<number> | null,
): Promise<Uint8Array[]> {
  const { pending } = await reads.project(reading.model.project.number);
  const documents = await collectDocuments(reads, reading, batch, pending);
  if (next) for (const document of documents) for (const item of document.linked) next.add(item);
  const texts = modularContent(documents, (document) => !roots.has(document.item));
  return texts.length === 0 ? [] : textBytes(separated(texts));
}

/** `"codename":{…}` of documents and of their components, where those are not sent elsewhere. */
function modularContent(
  documents: readonly ShownDocument[],
  withComponents: (document: ShownDocument) => boolean,
): string[] {
  return documents.flatMap((document) => [
    `"${document.codename}":${document.body}`,
    ...(document.components !== '' && withComponents(document) ? [document.components] : []),
  ]);
}
