import { LRUCache } from 'lru-cache';
import type { Channel, ProjectModel } from '../model/model.ts';
import type { PagePlan } from '../storage/page-plan.ts';
import { type DeliveryQuery, parseQuery } from './parse-query.ts';

/** Bytes of cached queries. */
const CAPACITY = 16_000_000;
/** Longer queries and larger plans are made again: they are rarely repeated, and a plan can list 500,000 slots. */
const LONGEST_QUERY = 2000;
const LARGEST_PLAN = 200;
/** Of a plan of LARGEST_PLAN and its statement, and the parsed query for each of its characters. */
const PLAN_BYTES = 12_000;
const BYTES_PER_CHARACTER = 12;

/** What a query becomes with a model. */
export interface PlannedQuery {
  /** Null: nothing can match. */
  readonly plan: PagePlan | null;
  readonly elements: readonly string[] | null;
}

/** The query of a listing with its plan. */
export class KnownQuery {
  readonly query: DeliveryQuery;
  /** A model that is no longer used is not kept for it. */
  readonly #planned = new WeakMap<ProjectModel, PlannedQuery>();

  constructor(query: DeliveryQuery) {
    this.query = query;
  }

  /** The plan that was made with the model. */
  planned(model: ProjectModel): PlannedQuery | undefined {
    return this.#planned.get(model);
  }

  /** @param planned must depend on nothing but the query and the model */
  keep(model: ProjectModel, planned: PlannedQuery): void {
    if (sizeOf(planned) <= LARGEST_PLAN) this.#planned.set(model, planned);
  }
}

/**
 * Queries of listings by their text, parsed and planned: websites send the same few again and again. An uncached page
 * of 20 spends 40 of 330 µs of its thread with them (profile of 22,500 requests), also because the statement of a plan
 * is cached by the plan.
 */
export class QueryCache {
  readonly #queries = new LRUCache<string, KnownQuery>({
    maxSize: CAPACITY,
    sizeCalculation: (_, key) => PLAN_BYTES + key.length * BYTES_PER_CHARACTER,
  });

  /** @throws as `parseQuery` */
  get({
    channel,
    project,
    query,
  }: {
    readonly channel: Channel;
    readonly project: string;
    readonly query: string;
  }): KnownQuery {
    if (query.length > LONGEST_QUERY) return new KnownQuery(parseQuery(query));
    const key = `${channel} ${project} ${query}`;
    const cached = this.#queries.get(key);
    if (cached) return cached;
    const known = new KnownQuery(parseQuery(query));
    this.#queries.set(key, known);
    return known;
  }
}

/** Numbers and texts of a plan. */
function sizeOf({ plan, elements }: PlannedQuery): number {
  let size = elements?.length ?? 0;
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
