import { boundOf, withoutBound } from '../conditions.ts';
import { AFTER_ALL, VALUE_FLOOR } from '../index-key.ts';
import type { EmptyCondition, PagePlan, SlotCondition } from '../page-plan.ts';
import type { AccessPath, AccessPaths } from '../query-cost.ts';
import { ALL_TYPES } from '../resolved-blocks.ts';
import { BaseSql, direction, numbersOf } from './base-sql.ts';
import { ConditionSql } from './condition-sql.ts';
import type { ReadDialect } from './read-dialect.ts';
import { SlotOrderSql, type Walked } from './slot-order-sql.ts';
import { join, PARAMETER_LIMIT, raw, type Statement, sql } from './statement.ts';

const NULL = raw('NULL');
const PASSED = raw('coalesce((SELECT passed FROM block), 0)');

/** Ids that are read at most to estimate how many a walk reads. */
const FIRST_IDS = 100;
/**
 * So many that the listing shows are enough. Each id is looked up at a random place of the file: where that is not in memory,
 * the first page by id of 100,000 items took 262 ms instead of 312 with all of them.
 */
const SHOWN_IDS = 20;

/** What a row of `resolved` (`r`) is ordered by. */
const VALUES = {
  id: '(SELECT i.id FROM item i WHERE i.number = r.item)',
  type: '(SELECT t.codename FROM content_type t WHERE t.number = r.type)',
  language: '(SELECT l.codename FROM language l WHERE l.number = r.language)',
} as const;

/**
 * A plan as SQL: the select that yields (document, item, codename) of a listing in order. The caller chooses the access
 * path by the number of rows it reads: the planner of SQLite took 50 ms where a walk along the order takes 0.15 ms
 * (100,000 documents, unselective filter).
 */
export class ListingSql {
  readonly #dialect: ReadDialect;
  readonly #conditions: ConditionSql;
  readonly #base: BaseSql;
  readonly #bySlots: SlotOrderSql;
  readonly #shown: Statement;
  readonly #items: Statement;

  constructor(dialect: ReadDialect) {
    this.#dialect = dialect;
    this.#conditions = new ConditionSql(dialect);
    this.#base = new BaseSql(dialect, this.#conditions);
    this.#bySlots = new SlotOrderSql(dialect, this.#conditions, this.#base);
    this.#shown = raw(dialect.concatenation("document || ',' || item"));
    this.#items = raw(dialect.concatenation('item'));
  }

  /** The page of a listing as one row: `PageRow`. */
  page(plan: PagePlan, { listing, count }: AccessPaths): Statement {
    const { limit: limited, alias } = this.#dialect;
    const { skip, limit } = plan;
    // One row more than requested shows whether there is a next page.
    const limitPlusOne = limit === null ? null : limit + 1;
    const page =
      count === 'listing'
        ? sql`every AS MATERIALIZED (${this.listing({ ...plan, skip: 0, limit: null }, listing, false)}),
          page AS MATERIALIZED (SELECT document, item FROM every${limited(limitPlusOne, skip)})`
        : sql`page AS MATERIALIZED (${this.listing({ ...plan, limit: limitPlusOne }, listing, false)})`;
    return sql`WITH ${page}
    SELECT p.sequence AS sequence, p.model_sequence AS model_sequence,
      EXISTS (SELECT 1 FROM pending WHERE project = p.number) AS pending,
      (SELECT count(*) FROM page) AS found, ${this.#total(plan, count ?? listing)} AS total,
      (SELECT ${this.#shown}
        FROM (SELECT document, item FROM page${limited(limit)})${alias}) AS shown
    FROM project p WHERE p.number = ${plan.project}`;
  }

  /** Numbers of the items of a listing as one row: `items`, with commas. */
  items(plan: PagePlan, path: AccessPath, exact: boolean): Statement {
    return sql`WITH page AS MATERIALIZED (${this.listing(plan, path, exact)}) SELECT ${this.#items} AS items FROM page`;
  }

