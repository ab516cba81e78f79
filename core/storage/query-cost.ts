import { boundOf, seekCondition } from './conditions.ts';
import type { Condition, PagePlan } from './page-plan.ts';
import { isInBlocks, LARGEST_BLOCK } from './resolved-blocks.ts';
import {
  ARM_LIMIT,
  armTests,
  restCost,
  rowsFromStart,
  sortsSlots,
  startsAt,
  WALK_LIMIT,
} from './slot-order-cost.ts';

/** Index rows of one condition that are counted at most; 0.1 µs each, once in several seconds. */
export const COUNT_LIMIT = 4000;

/** Row counts of a plan before it runs. */
export interface PlanCounts {
  /** Documents of the view and types. */
  readonly size: number;
  /** Share of the project's items that have a document of the listing, conditions apart, among the first by id. */
  readonly idShare?: number;
  /**
   * Index rows that pass each condition, by position, up to COUNT_LIMIT; of an exclusion, those that fail it.
   * Undefined: not counted.
   */
  readonly matches: readonly (number | undefined)[];
  /** Types changed under their documents, so some index rows may be missing. */
  readonly exact: boolean;
  /** Rows with a value in each slot of the order, by position; of a plan that `startsInSlots`, where they were counted. */
  readonly slotRows?: readonly number[];
}

/** What a listing is read by: its order, or the index rows of one condition (by position). */
export type Driver = 'order' | number;

/** How a listing or its count finds documents. */
export interface AccessPath {
  readonly driver: Driver;
  /** Conditions are checked with sets that are read from the index once, instead of lookups for every candidate. */
  readonly sets: boolean;
  /** An order by id reads the ids of the project in order and looks up each item, instead of sorting all of the view. */
  readonly walksIds?: true;
  /** An order by type reads one after another, each in order of codename, instead of sorting all of the view. */
  readonly walksTypes?: true;
  /** An order by elements sorts the rows of all slots at once, instead of merging the first of each. */
  readonly sortsSlots?: true;
  /** An order by elements begins at the first of the rows at these positions of the slots; at most `skip` rows are before it. */
  readonly startsAt?: readonly number[];
  /** The walk begins in the block of the first row of the page, instead of skipping all before it. */
  readonly fromBlock?: true;
}

export interface AccessPaths {
  readonly listing: AccessPath;
  /**
   * Null: no total is required, or it is stored. `listing`: the listing finds all documents anyway. `complement`: the
   * stored count less the documents that fail the only condition, an exclusion.
   */
  readonly count: AccessPath | 'listing' | 'complement' | null;
}

export interface QueryPlan extends AccessPaths {
  readonly cost: QueryCost;
}

/** Cost in units of 1 µs of one core, as measured below, by part. */
export interface QueryCost {
  readonly units: number;
  readonly parts: Readonly<Record<CostPart, number>>;
  /** Documents that conditions are checked for. */
  readonly candidates: number;
}

export type CostPart = 'conditions' | 'skip' | 'order' | 'total' | 'lists';

/**
 * Measured with 20,000 documents of 15 index rows each (2 cores of 2.x GHz, SQLite 3.52, file in memory), in µs: walking
 * a row 0.05; a lookup of a condition on one candidate 1.7–2.2 (0.55 in one slot), of 20 conditions 22. Adding a row to a
 * set 0.5, searching a set 0.03. Looking up and sorting by a sort key 2.5; merging a row of each type's order 0.5. Reading
 * a slot or a value of a list, and seeking a position in the index, 0.3; writing and preparing a test 8.
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
/** Looking up an item of the order by id; some that are read are not in the view. */
const ID = 4;
/** An order by id is walked where a page needs at most one of so many of the view: 20 of 20,000 took 0.6 ms of the reading thread instead of 7.9. */
const ID_SHARE = 20;
/** Base cost of a page. */
const BASE = 100;
/** Share of the documents that pass a condition with more index rows than COUNT_LIMIT. */
const MANY = 0.5;

/** The paths of a plan that `needsNoCounts`. */
export function walkInOrder(plan: PagePlan): AccessPaths {
  return { listing: { driver: 'order', sets: false, ...fromBlock(plan) }, count: null };
}

function fromBlock(plan: PagePlan): Pick<AccessPath, 'fromBlock'> {
  return plan.skip > LARGEST_BLOCK && isInBlocks(plan) ? { fromBlock: true } : {};
}

/** Rows that a walk passes before the page. */
function skippedRows(plan: PagePlan): number {
  return fromBlock(plan).fromBlock ? LARGEST_BLOCK : plan.skip;
}

/**
 * One item or a page in the default order, without conditions: for any counts, `planQuery` returns `walkInOrder` and a
 * cost below the limit.
 */
