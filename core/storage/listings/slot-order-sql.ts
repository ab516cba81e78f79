import { boundOf, withoutBound } from '../conditions.ts';
import { AFTER_ALL, EMPTY_KEY, LANGUAGE_SPAN, VALUE_FLOOR } from '../index-key.ts';
import type { PagePlan, SourceLanguage } from '../page-plan.ts';
import type { AccessPath } from '../query-cost.ts';
import { ARM_LIMIT, armTests, WALK_LIMIT } from '../slot-order-cost.ts';
import { type BaseSql, direction } from './base-sql.ts';
import type { ConditionSql } from './condition-sql.ts';
import type { ReadDialect } from './read-dialect.ts';
import { join, PARAMETER_LIMIT, raw, type Statement, sql } from './statement.ts';

const VALUED = raw(`e.key >= '${VALUE_FLOOR}'`);
const VALUELESS = raw(`e.key = '${EMPTY_KEY}'`);
const FROM_START = raw('e.key >= (SELECT key FROM start)');
const TO_START = raw(`e.key >= '${VALUE_FLOOR}' AND e.key <= (SELECT key FROM start)`);
const PASSED = raw('(SELECT passed FROM start)');
const NOTHING = raw('');

type SlotOrder = Extract<PagePlan['order'], { by: 'slots' }>;

/** Rows in order; `passed`: how many of the skipped ones they lack. */
export interface Walked {
  readonly rows: Statement;
  readonly passed?: Statement;
}

/** Listings in the order of the index rows of slots. */
export class SlotOrderSql {
  readonly #dialect: ReadDialect;
  readonly #conditions: ConditionSql;
  readonly #base: BaseSql;

  constructor(dialect: ReadDialect, conditions: ConditionSql, base: BaseSql) {
    this.#dialect = dialect;
    this.#conditions = conditions;
    this.#base = base;
  }

  /** For few documents: looks up the sort key of each. */
  sorted(base: Statement, order: SlotOrder): Statement {
    const { oneOf, single, alias } = this.#dialect;
    return sql`SELECT document, item, codename FROM (SELECT document, item, codename, (SELECT o.key FROM entry o
      WHERE o.document = s.document AND ${oneOf('+o.slot', order.slots)} AND o.key >= ${VALUE_FLOOR}${single}) AS sort_key
      FROM (${base}) s)${alias} ORDER BY sort_key IS NULL, sort_key ${direction(order)}, codename`;
  }

  /**
   * Documents with a value in order, then those without. The second arm only runs when the page reaches it. A condition on
   * the same attribute bounds the keys that are read, which all have a value.
   */
  walk(plan: PagePlan, order: SlotOrder, path: AccessPath, exact: boolean): Walked {
    const { limit, alias, combinesSlots } = this.#dialect;
    // For hundreds of types with as many filters: one arm, slower among many documents.
    const sorted = () => ({ rows: this.sorted(this.#base.resolved(plan, false), order) });
    if (armTests(plan) > WALK_LIMIT) return sorted();
    const isSorted = path.sortsSlots === true && !combinesSlots;
    const start = path.startsAt && !combinesSlots ? this.#start(plan, order, path.startsAt) : undefined;
    const reach = plan.limit === null ? null : plan.skip + plan.limit;
    const limited = start ? sql` LIMIT ${reach} - ${PASSED}` : limit(reach);
    const bound = boundOf(plan);
    const valuedKeys = bound ? this.#conditions.keyTest(bound.test, 'e.key') : VALUED;
    const keys = start ? (order.descending ? TO_START : FROM_START) : valuedKeys;
    const tested = withoutBound(plan);
    const arms = this.#arms(
      plan,
      order.slots,
      isSorted,
      (inSlot, language) =>
        sql`SELECT document, item, codename, key FROM (${this.#base.entries(tested, inSlot, language, keys)}
          ORDER BY e.key ${direction(order)}, e.codename${limited})${alias}`,
    );
    const [only] = arms;
    const isOne = isSorted || order.slots.length === 1;
    const valued = isOne && only ? only : this.#merged(arms, direction(order), limited);
    const before = sql`${start ?? NOTHING}SELECT document, item, codename FROM (${valued})${alias}`;
    const rows = bound
      ? before
      : sql`${before}
      UNION ALL SELECT document, item, codename FROM (${this.#valueless(plan, order, isSorted, reach, exact)} ORDER BY codename${limit(reach)})${alias}`;
    if (rows.parameters.length > PARAMETER_LIMIT) return sorted();
    return start ? { rows, passed: PASSED } : { rows };
  }

  /**
   * `WITH start …`: the first of the rows at `startsAt`, which has at most `skip` rows before it, and how many these are; only
   * those from it on are put in order.
   * @param startsAt by position of the slot
   */
  #start(plan: PagePlan, order: SlotOrder, startsAt: readonly number[]): Statement {
    const { index, hasBit, oneOf, alias } = this.#dialect;
    const { descending, slots } = order;
    const ends = raw(`'${descending ? VALUE_FLOOR : AFTER_ALL}'`);
    const places = slots.map(
      (slot, at) => sql`SELECT coalesce((SELECT e.key FROM entry e${index('entry_key')}
        WHERE e.slot = ${slot} AND ${VALUED} AND ${hasBit('e.visible', plan.channelBit)}
        ORDER BY e.key ${direction(order)} LIMIT 1 OFFSET ${startsAt[at] ?? 0} + 0), ${ends}) AS key`,
    );
    const before = this.#base.entries(
      plan,
      oneOf('e.slot', slots),
      plan.languages[0],
      descending ? raw('e.key > s.key') : sql`${VALUED} AND e.key < s.key`,
    );
    return sql`WITH start AS MATERIALIZED (SELECT s.key AS key, (SELECT count(*) FROM (${before})${alias}) AS passed
        FROM (SELECT ${raw(descending ? 'max' : 'min')}(key) AS key FROM (${join(places, ' UNION ALL ')})${alias}) s)
      `;
  }

