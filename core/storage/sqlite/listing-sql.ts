import { seekCondition } from '../conditions.ts';
import { DELIVERED_EMPTY_RICH_TEXT, EMPTY_KEY, LANGUAGE_SPAN, VALUE_FLOOR } from '../index-key.ts';
import type {
  Condition,
  EmptyCondition,
  KeyTest,
  PagePlan,
  SlotCondition,
  SourceLanguage,
} from '../page-plan.ts';
import { type AccessPath, WALK_LIMIT } from '../query-cost.ts';
import type { SqlValue } from '../sql.ts';

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
/** Longer lists are one parameter, so that neither their length nor each length's own statement costs anything. */
const SPREAD_LIMIT = 64;

/** `exact`: types changed under their documents, so that index rows for new fields may be missing. */
export function listingSql(plan: PagePlan, { driver, sets }: AccessPath, exact: boolean): Statement {
  if (plan.items) return givenItems(plan, plan.items);
  const { text, parameters } = driver === 'order' ? walk(plan, sets, exact) : seek(plan, driver, sets);
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

export function countSql(plan: PagePlan, { driver, sets }: AccessPath): Statement {
  if (plan.conditions.length === 0 && !plan.codenames) return tallySql(plan);
  const base = driver === 'order' ? resolvedBase(plan, sets) : seekBase(plan, driver, sets);
  return sql`SELECT count(*) AS total FROM (${base})`;
}

/** Index rows that pass the condition, or fail an exclusion, counted up to `limit`: what the choice is made from. */
export function keyCountSql(condition: SlotCondition | EmptyCondition, limit: number): Statement {
  return sql`SELECT count(*) AS total FROM (SELECT 1 FROM entry e INDEXED BY entry_key
      WHERE e.slot IN (${list(condition.slots)}) AND ${rowTest(condition, 'e.key')} LIMIT ${limit} + 0)`;
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

function walk(plan: PagePlan, sets: boolean, exact: boolean): Statement {
  const { order } = plan;
  switch (order.by) {
    case 'codename':
      return sql`${resolvedBase(plan, sets)} ORDER BY codename ${raw(order.descending ? 'DESC' : 'ASC')}`;
    case 'id':
    case 'type':
    case 'language': {
      const value = {
        id: '(SELECT i.id FROM item i WHERE i.number = r.item)',
        type: '(SELECT t.codename FROM content_type t WHERE t.number = r.type)',
        language: '(SELECT l.codename FROM language l WHERE l.number = r.language)',
      }[order.by];
      return sql`${resolvedBase(plan, sets)} ORDER BY ${raw(value)} ${raw(order.descending ? 'DESC' : 'ASC')}, codename`;
    }
    case 'slots':
      return plan.codenames || sets
        ? sortedBySlots(resolvedBase(plan, sets), order)
        : walkSlots(plan, order, exact);
  }
}

/** Values in order, then the documents that have none. The second arm only runs when the page reaches it. */
function walkSlots(plan: PagePlan, order: SlotOrder, exact: boolean): Statement {
  // Hundreds of types times as many filters: one arm, slower among many documents.
  const sorted = () => sortedBySlots(resolvedBase(plan, false), order);
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
    return sql`${resolvedBase(plan, false)} AND NOT EXISTS (SELECT 1 FROM entry o WHERE o.document = r.document
        AND o.slot IN (${slots}) AND o.key >= ${VALUE_FLOOR})`;
  }
  if (order.slots.length >= ARM_LIMIT) return valueless(plan, order, true);
  const arms = order.slots.map(
    (slot) =>
      sql`SELECT document, item, codename FROM (${entryBase(plan, slot, raw(`e.key = '${EMPTY_KEY}'`))})`,
  );
  if (order.lacking.length > 0) arms.push(resolvedBase({ ...plan, types: order.lacking }, false));
  if (arms.length === 0) return raw('SELECT 0 AS document, 0 AS item, NULL AS codename WHERE 0');
  return sql`SELECT document, item, codename FROM (${join(arms, ' UNION ALL ')})`;
}

/** Documents by their index rows in one slot. */
function entryBase(plan: PagePlan, slot: number, keys: Statement): Statement {
  return join([
    sql`SELECT e.document AS document, e.item AS item, e.codename AS codename, e.key AS key
        FROM entry e INDEXED BY entry_key WHERE e.slot = ${slotShown(plan, slot)} AND ${keys} AND e.visible & ${plan.channelBit}`,
    ...(isFallback(plan, slot) ? [resolvedAs(plan, 'e')] : []),
    ...plan.conditions.map((condition) => sql`AND ${probe(condition, 'e')}`),
  ]);
}

/** Documents by the view's own list. */
function resolvedBase(plan: PagePlan, sets: boolean): Statement {
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
    ...plan.conditions.map((condition) => sql`AND ${tested(plan, condition, 'r', sets)}`),
  ]);
}

