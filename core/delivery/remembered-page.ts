import type { ProjectModel } from '../model/model.ts';
import type { PagePlan } from '../storage/page-plan.ts';
import type { CacheInfo } from './answer.ts';
import type { DeliveryContext } from './delivery-context.ts';
import type { Page } from './page.ts';
import type { KnownQuery, PlannedQuery, RememberedPage } from './query-cache.ts';

/** Numbers of documents that are remembered of a page. */
const LONGEST = 1000;
const PAGE_BYTES = 500;
const NUMBER_BYTES = 8;
/** Of a tag beside its characters: the string, joined of two (32 in V8), and its place in the list (8). */
const TAG_BYTES = 40;

export interface RecalledPage {
  readonly page: Page;
  readonly tags: readonly string[];
}

/**
 * The page that was remembered of the query, as long as nothing that its answer depends on changes, the items that its
 * filters name included: the tags that the answer is cached by decide that here as well. Gateways that begin to cache a
 * listing, one after the other, then need no statement: a page of 20 took 0.47 ms of CPU instead of 0.85, 100 items with
 * their links and the total 0.49 instead of 0.93 (interleaved, 190 and 805 kB), 25 items of one category 0.33 instead of
 * 1.3, one item 0.17 instead of 0.30; on PostgreSQL a page of 20 took 0.33 instead of 1.3, that of the database included.
 * Documents stay in the memory that they have; where one is no longer there, the page is read.
 */
export function recalledPage(
  { documents, versions, hasCommits }: DeliveryContext,
  project: string,
  remembered: RememberedPage,
  { plan, elements }: PlannedQuery,
  model: ProjectModel,
): RecalledPage | undefined {
  if (remembered.plan !== plan || !hasCommits()) return undefined;
  const { tags, sequence, missing, more, total } = remembered;
  if (versions.changed(project, tags, sequence)) return undefined;
  const shown = { elements, model };
  const roots = documents.known(remembered.documents, shown);
  const linked = roots && documents.known(remembered.linked, shown);
  if (!linked) return undefined;
  return { page: { documents: roots, linked, missing, more, total, pending: false }, tags };
}

export function remember(
  { queries, hasCommits }: DeliveryContext,
  known: KnownQuery,
  plan: PagePlan,
  { documents, linked, missing, more, total, pending }: Page,
  { tags, sequence }: CacheInfo,
): void {
  const length = documents.length + linked.length + missing.size;
  if (pending || !tags || length > LONGEST || !hasCommits()) return;
  known.page = {
    plan,
    documents: documents.map(({ number }) => number),
    linked: linked.map(({ number }) => number),
    missing,
    more,
    total,
    tags,
    sequence,
    bytes: tags.reduce((sum, tag) => sum + tag.length + TAG_BYTES, PAGE_BYTES + length * NUMBER_BYTES),
  };
  queries.keep(known);
}
