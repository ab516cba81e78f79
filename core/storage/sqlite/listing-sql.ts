import { seekCondition } from '../conditions.ts';
import { EMPTY_KEY, LANGUAGE_SPAN, VALUE_FLOOR } from '../index-key.ts';
import type { EmptyCondition, PagePlan, SlotCondition, SourceLanguage } from '../page-plan.ts';
import { type AccessPath, WALK_LIMIT } from '../query-cost.ts';
import { keyTest, probe, rowTest, tested } from './condition-sql.ts';
import { join, list, raw, type Statement, sql } from './statement.ts';

/**
 * A plan as SQL: the select that yields (document, item, codename) of a listing in order. The caller chooses the access
 * path by the number of rows it reads: the planner of SQLite took 50 ms where a walk along the order takes 0.15 ms
 * (100,000 documents, unselective filter).
 *
 * A limit is written `? + 0`: SQLite reads a bare parameter there when it plans, and plans again each time one is bound.
 */

/** SQLite allows 500 arms in a compound select. */
const ARM_LIMIT = 250;
/** SQLite allows 32,766 parameters in a statement; the page around a listing needs a few. */
const PARAMETER_LIMIT = 30_000;

/** @param exact types changed under their documents, so index rows of new fields may be missing */
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

/** Counts index rows that pass the condition, or fail an exclusion, up to `limit`; the access path is chosen by it. */
export function keyCountSql(condition: SlotCondition | EmptyCondition, limit: number): Statement {
  return sql`SELECT count(*) AS total FROM (SELECT 1 FROM entry e INDEXED BY entry_key
      WHERE e.slot IN (${list(condition.slots)}) AND ${rowTest(condition, 'e.key')} LIMIT ${limit} + 0)`;
}

/** Reads the stored counts by type. */
function tallySql(plan: PagePlan): Statement {
  const parts = [sql`SELECT coalesce(sum(count), 0) AS total FROM tally WHERE view = ${plan.view}`];
  if (plan.types) parts.push(sql`AND type IN (${list(plan.types)})`);
  if (plan.languagesRestricted)
    parts.push(sql`AND language IN (${list(plan.languages.map((language) => language.number))})`);
  return join(parts);
}

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

/** Documents with a value in order, then those without. The second arm only runs when the page reaches it. */
function walkSlots(plan: PagePlan, order: SlotOrder, exact: boolean): Statement {
  // For hundreds of types with as many filters: one arm, slower among many documents.
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

/** Merges the rows of the arms in order, in groups of ARM_LIMIT. */
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

/** Documents by the table `resolved` of the view. */
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

function seek(plan: PagePlan, driver: number, sets: boolean): Statement {
  const { order } = plan;
  const base = seekBase(plan, driver, sets);
  if (order.by === 'slots') return sortedBySlots(base, order);
  if (order.by !== 'codename') throw new Error(`A seek cannot order by ${order.by}.`);
  return sql`${base} ORDER BY codename ${raw(order.descending ? 'DESC' : 'ASC')}`;
}

/** For few documents: looks up the sort key of each. */
function sortedBySlots(base: Statement, order: SlotOrder): Statement {
  const slots = order.slots.length === 0 ? raw('NULL') : list(order.slots);
  return sql`SELECT document, item, codename FROM (SELECT document, item, codename, (SELECT o.key FROM entry o
      WHERE o.document = s.document AND +o.slot IN (${slots}) AND o.key >= ${VALUE_FLOOR}) AS sort_key
      FROM (${base}) s) ORDER BY sort_key IS NULL, sort_key ${raw(order.descending ? 'DESC' : 'ASC')}, codename`;
}

function seekBase(plan: PagePlan, driver: number, sets: boolean): Statement {
  const condition = seekCondition(plan.conditions[driver], false);
  if (!condition) throw new Error('Only a condition on slots can drive a listing.');
  const rest = plan.conditions.filter((_, index) => index !== driver);
  const fallback = plan.languages.some((language) => language.fallback);
  // Only several keys can find a document twice: it has one type, one language and each key once.
  const several = condition.test.kind === 'one-of' && condition.test.keys.length > 1;
  return join([
    sql`SELECT ${raw(several ? 'DISTINCT' : '')} f.document AS document, f.item AS item, f.codename AS codename
        FROM entry f INDEXED BY entry_key WHERE f.slot IN (${list(condition.slots)}) AND ${keyTest(condition.test, 'f.key')}
        AND f.visible & ${plan.channelBit}`,
    ...(fallback ? [resolvedAs(plan, 'f')] : []),
    ...(plan.after === undefined ? [] : [sql`AND f.codename > ${plan.after}`]),
    ...rest.map((condition) => sql`AND ${tested(plan, condition, 'f', sets)}`),
  ]);
}

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
 * fallback language read every item for nothing (7 ms for 10,000 items).
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
