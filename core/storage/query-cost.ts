import { seekCondition } from './conditions.ts';
import type { Condition, PagePlan } from './page-plan.ts';

/** Index rows of one condition counted before the answer is "many". 0.1 µs each, and only once in some seconds. */
export const COUNT_LIMIT = 4000;

/** What is known of a plan's rows before it runs. */
export interface PlanCounts {
  /** Documents of the view and types. */
  readonly size: number;
  /**
   * Index rows that pass each condition, by position, up to COUNT_LIMIT; of an exclusion, those that fail it.
   * Undefined: not counted.
   */
  readonly matches: readonly (number | undefined)[];
  /** Types changed under their documents, so that some index rows may be missing. */
  readonly exact: boolean;
}

/** What drives a listing: the order itself, or the index rows of one condition (by position). */
export type Driver = 'order' | number;

/** How a listing, or its count, finds its documents. */
export interface AccessPath {
  readonly driver: Driver;
  /** Conditions are held against sets that are read from the index once, not looked up for every candidate. */
  readonly sets: boolean;
}

export interface AccessPaths {
  readonly listing: AccessPath;
  /** Null: no total is wanted, or it is stored. `listing`: the listing finds all there are anyway. */
  readonly count: AccessPath | 'listing' | null;
}

export interface QueryPlan extends AccessPaths {
  readonly cost: QueryCost;
}

/** In units of 1 µs of one core, as measured below; what they are spent on. */
export interface QueryCost {
  readonly units: number;
  readonly parts: Readonly<Record<CostPart, number>>;
  /** Documents that conditions are held against. */
  readonly candidates: number;
}

export type CostPart = 'conditions' | 'skip' | 'order' | 'total' | 'lists';

/**
 * Measured among 20,000 documents of 15 index rows each (2 cores of 2.x GHz, SQLite 3.52, file in memory), as µs:
 * a row walked 0.05; a condition looked up on one candidate 1.7–2.2 (0.55 in one slot); 20 of them 22 a candidate. A
 * row put into a set 0.5, looked for in one 0.03. A sort key looked up and sorted 2.5; a row of each type's own order,
 * merged, 0.5. A slot or a value of a list, read by the statement, and a place of the index looked for, 0.3; a test
 * written and prepared 8.
 */
const WALK = 0.1;
const PROBE = 2;
const SET_ROW = 0.5;
const SET_TEST = 0.05;
const SEEK = 0.5;
const SORT = 2.5;
const MERGE = 0.5;
const LISTED = 0.3;
const WRITTEN = 8;
/** For any page. */
const BASE = 100;
/** Share of the documents that pass a condition whose index rows are many. */
const MANY = 0.5;

/** Tests in all arms of a walk; beyond, writing the statement takes longer than running another. */
export const WALK_LIMIT = 4000;

/** The paths of a plan that `needsNoCounts`. */
export const WALK_IN_ORDER: AccessPaths = { listing: { driver: 'order', sets: false }, count: null };

/**
 * One item or the first pages in the default order, without conditions: whatever the counts are, `planQuery` gives
 * `WALK_IN_ORDER` and a cost below the limit.
 */
export function needsNoCounts(plan: PagePlan): boolean {
  const { conditions, order, codenames, items, skip, limit, costLimit } = plan;
  if (conditions.length > 0 || items || order.by !== 'codename') return false;
  if (costLimit === null) return true;
  if (codenames) return BASE + codenames.length * (SEEK + SORT + LISTED) <= costLimit;
  return limit !== null && BASE + (skip + limit + 1) * WALK <= costLimit;
}

/** Chooses how a plan is run, and says what that costs. Pure: the counts may be those of any project. */
export function planQuery(plan: PagePlan, counts: PlanCounts): QueryPlan {
  const listing = listingCost(plan, counts);
  const lists = listCost(plan);
  const whole = plan.total && plan.conditions.length > 0;
  if (!whole) return { listing: listing.path, count: null, cost: sum(listing, 0, lists) };
  const separate = countCost(plan, counts);
  // Of a page whose items are given, the listing is not looked for.
  if (plan.items)
    return { listing: listing.path, count: separate.path, cost: sum(listing, separate.units, lists) };
  const all = listingCost({ ...plan, skip: 0, limit: null }, counts);
  return all.units <= listing.units + separate.units
    ? {
        listing: all.path,
        count: 'listing',
        cost: sum(listing, Math.max(0, all.units - listing.units), lists),
      }
    : { listing: listing.path, count: separate.path, cost: sum(listing, separate.units, lists) };
}

