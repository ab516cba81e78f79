import { matches } from '../http/entity-tag.ts';
import { compileStale } from '../read-model/compile-stale.ts';
import type { PageReads } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { streamTag } from './content-tag.ts';
import type { DeliveryContext, DeliveryRequest } from './delivery-context.ts';
import { collectLinked } from './link-walk.ts';
import { LARGEST_PAGE, type Page, type StreamedPage } from './page.ts';
import { projectDocument, type ShownDocument } from './project-document.ts';
import type { Reading } from './reading.ts';
import { ReadyDocument } from './ready-document.ts';

/**
 * The source of what memory does not answer: stale documents, pages of the feed, and the items of everything that is
 * too long for one page.
 * @param isStreamed the page is known to be too large
 * @returns undefined when the model changed
 */
export function snapshotPage(
  { storage, settings }: DeliveryContext,
  request: DeliveryRequest,
  reading: Reading,
  isStreamed = false,
): Promise<Page | StreamedPage | undefined> {
  const { plan, query } = reading;
  const { limit } = plan;
  return storage.snapshot(async (reads) => {
    const project = await reads.project(plan.project);
    if (project.modelSequence !== plan.modelSequence) return undefined;
    const etag = streamTag(storage.epoch, project, request, query);
    const streamed = { reading, etag, items: [], more: false, total: null };
    // `*` is answered with the tag of what would be sent, which is not known yet.
    if (request.ifNoneMatch?.trim() !== '*' && matches(request.ifNoneMatch, etag)) return streamed;
    // One more than requested shows whether there is a next page.
    const found = await reads.items({ ...plan, limit: limit === null ? null : limit + 1 });
    const total = plan.total ? await reads.count(plan) : null;
    const items = limit === null ? found : found.slice(0, limit);
    const more = items.length < found.length;
    if (isStreamed || items.length > LARGEST_PAGE) return { ...streamed, items, more, total };
    const { pending } = project;
    const read = async (some: readonly number[]) => {
      const documents: ReadyDocument[] = [];
      for (const shown of await readDocuments(reads, reading, settings, some, pending)) {
        if (isTurnLong()) await nextTurn();
        documents.push(new ReadyDocument(shown));
      }
      return documents;
    };
    const documents = await read(items);
    const linked = await collectLinked(documents, query.depth, request.assetBase, read);
    return typeof linked === 'object'
      ? { documents, linked: linked.linked, missing: linked.missing, more, total, pending }
      : { ...streamed, items, more, total };
  });
}

/** The documents of items as the reading shows them: in order, current, projected. */
export async function readDocuments(
  reads: Sql & PageReads,
  { model, channel, plan, elements }: Reading,
  settings: DeliveryContext['settings'],
  items: readonly number[],
  pending: boolean,
): Promise<ShownDocument<string>[]> {
  const rows = await inPieces(
    items,
    (some) => reads.documents(plan.view, some),
    ({ body, components }) => body.length + components.length,
  );
  let compiled: Awaited<ReturnType<typeof compileStale>> = new Map();
  if (pending) {
    const stale = await reads.stale(
      plan.project,
      rows.map((row) => row.number),
    );
    if (stale.size > 0) compiled = await compileStale(reads, model, channel, rows, stale, settings);
  }
  const projection = elements && new Set(elements);
  const documents: ShownDocument<string>[] = [];
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    documents.push(projectDocument(compiled.get(row.number) ?? row, projection));
  }
  return documents;
}