  /** @param exact types changed under their documents, so index rows of new fields may be missing */
  listing(plan: PagePlan, path: AccessPath, exact: boolean): Statement {
    const { driver, sets, walksIds, fromBlock } = path;
    if (plan.items) return this.#givenItems(plan.view, plan.items);
    if (fromBlock) return this.#walkFromBlock(plan);
    const { rows, passed } = walksIds
      ? { rows: this.#walkIds(plan) }
      : driver === 'order'
        ? this.#walk(plan, path, exact)
        : { rows: this.#seek(plan, driver, sets) };
    if (plan.limit === null && plan.skip === 0) return rows;
    return sql`${rows}${this.#dialect.limit(plan.limit, plan.skip, passed)}`;
  }

  count(plan: PagePlan, path: AccessPath | 'complement'): Statement {
    if (plan.conditions.length === 0 && !plan.codenames) return this.size(plan);
    if (path === 'complement') return this.#complement(plan);
    const { driver, sets } = path;
    const base = driver === 'order' ? this.#base.resolved(plan, sets) : this.#base.sought(plan, driver, sets);
    return sql`SELECT count(*) AS total FROM (${base})${this.#dialect.alias}`;
  }

  /** Counts index rows that pass the condition, or fail an exclusion, up to `limit`; the access path is chosen by it. */
  keyCount(condition: SlotCondition | EmptyCondition, limit: number): Statement {
    const { index, oneOf, limit: limited, alias } = this.#dialect;
    return sql`SELECT count(*) AS total FROM (SELECT 1 FROM entry e${index('entry_key')}
      WHERE ${oneOf('e.slot', condition.slots)} AND ${this.#conditions.rowTest(condition, 'e.key')}${limited(limit)})${alias}`;
  }

  /**
   * Rows with a value in each slot of the order, as `slot,count,slot,count,…`; undefined where the database reads all slots
   * at once in any case.
   */
  slotRows({ order, channelBit }: PagePlan): Statement | undefined {
    const { index, oneOf, hasBit, combinesSlots, concatenation, alias } = this.#dialect;
    if (combinesSlots || order.by !== 'slots') return undefined;
    return sql`SELECT ${raw(concatenation("slot || ',' || total"))} AS counts FROM (SELECT e.slot AS slot, count(*) AS total
      FROM entry e${index('entry_key')} WHERE ${oneOf('e.slot', order.slots)} AND e.key >= ${VALUE_FLOOR}
        AND ${hasBit('e.visible', channelBit)} GROUP BY e.slot)${alias}`;
  }

  /** The stored counts of documents. */
  size({ view, types, languages, languagesRestricted }: PagePlan): Statement {
    const { oneOf } = this.#dialect;
    const parts = [sql`SELECT coalesce(sum(count), 0) AS total FROM tally WHERE view = ${view}`];
    if (types) parts.push(sql`AND ${oneOf('type', types)}`);
    if (languagesRestricted) parts.push(sql`AND ${oneOf('language', numbersOf(languages))}`);
    return join(parts);
  }

  /**
   * How many of the first items by id the listing shows, conditions apart. What the views show does not tell it: the project
   * may have more items in other languages, archived ones, and ones that were only referenced.
   */
  firstIds(plan: PagePlan): Statement {
    const { index, exists, fence, limit } = this.#dialect;
    const count = raw('(SELECT count(*) FROM shown)');
    return sql`WITH ids AS MATERIALIZED (SELECT number, id
        FROM item${index('item_id')} WHERE project = ${plan.project} ORDER BY id${limit(FIRST_IDS)}),
      shown AS MATERIALIZED (SELECT q.id AS id FROM ids q WHERE ${exists} (SELECT 1 FROM resolved r
        WHERE r.view = ${plan.view} AND r.item = q.number ${this.#ofPlan(plan)}${fence})${limit(SHOWN_IDS)})
      SELECT ${count} AS shown, count(*) AS ids FROM ids
      WHERE ${count} < ${SHOWN_IDS} OR id <= (SELECT max(id) FROM shown)`;
  }

  #total(plan: PagePlan, count: AccessPath | 'listing' | 'complement'): Statement {
    if (!plan.total) return NULL;
    return count === 'listing' ? raw('(SELECT count(*) FROM every)') : sql`(${this.count(plan, count)})`;
  }

  #givenItems(view: number, items: readonly number[]): Statement {
    const { numbers, lookUp, listOf } = this.#dialect;
    return {
      text: `SELECT r.document AS document, r.item AS item, r.codename AS codename
      FROM ${numbers} ${lookUp('resolved', 'r', 'r.view = ? AND r.item = j.value')}`,
      parameters: [listOf(items), view],
    };
  }

