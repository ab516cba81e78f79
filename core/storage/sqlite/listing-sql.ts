import { EMPTY_KEY, EMPTY_RICH_TEXT, VALUE_FLOOR } from '../../publishing/index-key.ts';
import type { Condition, KeyTest, PagePlan, SlotCondition } from '../page-plan.ts';
import type { SqlValue } from '../ports.ts';

/**
 * A plan as SQL: the select that yields (document, item, codename) of a listing in order. *We* choose the
 * index that drives it, by how many rows it would touch; the planner of SQLite left alone took 50 ms where
 * a walk along the order takes 0.15 ms (100,000 documents, unselective filter).
 *
 * Statements are text plus parameters in the order of their place in the text. A limit is written `? + 0`:
 * SQLite looks at a bare parameter there when it plans, and then plans anew each time one is bound.
 */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
}

/** Of the 500 arms a compound select may have in SQLite. */
const ARM_LIMIT = 250;
/** Of the 32,766 parameters a statement may have; the page around a listing needs some of its own. */
const PARAMETER_LIMIT = 30_000;
/** Tests in all arms of a walk; beyond, writing the statement takes longer than running another. */
const WALK_LIMIT = 4000;
/** Longer lists are one parameter, so that neither their length nor each length's own statement costs anything. */
const SPREAD_LIMIT = 64;

/** What drives a listing: the order itself, or the index rows of one condition (by position). */
export type Driver = 'order' | number;

/** `exact`: types changed under their documents, so that index rows for new fields may be missing. */
export function listingSql(plan: PagePlan, driver: Driver, exact: boolean): Statement {
  if (plan.items) return givenItems(plan, plan.items);
  const { text, parameters } = driver === 'order' ? walk(plan, exact) : seek(plan, driver);
  if (plan.limit === null && plan.skip === 0) return { text, parameters };
  return {
    text: `${text} LIMIT ? + 0 OFFSET ? + 0`,
    parameters: [...parameters, plan.limit ?? -1, plan.skip],
  };
}

function givenItems(plan: PagePlan, items: readonly number[]): Statement {
  return sql`SELECT r.document AS document, r.item AS item, r.codename AS codename
      FROM json_each(${JSON.stringify(items)}) j CROSS JOIN resolved r ON r.view = ${plan.view} AND r.item = j.value`;
}

/**
 * The condition as one that index rows can be sought by, if it is one. An empty element has a row that says
 * so, unless its type changed and the row is yet to come.
 */
export function soughtBy(condition: Condition | undefined, exact: boolean): SlotCondition | null {
  if (condition?.on === 'slots') return condition.test.kind === 'none-of' ? null : condition;
  if (condition?.on !== 'empty' || !condition.empty || !condition.everywhere || exact) return null;
  return { on: 'slots', slots: condition.slots, test: { kind: 'one-of', keys: EMPTY_KEYS } };
}

const EMPTY_KEYS = [EMPTY_KEY, VALUE_FLOOR, VALUE_FLOOR + EMPTY_RICH_TEXT];

export function countSql(plan: PagePlan, driver: Driver): Statement {
  if (plan.conditions.length === 0 && !plan.codenames) return tallySql(plan);
  if (driver === 'order') {
    const base = resolvedBase(plan);
    return sql`SELECT count(*) AS total FROM (${base})`;
  }
  return sql`SELECT count(*) AS total FROM (${seekBase(plan, driver)})`;
}

/** Index rows that pass the test, counted up to `limit`: what the choice of the driver is made from. */
export function keyCountSql(condition: SlotCondition, limit: number): Statement {
  return sql`SELECT count(*) AS total FROM (SELECT 1 FROM entry e INDEXED BY entry_key
      WHERE e.slot IN (${list(condition.slots)}) AND ${keyTest(condition.test, 'e.key')} LIMIT ${limit} + 0)`;
}

/** Exact counts are kept, so counting a whole type costs nothing. */
function tallySql(plan: PagePlan): Statement {
  const parts = [sql`SELECT coalesce(sum(count), 0) AS total FROM tally WHERE view = ${plan.view}`];
  if (plan.types) parts.push(sql`AND type IN (${list(plan.types)})`);
  if (plan.languagesRestricted)
    parts.push(sql`AND language IN (${list(plan.languages.map((language) => language.number))})`);
  return join(parts);
}