interface PathCost {
  readonly path: AccessPath;
  readonly rows: number;
  readonly conditions: number;
  readonly skip: number;
  readonly order: number;
  readonly units: number;
}

function sum(listing: PathCost, total: number, lists: number): QueryCost {
  const { conditions, skip, order } = listing;
  const parts = { conditions, skip, order, total, lists };
  const units = Math.ceil(BASE + listing.units + total + lists);
  return { units, parts, candidates: Math.ceil(listing.rows) };
}

function listingCost(plan: PagePlan, counts: PlanCounts): PathCost {
  const { order } = plan;
  const wanted = plan.limit === null ? counts.size : plan.skip + plan.limit + 1;
  const driver = listingDriver(plan, counts, wanted);
  if (plan.items) return cheaper({ ...plan, conditions: [] }, counts, 'order', plan.items.length, () => 0);
  if (driver !== 'order' || plan.codenames) {
    const rows = driver === 'order' ? (plan.codenames?.length ?? 0) : countOf(counts, driver);
    return cheaper(plan, counts, driver, rows, () => rows * (SEEK + SORT) + driverSeeks(plan, driver));
  }
  const walked = walkedRows(plan, counts, wanted);
  const arms = order.by === 'slots' ? order.slots.length : 1;
  const sorted = order.by !== 'codename' && order.by !== 'slots';
  // Each type's own order is read as far as the page reaches.
  const merged = Math.min(counts.size, walked * arms);
  return cheaper(plan, counts, driver, sorted ? counts.size : walked, (sets) => {
    if (sorted) return counts.size * SORT;
    if (order.by !== 'slots') return walked * WALK;
    if (!sets && armTests(plan) <= WALK_LIMIT) return merged * MERGE + armTests(plan) * WRITTEN;
    return counts.size * (WALK + SORT);
  });
}

/** Conditions looked up on each candidate, or held against sets, whichever costs less. */
function cheaper(
  plan: PagePlan,
  counts: PlanCounts,
  driver: Driver,
  rows: number,
  orderCost: (sets: boolean) => number,
): PathCost {
  const skip = plan.limit === null || driver !== 'order' ? 0 : plan.skip / (plan.skip + plan.limit + 1);
  const cost = (sets: boolean): PathCost => {
    // Sets make an order by several slots be sorted, so that every document is met.
    const met =
      sets && driver === 'order' && plan.order.by === 'slots' && !plan.codenames ? counts.size : rows;
    const conditions = sets ? setCost(plan, counts, driver, met) : met * PROBE * testsOf(plan, driver);
    const order = orderCost(sets);
    const units = conditions + order;
    return {
      path: { driver, sets },
      rows: met,
      conditions: conditions * (1 - skip),
      skip: units * skip,
      order: order * (1 - skip),
      units,
    };
  };
  const probes = cost(false);
  if (plan.conditions.length === 0) return probes;
  const sets = cost(true);
  return sets.units < probes.units ? sets : probes;
}

function countCost(plan: PagePlan, counts: PlanCounts): PathCost {
  const driver = plan.codenames ? 'order' : (mostSelective(plan, counts) ?? 'order');
  const rows = plan.codenames?.length ?? (driver === 'order' ? counts.size : countOf(counts, driver));
  const unordered = { ...plan, order: BY_CODENAME, skip: 0, limit: null };
  return cheaper(unordered, counts, driver, rows, () => rows * SEEK + driverSeeks(plan, driver));
}

const BY_CODENAME = { by: 'codename', descending: false } as const;

/**
 * Walking the order costs as many rows as it takes to meet enough matches; seeking a condition costs all its
 * matches and a sort.
 */
