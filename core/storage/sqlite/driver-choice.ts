import { LRUCache } from 'lru-cache';
import type { PagePlan, SlotCondition } from '../page-plan.ts';
import type { Connection } from './connection.ts';
import { type Driver, keyCountSql, list, soughtBy, sql } from './listing-sql.ts';

/** Index rows counted before an estimate says "many". 0.1 µs each, and only once in REMEMBERED_MS. */
const COUNT_LIMIT = 4000;
const REMEMBERED_MS = 10_000;
/** Characters of the questions that estimates are remembered for: a filter may list 64 KB of values. */
const REMEMBERED_CHARACTERS = 4_000_000;

/**
 * Chooses what drives a listing. Walking the order costs as many rows as it takes to meet enough matches;
 * seeking a condition costs all its matches and a sort. Both are estimated from bounded counts that are
 * remembered for a while: a stale estimate can cost time, never a wrong answer.
 */
export class DriverChoice {
  readonly #matches = remembered();
  readonly #sizes = remembered();

  /** @param exact types changed under their documents, so that some index rows may be missing */
  async of(connection: Connection, plan: PagePlan, exact: boolean): Promise<Driver> {
    const { order } = plan;
    if ((order.by !== 'codename' && order.by !== 'slots') || plan.codenames || plan.items) return 'order';
    const size = await this.#size(connection, plan);
    if (size === 0) return 'order';
    let share = 1;
    let best: { readonly index: number; readonly matches: number } | null = null;
    for (const [index, one] of plan.conditions.entries()) {
      const condition = soughtBy(one, exact);
      if (!condition) continue;
      const matches = await this.#count(connection, condition, plan.channelBit);
      share *= Math.min(1, matches / size);
      if (!best || matches < best.matches) best = { index, matches };
    }
    if (!best) return 'order';
    const wanted = plan.limit === null ? size : plan.skip + plan.limit + 1;
    const walked = Math.min(size, share > 0 ? wanted / share : size);
    // A sought row costs about twice a walked one: its sort key is looked up, and it is sorted.
    return best.matches < COUNT_LIMIT && best.matches * 2 < walked ? best.index : 'order';
  }

  /** For counting there is no order to walk: the most selective condition, however many it has. */
  async forCount(connection: Connection, plan: PagePlan, exact: boolean): Promise<Driver> {
    if (plan.codenames) return 'order';
    let best: { readonly index: number; readonly matches: number } | null = null;
    for (const [index, one] of plan.conditions.entries()) {
      const condition = soughtBy(one, exact);
      if (!condition) continue;
      const matches = await this.#count(connection, condition, plan.channelBit);
      if (!best || matches < best.matches) best = { index, matches };
    }
    return best ? best.index : 'order';
  }

  async #size(connection: Connection, plan: PagePlan): Promise<number> {
    const key = `${plan.view}:${plan.types?.join() ?? '*'}`;
    const known = this.#sizes.get(key);
    if (known !== undefined) return known;
    const { text, parameters } = plan.types
      ? sql`SELECT coalesce(sum(count), 0) AS size FROM tally WHERE view = ${plan.view} AND type IN (${list(plan.types)})`
      : sql`SELECT coalesce(sum(count), 0) AS size FROM tally WHERE view = ${plan.view}`;
    const row = await connection.get<{ size: number }>(text, parameters);
    this.#sizes.set(key, row?.size ?? 0);
    return row?.size ?? 0;
  }

  async #count(connection: Connection, condition: SlotCondition, channelBit: number): Promise<number> {
    const key = `${channelBit}:${JSON.stringify([condition.slots, condition.test])}`;
    const known = this.#matches.get(key);
    if (known !== undefined) return known;
    const statement = keyCountSql(condition, COUNT_LIMIT);
    const row = await connection.get<{ total: number }>(statement.text, statement.parameters);
    this.#matches.set(key, row?.total ?? 0);
    return row?.total ?? 0;
  }
}

function remembered(): LRUCache<string, number> {
  return new LRUCache({
    max: 5000,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_, key) => key.length,
    ttl: REMEMBERED_MS,
  });
}