// --- walking the order ---------------------------------------------------------------------------------

function walk(plan: PagePlan, exact: boolean): Statement {
  const { order } = plan;
  switch (order.by) {
    case 'codename':
      return sql`${resolvedBase(plan)} ORDER BY codename ${raw(order.descending ? 'DESC' : 'ASC')}`;
    case 'id':
    case 'type':
    case 'language': {
      const value = {
        id: '(SELECT i.id FROM item i WHERE i.number = r.item)',
        type: '(SELECT t.codename FROM content_type t WHERE t.number = r.type)',
        language: '(SELECT l.codename FROM language l WHERE l.number = r.language)',
      }[order.by];
      return sql`${resolvedBase(plan)} ORDER BY ${raw(value)} ${raw(order.descending ? 'DESC' : 'ASC')}, codename`;
    }
    case 'slots':
      return plan.codenames ? sortedBySlots(resolvedBase(plan), order) : walkSlots(plan, order, exact);
  }
}

/** Values in order, then the documents that have none. The second arm only runs when the page reaches it. */
function walkSlots(plan: PagePlan, order: SlotOrder, exact: boolean): Statement {
  // Hundreds of types times as many filters: one arm, slower among many documents.
  const sorted = () => sortedBySlots(resolvedBase(plan), order);
  if (order.slots.length * (1 + plan.conditions.length) > WALK_LIMIT) return sorted();
  const reach = plan.limit === null ? -1 : plan.skip + plan.limit;
  const direction = raw(order.descending ? 'DESC' : 'ASC');
  const arms = order.slots.map(
    (slot) =>
      sql`SELECT document, item, codename, key FROM (${entryBase(plan, slot, raw(`e.key >= '${VALUE_FLOOR}'`))}
          ORDER BY e.key ${direction}, e.codename LIMIT ${reach} + 0)`,
  );
  const valued = merged(arms, direction, reach);
  const walked = sql`SELECT document, item, codename FROM (${valued})
      UNION ALL SELECT document, item, codename FROM (${valueless(plan, order, exact)} ORDER BY codename LIMIT ${reach} + 0)`;
  return walked.parameters.length > PARAMETER_LIMIT ? sorted() : walked;
}

/** One list of what each arm has in order. SQLite takes 500 arms at a time. */
function merged(arms: readonly Statement[], direction: Statement, reach: number): Statement {
  const [only] = arms;
  if (arms.length === 1 && only) return only;
  const groups: Statement[] = [];
  for (let from = 0; from < arms.length; from += ARM_LIMIT)
    groups.push(
      sql`SELECT document, item, codename, key FROM (${join(arms.slice(from, from + ARM_LIMIT), ' UNION ALL ')})
          ORDER BY key ${direction}, codename LIMIT ${reach} + 0`,
    );
  return merged(
    groups.length === 1 ? groups : groups.map((group) => sql`SELECT * FROM (${group})`),
    direction,
    reach,
  );
}

type SlotOrder = Extract<PagePlan['order'], { by: 'slots' }>;

function valueless(plan: PagePlan, order: SlotOrder, exact: boolean): Statement {
  if (exact) {
    const slots = order.slots.length === 0 ? raw('NULL') : list(order.slots);
    return sql`${resolvedBase(plan)} AND NOT EXISTS (SELECT 1 FROM entry o WHERE o.document = r.document
        AND o.slot IN (${slots}) AND o.key >= ${VALUE_FLOOR})`;
  }
  if (order.slots.length >= ARM_LIMIT) return valueless(plan, order, true);
  const arms = order.slots.map(
    (slot) =>
      sql`SELECT document, item, codename FROM (${entryBase(plan, slot, raw(`e.key = '${EMPTY_KEY}'`))})`,
  );
  if (order.lacking.length > 0) arms.push(resolvedBase({ ...plan, types: order.lacking }));
  if (arms.length === 0) return raw('SELECT 0 AS document, 0 AS item, NULL AS codename WHERE 0');
  return sql`SELECT document, item, codename FROM (${join(arms, ' UNION ALL ')})`;
}