function listingDriver(plan: PagePlan, counts: PlanCounts, wanted: number): Driver {
  const { order } = plan;
  if ((order.by !== 'codename' && order.by !== 'slots') || plan.codenames || plan.items) return 'order';
  const best = mostSelective(plan, counts);
  const matches = best === undefined ? undefined : counts.matches[best];
  if (best === undefined || matches === undefined || matches >= COUNT_LIMIT) return 'order';
  const share = shareOf(plan, counts, (count) => Math.min(1, count / counts.size));
  const walked = Math.min(counts.size, share > 0 ? wanted / share : counts.size);
  // A sought row costs about twice a walked one: its sort key is looked up, and it is sorted.
  return matches * 2 < walked ? best : 'order';
}

function walkedRows(plan: PagePlan, counts: PlanCounts, wanted: number): number {
  const share = shareOf(plan, counts, (count) => {
    const known = Math.min(1, count / counts.size);
    return count < COUNT_LIMIT ? known : Math.max(known, MANY);
  });
  return Math.min(counts.size, share > 0 ? wanted / share : counts.size);
}

/** Share of the documents that pass all conditions, taken as independent of each other. */
function shareOf(plan: PagePlan, counts: PlanCounts, passing: (count: number) => number): number {
  if (counts.size === 0) return 1;
  return plan.conditions.reduce((share, condition, index) => {
    const count = counts.matches[index];
    return seekCondition(condition, counts.exact) && count !== undefined ? share * passing(count) : share;
  }, 1);
}

/** Position of the condition with the fewest index rows, of those that can be sought. */
function mostSelective(plan: PagePlan, counts: PlanCounts): number | undefined {
  let best: number | undefined;
  for (const [index, condition] of plan.conditions.entries()) {
    const count = counts.matches[index];
    if (count === undefined || !seekCondition(condition, counts.exact)) continue;
    if (best === undefined || count < (counts.matches[best] ?? 0)) best = index;
  }
  return best;
}

/** Many, or not counted: all. */
function countOf({ size, matches }: PlanCounts, index: number): number {
  const count = matches[index];
  return count === undefined || count >= COUNT_LIMIT ? Math.max(size, count ?? 0) : count;
}

function setCost(plan: PagePlan, counts: PlanCounts, driver: Driver, rows: number): number {
  let units = rows * SET_TEST * testsOf(plan, driver);
  for (const [index, condition] of plan.conditions.entries())
    if (index !== driver && condition.on !== 'codename' && condition.on !== 'id')
      // What is counted of an empty element are the rows that say so; its set holds those that have a value.
      units +=
        (condition.on === 'empty' ? counts.size : countOf(counts, index)) * SET_ROW +
        seeksOf(condition) * LISTED;
  return units;
}

function driverSeeks({ conditions }: PagePlan, driver: Driver): number {
  const condition = driver === 'order' ? undefined : conditions[driver];
  return condition ? seeksOf(condition) * LISTED : 0;
}

/** Places of the index that reading all rows of a condition begins at: each value in each slot. */
export function seeksOf(condition: Condition): number {
  return partsOf(condition).reduce((seeks, part) => {
    const slots = 'slots' in part ? part.slots.length : 0;
    return seeks + slots * ('test' in part && part.test.kind !== 'range' ? part.test.keys.length : 1);
  }, 0);
}

function testsOf(plan: PagePlan, driver: Driver): number {
  const all = plan.conditions.reduce((tests, one) => tests + partsOf(one).length, 0);
  return driver === 'order' ? all : all - 1;
}

function armTests({ order, conditions }: PagePlan): number {
  return order.by === 'slots' ? order.slots.length * (1 + conditions.length) : 0;
}

/** Slots and values that the statement reads. */
function listCost({ conditions, order, codenames, items }: PagePlan): number {
  let listed =
    (order.by === 'slots' ? order.slots.length : 0) + (codenames?.length ?? 0) + (items?.length ?? 0);
  for (const condition of conditions) for (const part of partsOf(condition)) listed += listedIn(part);
  return listed * LISTED;
}

function listedIn(condition: Condition): number {
  const slots = 'slots' in condition ? condition.slots.length : 0;
  const keys = 'test' in condition && condition.test.kind !== 'range' ? condition.test.keys.length : 0;
  return slots + keys;
}

function partsOf(condition: Condition): readonly Condition[] {
  return condition.on === 'either' ? condition.of : [condition];
}