// --- seeking a condition -------------------------------------------------------------------------------

function seek(plan: PagePlan, driver: number, sets: boolean): Statement {
  const { order } = plan;
  const base = seekBase(plan, driver, sets);
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

function seekBase(plan: PagePlan, driver: number, sets: boolean): Statement {
  const condition = seekCondition(plan.conditions[driver], false);
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
    ...others.map((other) => sql`AND ${tested(plan, other, 'f', sets)}`),
  ]);
}

// --- parts ---------------------------------------------------------------------------------------------

/** A document of a fallback language counts only where the view resolves to it. */
function isFallback(plan: PagePlan, slot: number): boolean {
  return languageOf(plan, slot)?.fallback !== false;
}

function languageOf({ languages }: PagePlan, slot: number): SourceLanguage | undefined {
  const ordinal = slot % LANGUAGE_SPAN;
  return languages.find((source) => source.ordinal === ordinal);
}

/**
 * The slot, or null where the view shows nothing of its language: where everything is translated, a walk along the
 * fallback language met every item in vain (7 ms of 10,000 items).
 */
function slotShown(plan: PagePlan, slot: number): Statement {
  const language = languageOf(plan, slot);
  if (!language?.fallback) return sql`${slot}`;
  const type = plan.types?.length === 1 ? sql`AND t.type = ${plan.types[0] ?? 0}` : raw('');
  return sql`(SELECT ${slot} FROM tally t WHERE t.view = ${plan.view} ${type} AND t.language = ${language.number}
      AND t.count > 0 LIMIT 1)`;
}

function resolvedAs(plan: PagePlan, alias: string): Statement {
  return sql`AND (SELECT m.document FROM resolved m WHERE m.view = ${plan.view} AND m.item = ${raw(alias)}.item) = ${raw(alias)}.document`;
}

/**
 * The plus keeps SQLite (3.52) from turning the test into a join: with an OFFSET, that join counts a document
 * once for each of its matching index rows.
 */
const SOME = '+EXISTS';

function tested(plan: PagePlan, condition: Condition, alias: string, sets: boolean): Statement {
  return sets ? inSet(plan, condition, alias) : probe(condition, alias);
}

/** A condition looked up on one candidate. */
function probe(condition: Condition, alias: string): Statement {
  const row = raw(alias);
  switch (condition.on) {
    case 'codename':
      return keyTest(condition.test, `'${VALUE_FLOOR}' || ${alias}.codename`);
    case 'id':
      return sql`(SELECT ${keyTest(condition.test, `'${VALUE_FLOOR}' || i.id`)} FROM item i WHERE i.number = ${row}.item)`;
    case 'either':
      return sql`(${join(
        condition.of.map((one) => probe(one, alias)),
        ' OR ',
      )})`;
    case 'empty':
    case 'slots':
      return sql`${raw(isExclusion(condition) ? 'NOT EXISTS' : SOME)} (SELECT 1 FROM entry p WHERE p.document = ${row}.document
          AND ${slotTest(condition.slots)} AND ${rowTest(condition, 'p.key')})`;
  }
}

/**
 * The same against a set of documents that is read from the index once: 20 conditions on each of 20,000 documents
 * took 13 ms instead of 440 ms. The plus keeps SQLite from starting from the set.
 */
function inSet(plan: PagePlan, condition: Condition, alias: string): Statement {
  switch (condition.on) {
    case 'codename':
    case 'id':
      return probe(condition, alias);
    case 'either':
      return sql`(${join(
        condition.of.map((one) => inSet(plan, one, alias)),
        ' OR ',
      )})`;
    case 'empty':
    case 'slots':
      return sql`+${raw(alias)}.document ${raw(isExclusion(condition) ? 'NOT IN' : 'IN')} (SELECT p.document
          FROM entry p INDEXED BY entry_key WHERE p.slot IN (${list(condition.slots)})
          AND ${rowTest(condition, 'p.key')} AND p.visible & ${plan.channelBit})`;
  }
}

/** No index row may pass `rowTest`; else one must. */
function isExclusion(condition: SlotCondition | EmptyCondition): boolean {
  return condition.on === 'empty' ? condition.empty : condition.test.kind === 'none-of';
}

function rowTest(condition: SlotCondition | EmptyCondition, column: string): Statement {
  const key = raw(column);
  if (condition.on === 'empty')
    return sql`${key} > ${VALUE_FLOOR} AND ${key} <> ${VALUE_FLOOR + DELIVERED_EMPTY_RICH_TEXT}`;
  const { test } = condition;
  return keyTest(test.kind === 'none-of' ? { kind: 'one-of', keys: test.keys } : test, column);
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
