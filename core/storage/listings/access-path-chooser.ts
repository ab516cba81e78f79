import { LRUCache } from 'lru-cache';
import { boundOf, seekCondition } from '../conditions.ts';
import type { Condition, EmptyCondition, PagePlan, SlotCondition } from '../page-plan.ts';
import {
  type AccessPaths,
  COUNT_LIMIT,
  needsNoCounts,
  type PlanCounts,
  planQuery,
  type QueryPlan,
  seeksOf,
  walkInOrder,
} from '../query-cost.ts';
import { refuseAbove } from '../query-too-expensive.ts';
import { startsInSlots } from '../slot-order-cost.ts';
import type { Sql } from '../sql.ts';
import { numbersOf } from './base-sql.ts';
import type { ListingSql } from './listing-sql.ts';
import type { Statement } from './statement.ts';

const CACHED_MS = 10_000;
/** Characters of the conditions whose counts are cached: a filter may list 64 KB of values. */
const CACHED_CHARACTERS = 4_000_000;

/** For a plan with a higher cost, the rows of all its conditions are counted. */
const WORTH_COUNTING = 5000;
/** Counting seeks each value in each slot; more seeks take over 6 ms, as much as a better path may save. */
const COUNTED_SEEKS = 20_000;

/**
 * Chooses the access paths of a plan from bounded counts, which it caches for seconds: an outdated count can cost time but
 * cannot change the answer.
 */
export class AccessPathChooser {
  readonly #listings: ListingSql;
  readonly #matches = countCache();
  readonly #sizes = countCache();
  readonly #idShares = countCache();
  readonly #slotRows = countCache<readonly number[]>();

  constructor(listings: ListingSql) {
    this.#listings = listings;
  }

  /**
   * @param exact types changed under their documents, so that some index rows may be missing
   * @throws ServiceError queryTooExpensive
   */
  async choose(sql: Pick<Sql, 'get'>, plan: PagePlan, exact: boolean): Promise<AccessPaths> {
    if (needsNoCounts(plan)) return walkInOrder(plan);
    const chosen = await this.estimate(sql, plan, exact);
    refuseAbove(plan.costLimit, chosen.cost);
    return chosen;
  }

  /** The same with its cost, without a limit. */
  async estimate(sql: Pick<Sql, 'get'>, plan: PagePlan, exact: boolean): Promise<QueryPlan> {
    const size = plan.codenames?.length ?? (await this.#size(sql, plan));
    const matches: (number | undefined)[] = plan.conditions.map(() => undefined);
    let counts: PlanCounts = { size, matches, exact };
    if (size > 0 && startsInSlots(plan) && !boundOf(plan)) {
      const slotRows = await this.#rowsBySlot(sql, plan);
      if (slotRows) counts = { ...counts, slotRows };
    }
    if (size > 0 && plan.order.by === 'id' && plan.limit !== null && !plan.codenames && !plan.items)
      counts = { ...counts, idShare: await this.#idShare(sql, plan) };
    if (size > 0 && !plan.codenames && (!plan.items || plan.total))
      for (const [index, condition] of plan.conditions.entries()) {
        const sought = seekCondition(condition, exact);
        if (sought && seeksOf(sought) <= COUNTED_SEEKS)
          matches[index] = await this.#count(sql, sought, plan.channelBit);
      }
    let chosen = planQuery(plan, counts);
    if (chosen.cost.units > WORTH_COUNTING && !plan.items) {
      for (const [index, condition] of plan.conditions.entries())
        if (isCountable(condition) && matches[index] === undefined)
          matches[index] = await this.#count(sql, condition, plan.channelBit);
      chosen = planQuery(plan, counts);
    }
    return chosen;
  }

  #size(sql: Pick<Sql, 'get'>, plan: PagePlan): Promise<number> {
    const key = `${plan.view}:${plan.types?.join() ?? '*'}`;
    return cached(this.#sizes, key, () =>
      totalOf(sql, this.#listings.size({ ...plan, languagesRestricted: false })),
    );
  }

  #idShare(sql: Pick<Sql, 'get'>, plan: PagePlan): Promise<number> {
    const { view, types, languages, languagesRestricted } = plan;
    const key = `${view}:${types?.join() ?? '*'}:${languagesRestricted ? numbersOf(languages).join() : '*'}`;
    return cached(this.#idShares, key, async () => {
      const { text, parameters } = this.#listings.firstIds(plan);
      const row = await sql.get<{ ids: number; shown: number }>(text, parameters);
      return row && row.ids > 0 ? row.shown / row.ids : 0;
    });
  }

  async #rowsBySlot(sql: Pick<Sql, 'get'>, plan: PagePlan): Promise<readonly number[] | undefined> {
    const statement = this.#listings.slotRows(plan);
    if (!statement || plan.order.by !== 'slots') return undefined;
    const { slots } = plan.order;
    return cached(this.#slotRows, `${plan.channelBit}:${slots.join()}`, async () => {
      const row = await sql.get<{ counts: string | null }>(statement.text, statement.parameters);
      const numbers = (row?.counts ?? '').split(',').map(Number);
      const bySlot = new Map<number, number>();
      for (let at = 0; at + 1 < numbers.length; at += 2) bySlot.set(numbers[at] ?? 0, numbers[at + 1] ?? 0);
      return slots.map((slot) => bySlot.get(slot) ?? 0);
    });
  }

  #count(
    sql: Pick<Sql, 'get'>,
    condition: SlotCondition | EmptyCondition,
    channelBit: number,
  ): Promise<number> {
    const key = `${channelBit}:${JSON.stringify(condition)}`;
    return cached(this.#matches, key, () => totalOf(sql, this.#listings.keyCount(condition, COUNT_LIMIT)));
  }
}

async function totalOf(sql: Pick<Sql, 'get'>, { text, parameters }: Statement): Promise<number> {
  return (await sql.get<{ total: number }>(text, parameters))?.total ?? 0;
}

async function cached<T extends {}>(
  cache: LRUCache<string, T>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const counted = await read();
  cache.set(key, counted);
  return counted;
}

function isCountable(condition: Condition): condition is SlotCondition | EmptyCondition {
  return (condition.on === 'slots' || condition.on === 'empty') && seeksOf(condition) <= COUNTED_SEEKS;
}

function countCache<T extends {} = number>(): LRUCache<string, T> {
  return new LRUCache({
    max: 5000,
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (_, key) => key.length,
    ttl: CACHED_MS,
    // Reads the clock at this interval instead of at each lookup.
    ttlResolution: CACHED_MS / 10,
  });
}