/** Documents by their index rows in one slot. */
function entryBase(plan: PagePlan, slot: number, keys: Statement): Statement {
  return join([
    sql`SELECT e.document AS document, e.item AS item, e.codename AS codename, e.key AS key
        FROM entry e INDEXED BY entry_key WHERE e.slot = ${slot} AND ${keys} AND e.visible & ${plan.channelBit}`,
    ...membership(plan, slot, 'e'),
    ...plan.conditions.map((condition) => sql`AND ${probe(condition, 'e')}`),
  ]);
}

/** Documents by the view's own list. */
function resolvedBase(plan: PagePlan): Statement {
  const single = plan.types?.length === 1 && !plan.codenames;
  return join([
    sql`SELECT r.document AS document, r.item AS item, r.codename AS codename
        FROM resolved r INDEXED BY ${raw(single ? 'resolved_type' : 'resolved_codename')} WHERE r.view = ${plan.view}`,
    ...(plan.types ? [sql`AND r.type IN (${list(plan.types)})`] : []),
    ...(plan.languagesRestricted
      ? [sql`AND r.language IN (${list(plan.languages.map((language) => language.number))})`]
      : []),
    ...(plan.codenames ? [sql`AND r.codename IN (${list(plan.codenames)})`] : []),
    ...(plan.after === undefined ? [] : [sql`AND r.codename > ${plan.after}`]),
    ...plan.conditions.map((condition) => sql`AND ${probe(condition, 'r')}`),
  ]);
}

// --- seeking a condition -------------------------------------------------------------------------------

function seek(plan: PagePlan, driver: number): Statement {
  const { order } = plan;
  const base = seekBase(plan, driver);
  if (order.by === 'slots') return sortedBySlots(base, order);
  if (order.by !== 'codename') throw new Error(`A seek cannot order by ${order.by}.`);
  return sql`${base} ORDER BY codename ${raw(order.descending ? 'DESC' : 'ASC')}`;
}

/** For few documents: each one's sort key is looked up. */
function sortedBySlots(base: Statement, order: SlotOrder): Statement {
  const slots = order.slots.length === 0 ? raw('NULL') : list(order.slots);
  return sql`SELECT document, item, codename FROM (SELECT document, item, codename, (SELECT o.key FROM entry o
      WHERE o.document = s.document AND +o.slot IN (${slots}) AND o.key >= ${VALUE_FLOOR}) AS sort_key
      FROM (${base}) s) ORDER BY sort_key IS NULL, sort_key ${raw(order.descending ? 'DESC' : 'ASC')}, codename`;
}

function seekBase(plan: PagePlan, driver: number): Statement {
  const condition = soughtBy(plan.conditions[driver], false);
  if (!condition) throw new Error('Only a condition on slots can drive a listing.');
  const others = plan.conditions.filter((_, index) => index !== driver);
  const fallback = plan.languages.some((language) => language.fallback);
  // Only several keys can meet one document twice: it has one type, one language and each key once.
  const several = condition.test.kind === 'one-of' && condition.test.keys.length > 1;
  return join([
    sql`SELECT ${raw(several ? 'DISTINCT' : '')} f.document AS document, f.item AS item, f.codename AS codename
        FROM entry f INDEXED BY entry_key WHERE f.slot IN (${list(condition.slots)}) AND ${keyTest(condition.test, 'f.key')}
        AND f.visible & ${plan.channelBit}`,
    ...(fallback ? [resolvedAs(plan, 'f')] : []),
    ...(plan.after === undefined ? [] : [sql`AND f.codename > ${plan.after}`]),
    ...others.map((other) => sql`AND ${probe(other, 'f')}`),
  ]);
}

// --- parts ---------------------------------------------------------------------------------------------

/** A document of a fallback language counts only where the view resolves to it. */
function membership(plan: PagePlan, slot: number, alias: string): Statement[] {
  const ordinal = slot % 256;
  const language = plan.languages.find((source) => source.ordinal === ordinal);
  return language?.fallback === false ? [] : [resolvedAs(plan, alias)];
}

