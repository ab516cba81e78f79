import type { PagePlan } from './page-plan.ts';

/** Tests in all arms of a walk; with more, writing the statement takes longer than running another one. */
export const WALK_LIMIT = 4000;
/** SQLite allows 500 arms in a compound select. */
export const ARM_LIMIT = 250;
/** Skipped rows from which on a page begins near its first row: at 200 both ways take 0.3 ms, at 100 sorting takes less. */
const DEEP = 200;
/** So much of what is skipped is read again, because no row is known to be exactly the first of the page. */
const AGAIN = 0.05;

/**
 * Measured in SQLite with titles of 5,000 and 20,000 items of twenty types, µs of CPU: a row that is read to be sorted 0.025,
 * one that is kept in the order 0.6; an arm of a merge 30, a row of it 0.25, a row that is merged 0.5.
 */
const SORTED = 0.025;
const KEPT = 0.6;
const ARM = 30;
const ARM_ROW = 0.25;
const MERGED = 0.5;

export function armTests({ order, conditions }: PagePlan): number {
  return order.by === 'slots' ? order.slots.length * (1 + conditions.length) : 0;
}

/** Rows of the order that are read up to the end of a page, of those that `startsAt` leaves. */
export function rowsFromStart({ skip, limit }: PagePlan): number {
  return skip * AGAIN + (limit ?? 0) + 1;
}

/**
 * Whether a page is deep enough in an order by several slots to begin near its first row, instead of at the first rows of
 * all slots. The page at skip 4,725 of 5,000 items of twenty types took 0.84 ms of CPU instead of 3.2 (sorted) and 4.3 (merged), at
 * skip 10,000 of 20,000 2.2 ms instead of 11.3 and 12.4.
 */
export function startsInSlots(plan: PagePlan): boolean {
  const { order, skip, limit } = plan;
  if (skip < DEEP || limit === null || order.by !== 'slots' || !isOneWalk(plan)) return false;
  return order.slots.length <= ARM_LIMIT && armTests(plan) <= WALK_LIMIT;
}

/**
 * Positions in the slots, the same share of each: the first of the rows there has at most `skip` rows before it, however many
 * rows the slots have by now.
 */
export function startsAt({ skip }: PagePlan, rows: readonly number[]): readonly number[] {
  const counted = rows.reduce((sum, count) => sum + count, 0);
  const all = Math.max(skip, counted);
  return rows.map((count) => Math.floor((count * skip) / all));
}

/**
 * Whether to sort the rows of all slots, instead of merging the first of each. PostgreSQL reads all slots at once in any case.
 * @param rows that may be sorted
 * @param reach rows up to the end of the page
 * @param test µs to check the conditions of a row
 */
export function sortsSlots(plan: PagePlan, rows: number, reach: number, test: number): boolean {
  const { order } = plan;
  if (order.by !== 'slots' || !isOneWalk(plan)) return false;
  return sortCost(rows, reach, test) <= mergeCost(order.slots.length, rows, reach, test);
}

/** µs to put the rows that `startsAt` leaves in order, without conditions. */
export function restCost(plan: PagePlan, size: number, reach: number): number {
  const { order, skip } = plan;
  const rows = Math.max(0, size - skip);
  const arms = order.by === 'slots' ? order.slots.length : 1;
  return Math.min(sortCost(rows, reach, 0), mergeCost(arms, rows, reach, 0));
}

function sortCost(rows: number, reach: number, test: number): number {
  return rows * (SORTED + test) + reach * KEPT;
}

function mergeCost(arms: number, rows: number, reach: number, test: number): number {
  return arms * ARM + Math.min(rows, arms * reach) * (ARM_ROW + test) + reach * MERGED;
}

/** Whether the order is that of rows in several slots, each of which belongs to the listing. */
function isOneWalk({ order, languages }: PagePlan): boolean {
  const [language, ...others] = languages;
  return (
    order.by === 'slots' && order.slots.length > 1 && language?.fallback === false && others.length === 0
  );
}