  /**
   * One select for each slot, or for all slots of a language where the database can read them together.
   * @param isOne one for all slots; the plan has one language
   * @param arm its first parameter is a test of `e.slot`
   */
  #arms(
    plan: PagePlan,
    slots: readonly number[],
    isOne: boolean,
    arm: (inSlot: Statement, language: SourceLanguage | undefined) => Statement,
  ): Statement[] {
    const { combinesSlots, eachSlot, oneOf } = this.#dialect;
    if (isOne) return [arm(oneOf('e.slot', slots), plan.languages[0])];
    const groups = combinesSlots ? byLanguage(slots) : slots.map((slot) => [slot]);
    return groups.map((group) => {
      const ordinal = (group[0] ?? 0) % LANGUAGE_SPAN;
      const language = plan.languages.find((source) => source.ordinal === ordinal);
      return eachSlot(group, (slot) => arm(sql`e.slot = ${slotShown(plan, slot, language)}`, language));
    });
  }

  /** Merges the rows of the arms in order, in groups of ARM_LIMIT. */
  #merged(arms: readonly Statement[], descending: Statement, limited: Statement): Statement {
    const { alias } = this.#dialect;
    const groups: Statement[] = [];
    for (let from = 0; from < arms.length; from += ARM_LIMIT)
      groups.push(
        sql`SELECT document, item, codename, key FROM (${join(arms.slice(from, from + ARM_LIMIT), ' UNION ALL ')})${alias}
          ORDER BY key ${descending}, codename${limited}`,
      );
    const [only, ...others] = groups;
    if (only && others.length === 0) return only;
    const merged = groups.map((group) => sql`SELECT * FROM (${group})${alias}`);
    return this.#merged(merged, descending, limited);
  }

  #valueless(
    plan: PagePlan,
    order: SlotOrder,
    isSorted: boolean,
    reach: number | null,
    exact: boolean,
  ): Statement {
    const { oneOf, alias, fence, limit, combinesSlots } = this.#dialect;
    if (exact)
      return sql`${this.#base.resolved(plan, false)} AND NOT EXISTS (SELECT 1 FROM entry o WHERE o.document = r.document
        AND ${oneOf('o.slot', order.slots)} AND o.key >= ${VALUE_FLOOR}${fence})`;
    if (order.slots.length >= ARM_LIMIT) return this.#valueless(plan, order, isSorted, reach, true);
    const bounded = (arm: Statement) =>
      combinesSlots ? sql`SELECT * FROM (${arm} ORDER BY codename${limit(reach)})${alias}` : arm;
    const arms = this.#arms(plan, order.slots, isSorted, (inSlot, language) =>
      bounded(
        sql`SELECT document, item, codename FROM (${this.#base.entries(plan, inSlot, language, VALUELESS)})${alias}`,
      ),
    );
    if (order.lacking.length > 0)
      arms.push(bounded(this.#base.resolved({ ...plan, types: order.lacking }, false)));
    if (arms.length === 0) return raw('SELECT 0 AS document, 0 AS item, NULL AS codename WHERE 1 = 0');
    return sql`SELECT document, item, codename FROM (${join(arms, ' UNION ALL ')})${alias}`;
  }
}

function byLanguage(slots: readonly number[]): number[][] {
  const groups = new Map<number, number[]>();
  for (const slot of slots) {
    const group = groups.get(slot % LANGUAGE_SPAN);
    if (group) group.push(slot);
    else groups.set(slot % LANGUAGE_SPAN, [slot]);
  }
  return [...groups.values()];
}

/**
 * The slot, or null where the view shows nothing of its language: where everything is translated, a walk along the
 * fallback language read every item for nothing (7 ms for 10,000 items).
 */
function slotShown(plan: PagePlan, slot: Statement, language: SourceLanguage | undefined): Statement {
  if (!language?.fallback) return slot;
  const type = plan.types?.length === 1 ? sql`AND t.type = ${plan.types[0] ?? 0}` : raw('');
  return sql`(SELECT ${slot} FROM tally t WHERE t.view = ${plan.view} ${type} AND t.language = ${language.number}
      AND t.count > 0 LIMIT 1)`;
}
