import type { PagePlan, PageResult } from '../storage/page-plan.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { collectLinked } from './link-walk.ts';
import { isDeep } from './listing-cache.ts';
import { LARGEST_PAGE, type Page } from './page.ts';
import type { Reading } from './reading.ts';
import type { ReadyDocument } from './ready-document.ts';

/** Commits may come between the statements of a page so often before it is read over one snapshot instead. */
const ATTEMPTS = 3;
/** Bytes of a page's documents held at once; larger answers are streamed. */
const HELD_BYTES = 8_000_000;

/**
 * The source of most answers: one statement for the numbers of a page, documents and what they link to from memory.
 * @returns `snapshot`: they must be read over one; `too large`: they must be streamed; undefined: the model changed
 */
export async function cachedPage(
  context: DeliveryContext,
  reading: Reading,
  assetBase: string,
): Promise<Page | 'snapshot' | 'too large' | undefined> {
  const { storage, documents } = context;
  const { plan, query } = reading;
  const { project, view, limit } = plan;
  const sized = limit === null ? { ...plan, limit: LARGEST_PAGE } : plan;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const page = (isDeep(plan) ? await deepPage(context, plan) : undefined) ?? (await storage.page(sized));
    const { modelChanged, pending, sequence, more, total } = page;
    if (modelChanged) return undefined;
    if (pending) return 'snapshot';
    const roots = await documents.documents(storage, page.documents, reading);
    if (roots && roots.length > 1 && bytesOf(roots, assetBase) > HELD_BYTES) return 'too large';
    const linked =
      roots &&
      (await collectLinked(roots, query.depth, assetBase, async (items) => {
        const numbers = await documents.resolve(storage, project, view, sequence, items);
        return numbers && (await documents.documents(storage, numbers, reading));
      }));
    if (linked === 'too large') return linked;
    if (linked)
      return { documents: roots, linked: linked.linked, missing: linked.missing, more, total, pending };
    documents.forget(view);
  }
  return 'snapshot';
}

function bytesOf(documents: readonly ReadyDocument[], assetBase: string): number {
  return documents.reduce((sum, document) => sum + document.bytes(assetBase), 0);
}

/** A deep page of a listing whose order is cached, if that is still the order. */
async function deepPage(
  { storage, listings }: DeliveryContext,
  plan: PagePlan,
): Promise<PageResult | undefined> {
  let found = listings.get(plan);
  if (found === 'collect') {
    const whole = { ...plan, skip: 0, limit: null, total: false };
    await storage.snapshot(async (reads) => {
      const { sequence, pending } = await reads.project(plan.project);
      // Recompiling may move items in the order without a sequence of its own.
      if (pending || (plan.costLimit !== null && (await reads.cost(whole)) > plan.costLimit)) return;
      if ((await reads.count(plan)) <= listings.longest)
        listings.set(plan, sequence, await reads.items(whole));
    });
    found = listings.get(plan);
  }
  if (!found || found === 'collect') return undefined;
  const { items, more, sequence } = found;
  const page = await storage.page({ ...plan, items, skip: 0, limit: items.length });
  if (page.sequence === sequence) return { ...page, more };
  listings.delete(plan);
  return undefined;
}