export function needsNoCounts(plan: PagePlan): boolean {
  const { conditions, order, codenames, items, limit, costLimit } = plan;
  if (conditions.length > 0 || items || order.by !== 'codename') return false;
  if (costLimit === null) return true;
  if (codenames) return BASE + codenames.length * (SEEK + SORT + LISTED) <= costLimit;
  return limit !== null && BASE + (skippedRows(plan) + limit + 1) * WALK <= costLimit;
}

/** Chooses the access paths of a plan and estimates their cost. Pure. */
export function planQuery(plan: PagePlan, counts: PlanCounts): QueryPlan {
  const listing = listingCost(plan, counts);
  const lists = listCost(plan);
  const whole = plan.total && plan.conditions.length > 0;
  if (!whole) return { listing: listing.path, count: null, cost: sum(listing, 0, lists) };
  const separate = cheapestCount(plan, counts);
  // A plan with given items needs no listing.
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

interface CountCost {
  readonly path: AccessPath | 'complement';
  readonly units: number;
}

function cheapestCount(plan: PagePlan, counts: PlanCounts): CountCost {
  const found = countCost(plan, counts);
  const [condition, ...others] = plan.conditions;
  if (plan.codenames || plan.items || plan.after !== undefined) return found;
  if (others.length > 0 || condition?.on !== 'slots' || condition.test.kind !== 'none-of') return found;
  const units = countOf(counts, 0) * SEEK + seeksOf(condition) * LISTED;
  return units < found.units ? { path: 'complement', units } : found;
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
  const requested = plan.limit === null ? counts.size : skippedRows(plan) + plan.limit + 1;
  const driver = listingDriver(plan, counts, requested);
  if (plan.items) return cheaper({ ...plan, conditions: [] }, counts, 'order', plan.items.length, () => 0);
  if (driver !== 'order' || plan.codenames) {
    const rows = driver === 'order' ? (plan.codenames?.length ?? 0) : countOf(counts, driver);
    return cheaper(plan, counts, driver, rows, () => rows * (SEEK + SORT) + driverSeeks(plan, driver));
  }
  const walked = walkedRows(plan, counts, requested);
  const arms = order.by === 'slots' ? order.slots.length : 1;
  const sorted = isSorted(plan);
  const ids = walkedIds(plan, counts, walked);
  if (ids !== undefined) {
    const units = ids * ID + walked * PROBE * testsOf(plan, driver);
    const skip = (units * plan.skip) / requested;
    const path = { driver: 'order', sets: false, walksIds: true } as const;
    return { path, rows: walked, conditions: units - skip, skip, order: 0, units };
  }
  // All rows, for a total, have no start.
  const starts = plan.limit === null ? undefined : counts.slotRows && startsAt(plan, counts.slotRows);
  const share = walked / requested;
  const reach = starts ? rowsFromStart(plan) * share : walked;
  // The order of each type is read up to the end of the page.
  const merged = Math.min(counts.size, reach * arms);
  const found = cheaper(plan, counts, driver, sorted ? counts.size : walked, (sets) => {
    if (sorted || (sets && order.by === 'type')) return counts.size * SORT;
    if (order.by === 'type') return walked * WALK + order.types.length * WRITTEN;
    if (order.by !== 'slots') return walked * WALK;
    // What is skipped is walked to the start, and counted up to it.
    if (!sets && starts) return walked * WALK + restCost(plan, counts.size, reach) + armTests(plan) * WRITTEN;
    if (!sets && armTests(plan) <= WALK_LIMIT) return merged * MERGE + armTests(plan) * WRITTEN;
    return counts.size * (WALK + SORT);
  });
  if (found.path.sets) return found;
  if (order.by === 'type' && !sorted) return { ...found, path: { ...found.path, walksTypes: true } };
  if (order.by !== 'slots') return found;
  const rows = starts ? Math.max(0, counts.size - plan.skip) : atMost(plan, counts);
  const sorts = sortsSlots(plan, rows, reach, testsOf(plan, 'order') * PROBE);
  return {
    ...found,
    path: { ...found.path, ...(starts && { startsAt: starts }), ...(sorts && { sortsSlots: true }) },
  };
}

/** Lookups on each candidate, or sets, whichever costs less. */
function cheaper(
  plan: PagePlan,
  counts: PlanCounts,
  driver: Driver,
  rows: number,
  orderCost: (sets: boolean) => number,
): PathCost {
  const skipped = skippedRows(plan);
  const skip = plan.limit === null || driver !== 'order' ? 0 : skipped / (skipped + plan.limit + 1);
  const cost = (sets: boolean): PathCost => {
    // With sets, an order by several slots or types sorts all documents.
    const { by } = plan.order;
    const sortsAll = sets && driver === 'order' && (by === 'slots' || by === 'type') && !plan.codenames;
    const met = sortsAll ? counts.size : rows;
    const conditions = sets ? setCost(plan, counts, driver, met) : met * PROBE * testsOf(plan, driver);
    const order = orderCost(sets);
    const units = conditions + order;
    return {
      path: { driver, sets, ...fromBlock(plan) },
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
 * Walking the order reads rows until there are enough matches; seeking a condition reads all its matches and sorts them.
 */
function listingDriver(plan: PagePlan, counts: PlanCounts, requested: number): Driver {
  if (plan.codenames || plan.items) return 'order';
  const best = mostSelective(plan, counts);
  const matches = best === undefined ? undefined : counts.matches[best];
  if (best === undefined || matches === undefined || matches >= COUNT_LIMIT) return 'order';
  const share = shareOf(plan, counts, (count) => Math.min(1, count / counts.size));
  const walked = share > 0 ? Math.min(atMost(plan, counts), requested / share) : counts.size;
  const read = isSorted(plan) ? 2 * (walkedIds(plan, counts, walked) ?? counts.size) : walked;
  // A row from a seek costs about twice as much as one from a walk: its sort key is looked up and sorted.
  return matches * 2 < read ? best : 'order';
}

/** Ids that are read for so many documents of the listing; undefined where all are sorted. */
function walkedIds(
  { order, limit }: PagePlan,
  { idShare, size }: PlanCounts,
  walked: number,
): number | undefined {
  if (order.by !== 'id' || limit === null || !idShare) return undefined;
  const ids = walked / idShare;
  return ids * ID_SHARE <= size ? ids : undefined;
}

function walkedRows(plan: PagePlan, counts: PlanCounts, requested: number): number {
  const share = shareOf(plan, counts, (count) => {
    const known = Math.min(1, count / counts.size);
    return count < COUNT_LIMIT ? known : Math.max(known, MANY);
  });
  const most = atMost(plan, counts);
  return Math.min(most, share > 0 ? requested / share : most);
}

/** Whether no index has the order, except for ids, of which only short pages are walked. */
function isSorted({ order, conditions }: PagePlan): boolean {
  if (order.by === 'type') return order.types.length * (1 + conditions.length) > ARM_LIMIT;
  return order.by === 'id' || order.by === 'language';
}

/** Documents that a walk along the order reads at most. */
function atMost(plan: PagePlan, counts: PlanCounts): number {
  const bound = boundOf(plan);
  const matches = bound && counts.matches[bound.position];
  return matches !== undefined && matches < COUNT_LIMIT ? Math.min(counts.size, matches) : counts.size;
}

/** Share of the documents of a walk that pass all conditions, assumed to be independent. */
function shareOf(plan: PagePlan, counts: PlanCounts, passing: (count: number) => number): number {
  if (counts.size === 0) return 1;
  const bound = boundOf(plan)?.position;
  return plan.conditions.reduce((share, condition, index) => {
    const count = counts.matches[index];
    if (index === bound) return share;
    return seekCondition(condition, counts.exact) && count !== undefined ? share * passing(count) : share;
  }, 1);
}

/** Position of the condition with the fewest index rows among those that can be sought. */
function mostSelective(plan: PagePlan, counts: PlanCounts): number | undefined {
  let best: number | undefined;
  for (const [index, condition] of plan.conditions.entries()) {
    const count = counts.matches[index];
    if (count === undefined || !seekCondition(condition, counts.exact)) continue;
    if (best === undefined || count < (counts.matches[best] ?? 0)) best = index;
  }
  return best;
}

/** All documents for a condition with many rows or without a count. */
function countOf({ size, matches }: PlanCounts, index: number): number {
  const count = matches[index];
  return count === undefined || count >= COUNT_LIMIT ? Math.max(size, count ?? 0) : count;
}

function setCost(plan: PagePlan, counts: PlanCounts, driver: Driver, rows: number): number {
  let units = rows * SET_TEST * testsOf(plan, driver);
  for (const [index, condition] of plan.conditions.entries())
    if (index !== driver && condition.on !== 'codename' && condition.on !== 'id')
      // The count of an empty element is that of rows with the empty mark; its set contains documents with a value.
      units +=
        (condition.on === 'empty' ? counts.size : countOf(counts, index)) * SET_ROW +
        seeksOf(condition) * LISTED;
  return units;
}

function driverSeeks({ conditions }: PagePlan, driver: Driver): number {
  const condition = driver === 'order' ? undefined : conditions[driver];
  return condition ? seeksOf(condition) * LISTED : 0;
}

/** Seeks in the index to read all rows of a condition: one for each value in each slot. */
export function seeksOf(condition: Condition): number {
  return partsOf(condition).reduce((seeks, part) => {
    const slots = 'slots' in part ? part.slots.length : 0;
    return seeks + slots * ('test' in part && part.test.kind !== 'range' ? part.test.keys.length : 1);
  }, 0);
}

function testsOf(plan: PagePlan, driver: Driver): number {
  const bound = driver === 'order' ? boundOf(plan)?.position : driver;
  // The codename is in the rows that are walked: nothing is looked up.
  const tested = plan.conditions.flatMap((condition, position) =>
    position === bound ? [] : partsOf(condition).filter(({ on }) => on !== 'codename'),
  );
  return tested.length;
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
