import { LRUCache } from 'lru-cache';
import type { Channel, ProjectModel } from '../model/model.ts';
import type { PagePlan } from '../storage/page-plan.ts';
import { NAME_LIMIT } from './answer-tags.ts';
import type { NamedItems } from './named-items.ts';
import type { Page } from './page.ts';
import { type DeliveryQuery, parseItemQuery, parseQuery } from './parse-query.ts';

/** Bytes of cached queries: of listings, and as many of single items. */
const CAPACITY = 16_000_000;
/** Longer queries and larger plans are made again: they are rarely repeated, and a plan can list 500,000 slots. */
const LONGEST_QUERY = 2000;
const LARGEST_PLAN = 200;
/**
 * Of each query, of the parsed query for each of its characters, and of the plan and its statement for each number or text
 * in it: a query of 1,900 characters took 2.9 kB, one with 200 filters 31 kB.
 */
const QUERY_BYTES = 4000;
const BYTES_PER_CHARACTER = 12;
const PLAN_BYTES = 60;
/** Of a query that was requested once: 430 bytes with 70 characters. */
const SEEN_BYTES = 360;
const SEEN = 'seen';

/** What a query becomes with a model and the items that it names. */
export interface PlannedQuery {
  readonly named: NamedItems;
  /** Null: nothing can match. */
  readonly plan: PagePlan | null;
  readonly elements: readonly string[] | null;
}

/** Which documents a page shows, by number. */
export interface RememberedPage extends Pick<Page, 'missing' | 'more' | 'total'> {
  readonly plan: PagePlan;
  readonly documents: readonly number[];
  readonly linked: readonly number[];
  readonly tags: readonly string[];
  /** It is at least as new. */
  readonly sequence: number;
  readonly bytes: number;
}

/** The query of a listing or a single item with its plan. */
export class KnownQuery {
  readonly query: DeliveryQuery;
  /** Of a single item. */
  readonly codename: string | undefined;
  /** Null where it is not cached. */
  readonly key: string | null;
  /** It was requested before: most queries of crawlers come once, so nothing else is kept of the first time. */
  readonly isRepeated: boolean;
  /** A model that is no longer used is not kept for it. */
  readonly #planned = new WeakMap<ProjectModel, PlannedQuery>();
  #planSize = 0;
  /** Its last page. */
  page: RememberedPage | undefined;

  constructor(
    query: DeliveryQuery,
    {
      codename,
      key,
      isRepeated,
    }: {
      readonly codename?: string | undefined;
      readonly key: string | null;
      readonly isRepeated: boolean;
    },
  ) {
    this.query = query;
    this.codename = codename;
    this.key = key;
    this.isRepeated = isRepeated;
  }

  /** The plan that was made with the model. The items that it names may have changed since. */
  planned(model: ProjectModel): PlannedQuery | undefined {
    return this.#planned.get(model);
  }

  keep(model: ProjectModel, planned: PlannedQuery): void {
    const size = sizeOf(planned);
    if (size > LARGEST_PLAN) return;
    this.#planned.set(model, planned);
    this.#planSize = Math.max(this.#planSize, size);
  }

  get bytes(): number {
    const ofQuery = QUERY_BYTES + (this.key?.length ?? 0) * BYTES_PER_CHARACTER;
    return ofQuery + this.#planSize * PLAN_BYTES + (this.page?.bytes ?? 0);
  }
}

interface QueryText {
  readonly channel: Channel;
  readonly project: string;
  readonly query: string;
}

/**
 * Queries by their text, parsed and planned: websites send the same few again and again. An uncached page of 20 spends 40 of
 * 330 µs of its thread with them (profile of 22,500 requests), also because the statement of a plan is cached by the plan.
 */
export class QueryCache {
  readonly #listings = newCache();
  /** Apart from the few listings: a crawler requests each item. */
  readonly #items = newCache();

  /** @throws as `parseQuery` */
  listing({ channel, project, query }: QueryText): KnownQuery {
    const text = `${channel} ${project} ${query}`;
    return found(this.#listings, { text, parse: () => parseQuery(query) });
  }

  /** @throws as `parseQuery` */
  item({ channel, project, query }: QueryText, codename: string): KnownQuery {
    const text = `${channel} ${project} ${codename.length} ${codename} ${query}`;
    return found(this.#items, { text, codename, parse: () => parseItemQuery(query) });
  }

  /** To be called once the project is found: queries of random projects would displace those of others. */
  keep(known: KnownQuery): void {
    if (known.key === null) return;
    const queries = known.codename === undefined ? this.#listings : this.#items;
    // One of several that were the first at the same time: the query has been requested again meanwhile.
    if (!known.isRepeated && queries.get(known.key) instanceof KnownQuery) return;
    // A value that is set again keeps the size it had.
    queries.delete(known.key);
    queries.set(known.key, known.isRepeated ? known : SEEN);
  }
}

type Queries = LRUCache<string, KnownQuery | typeof SEEN>;

function newCache(): Queries {
  return new LRUCache({
    maxSize: CAPACITY,
    sizeCalculation: (known, key) => (known === SEEN ? SEEN_BYTES + key.length : known.bytes),
  });
}

function found(
  queries: Queries,
  {
    text,
    codename,
    parse,
  }: { readonly text: string; readonly codename?: string; readonly parse: () => DeliveryQuery },
): KnownQuery {
  // Answers about longer codenames have no tags, so that their pages could not be remembered.
  const isKept = text.length <= LONGEST_QUERY && (codename?.length ?? 0) <= NAME_LIMIT;
  if (!isKept) return new KnownQuery(parse(), { codename, key: null, isRepeated: false });
  const known = queries.get(text);
  if (known instanceof KnownQuery) return known;
  return new KnownQuery(parse(), { codename, key: text, isRepeated: known === SEEN });
}

/** Numbers and texts of a plan; of each item that the query names id, codename and entry. */
function sizeOf({ plan, elements, named }: PlannedQuery): number {
  let size = (elements?.length ?? 0) + (named.idOf.size + named.codenameOf.size) * 3;
  if (!plan) return size;
  const { types, languages, conditions, order, codenames } = plan;
  size += (types?.length ?? 0) + languages.length * 3 + (codenames?.length ?? 0);
  if (order.by === 'slots') size += order.slots.length + order.lacking.length;
  for (const condition of conditions) {
    for (const part of condition.on === 'either' ? condition.of : [condition]) {
      if ('slots' in part) size += part.slots.length;
      if ('test' in part && part.test.kind !== 'range') size += part.test.keys.length;
    }
  }
  return size;
}