  /** Counts what is excluded instead of testing each document: 0.8 ms of the reading thread instead of 6.5 among 20,000. */
  #complement(plan: PagePlan): Statement {
    const excluded = plan.conditions.map((condition) => {
      if (condition.on !== 'slots' || condition.test.kind !== 'none-of')
        throw new Error('Only an exclusion has a complement.');
      return { ...condition, test: { ...condition.test, kind: 'one-of' } } as const;
    });
    const found = this.#base.sought({ ...plan, conditions: excluded }, 0, false);
    return sql`SELECT (${this.size(plan)}) - (SELECT count(*) FROM (${found})${this.#dialect.alias}) AS total`;
  }

  #walkFromBlock(plan: PagePlan): Statement {
    const { limit } = this.#dialect;
    const { order, skip } = plan;
    const begin = order.descending
      ? sql`r.codename < coalesce((SELECT ending FROM block), ${AFTER_ALL})`
      : sql`r.codename >= coalesce((SELECT codename FROM block), '')`;
    return sql`WITH block AS MATERIALIZED (${this.#blockOf(plan)})
      ${this.#base.resolved(plan, false)} AND ${begin} ORDER BY codename ${direction(order)}${limit(plan.limit, skip, PASSED)}`;
  }

  /** The block of the first row of the page. None where the counts are not those of the view, which is then walked. */
  #blockOf(plan: PagePlan): Statement {
    const { alias } = this.#dialect;
    const order = sql`ORDER BY codename ${direction(plan.order)}`;
    return sql`SELECT codename, ending, passed FROM (
        SELECT codename, lag(codename) OVER (${order}) AS ending,
          CAST(sum(count) OVER (${order}) - count AS BIGINT) AS passed, sum(count) OVER () AS size
        FROM resolved_block WHERE view = ${plan.view} AND type = ${plan.types?.[0] ?? ALL_TYPES})${alias}
      WHERE passed <= ${plan.skip} AND size = (${this.size(plan)}) ORDER BY passed DESC, codename ${direction(plan.order)} LIMIT 1`;
  }

  #walkIds(plan: PagePlan): Statement {
    const { lookUp, index } = this.#dialect;
    const resolved = {
      text: lookUp('resolved', 'r', 'r.view = ? AND r.item = i.number'),
      parameters: [plan.view],
    };
    const bound = boundOf(plan);
    return join([
      sql`SELECT r.document AS document, r.item AS item, r.codename AS codename
        FROM item i${index('item_id')} ${resolved} WHERE i.project = ${plan.project}`,
      ...(bound ? [sql`AND ${this.#conditions.textTest(bound.test, 'i.id')}`] : []),
      this.#ofPlan(plan),
      ...withoutBound(plan).conditions.map((condition) => sql`AND ${this.#conditions.probe(condition, 'r')}`),
      sql`ORDER BY i.id ${direction(plan.order)}`,
    ]);
  }

  /** Whether a row of `resolved` (`r`) has a type and a language of the plan. */
  #ofPlan({ types, languages, languagesRestricted }: PagePlan): Statement {
    const { oneOf } = this.#dialect;
    return join([
      ...(types ? [sql`AND ${oneOf('r.type', types)}`] : []),
      ...(languagesRestricted ? [sql`AND ${oneOf('r.language', numbersOf(languages))}`] : []),
    ]);
  }

  #walkTypes(plan: PagePlan, { types, descending }: Extract<PagePlan['order'], { by: 'type' }>): Statement {
    const { limit, alias } = this.#dialect;
    const reach = limit(plan.limit === null ? null : plan.skip + plan.limit);
    const arms = (descending ? types.toReversed() : types).map(
      (type) => sql`SELECT document, item, codename
        FROM (${this.#base.resolved({ ...plan, types: [type] }, false)} ORDER BY codename${reach})${alias}`,
    );
    return join(arms, ' UNION ALL ');
  }

  #walk(plan: PagePlan, path: AccessPath, exact: boolean): Walked {
    const { order } = plan;
    const resolved = () => this.#base.resolved(plan, path.sets);
    if (path.walksTypes && order.by === 'type') {
      const rows = this.#walkTypes(plan, order);
      if (rows.parameters.length <= PARAMETER_LIMIT) return { rows };
    }
    switch (order.by) {
      case 'codename':
        return { rows: sql`${resolved()} ORDER BY codename ${direction(order)}` };
      case 'id':
      case 'type':
      case 'language': {
        const value = VALUES[order.by];
        return { rows: sql`${resolved()} ORDER BY ${raw(value)} ${direction(order)}, codename` };
      }
      case 'slots':
        return plan.codenames || path.sets
          ? { rows: this.#bySlots.sorted(resolved(), order) }
          : this.#bySlots.walk(plan, order, path, exact);
    }
  }

  #seek(plan: PagePlan, driver: number, sets: boolean): Statement {
    const { order } = plan;
    const base = this.#base.sought(plan, driver, sets);
    if (order.by === 'slots') return this.#bySlots.sorted(base, order);
    if (order.by === 'codename') return sql`${base} ORDER BY codename ${direction(order)}`;
    const { lookUp } = this.#dialect;
    const resolved = {
      text: lookUp('resolved', 'r', 'r.view = ? AND r.item = s.item'),
      parameters: [plan.view],
    };
    return sql`SELECT s.document AS document, s.item AS item, s.codename AS codename FROM (${base}) s ${resolved}
      ORDER BY ${raw(VALUES[order.by])} ${direction(order)}, s.codename`;
  }
}