function resolvedAs(plan: PagePlan, alias: string): Statement {
  return sql`AND (SELECT m.document FROM resolved m WHERE m.view = ${plan.view} AND m.item = ${raw(alias)}.item) = ${raw(alias)}.document`;
}

/**
 * The plus keeps SQLite (3.52) from turning the test into a join: with an OFFSET, that join counts a document
 * once for each of its matching index rows.
 */
const SOME = '+EXISTS';

/** A condition tested on one candidate. */
function probe(condition: Condition, alias: string): Statement {
  const row = raw(alias);
  switch (condition.on) {
    case 'codename':
      return keyTest(condition.test, `'${VALUE_FLOOR}' || ${alias}.codename`);
    case 'id':
      return sql`(SELECT ${keyTest(condition.test, `'${VALUE_FLOOR}' || i.id`)} FROM item i WHERE i.number = ${row}.item)`;
    case 'empty':
      return sql`${raw(condition.empty ? 'NOT EXISTS' : SOME)} (SELECT 1 FROM entry p WHERE p.document = ${row}.document
          AND ${slotTest(condition.slots)} AND p.key > ${VALUE_FLOOR} AND p.key <> ${VALUE_FLOOR + EMPTY_RICH_TEXT})`;
    case 'either':
      return sql`(${join(
        condition.of.map((one) => probe(one, alias)),
        ' OR ',
      )})`;
    case 'slots': {
      const none = condition.test.kind === 'none-of';
      const test = none ? ({ kind: 'one-of', keys: condition.test.keys } as const) : condition.test;
      return sql`${raw(none ? 'NOT EXISTS' : SOME)} (SELECT 1 FROM entry p WHERE p.document = ${row}.document
          AND ${slotTest(condition.slots)} AND ${keyTest(test, 'p.key')})`;
    }
  }
}

/** Many slots: looking through the document's dozen rows beats seeking each slot in turn (5 ms → 1 ms a page). */
function slotTest(slots: readonly number[]): Statement {
  return slots.length > 4 ? sql`+p.slot IN (${list(slots)})` : sql`p.slot IN (${list(slots)})`;
}

function keyTest(test: KeyTest, column: string): Statement {
  const key = raw(column);
  switch (test.kind) {
    case 'one-of':
      return test.keys.length === 1
        ? sql`${key} = ${test.keys[0] ?? ''}`
        : sql`${key} IN (${list(test.keys)})`;
    case 'none-of':
      return sql`${key} NOT IN (${list(test.keys)})`;
    case 'range': {
      const { from, to } = test;
      const lower = from
        ? sql`${key} ${raw(from.inclusive ? '>=' : '>')} ${from.key}`
        : sql`${key} >= ${VALUE_FLOOR}`;
      return to ? sql`(${lower} AND ${key} ${raw(to.inclusive ? '<=' : '<')} ${to.key})` : sql`(${lower})`;
    }
  }
}

/** Tagged template: values become parameters, statements are spliced in. */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | Statement)[]): Statement {
  let text = strings[0] ?? '';
  const parameters: SqlValue[] = [];
  values.forEach((value, index) => {
    if (isStatement(value)) {
      text += value.text;
      for (const parameter of value.parameters) parameters.push(parameter);
    } else {
      text += '?';
      parameters.push(value);
    }
    text += strings[index + 1] ?? '';
  });
  return { text, parameters };
}

function isStatement(value: SqlValue | Statement): value is Statement {
  return typeof value === 'object' && value !== null && 'text' in value;
}

/** Text of our own making, never of a caller's. */
export function raw(text: string): Statement {
  return { text, parameters: [] };
}

/** The inside of `IN (…)`. */
export function list(values: readonly (string | number)[]): Statement {
  if (values.length > SPREAD_LIMIT)
    return { text: 'SELECT value FROM json_each(?)', parameters: [JSON.stringify(values)] };
  return { text: values.map(() => '?').join(', '), parameters: values };
}

function join(parts: readonly Statement[], separator = ' '): Statement {
  return {
    text: parts.map((part) => part.text).join(separator),
    parameters: parts.flatMap((part) => part.parameters),
  };
}
