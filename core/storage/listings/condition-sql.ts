import { DELIVERED_EMPTY_RICH_TEXT, VALUE_FLOOR } from '../index-key.ts';
import type { Condition, EmptyCondition, KeyTest, PagePlan, SlotCondition } from '../page-plan.ts';
import type { ReadDialect } from './read-dialect.ts';
import { join, raw, type Statement, sql } from './statement.ts';

const NOT_EXISTS = raw('NOT EXISTS');

/** The conditions of a plan as SQL. */
export class ConditionSql {
  readonly #dialect: ReadDialect;

  constructor(dialect: ReadDialect) {
    this.#dialect = dialect;
  }

  tested(plan: PagePlan, condition: Condition, alias: string, sets: boolean): Statement {
    return sets ? this.#inSet(plan, condition, alias) : this.probe(condition, alias);
  }

  /** A condition as a lookup on each candidate. */
  probe(condition: Condition, alias: string): Statement {
    const { exists, fence } = this.#dialect;
    const row = raw(alias);
    switch (condition.on) {
      case 'codename':
        return this.textTest(condition.test, `${alias}.codename`);
      case 'id':
        return sql`(SELECT ${this.textTest(condition.test, 'i.id')} FROM item i WHERE i.number = ${row}.item)`;
      case 'either':
        return sql`(${join(
          condition.of.map((alternative) => this.probe(alternative, alias)),
          ' OR ',
        )})`;
      case 'empty':
      case 'slots':
        return sql`${isExclusion(condition) ? NOT_EXISTS : exists} (SELECT 1 FROM entry p WHERE p.document = ${row}.document
          AND ${this.#slotTest(condition.slots)} AND ${this.rowTest(condition, 'p.key')}${fence})`;
    }
  }

  /**
   * A condition as a set of documents that is read from the index once: 20 conditions on each of 20,000 documents took
   * 13 ms instead of 440 ms.
   */
  #inSet(plan: PagePlan, condition: Condition, alias: string): Statement {
    switch (condition.on) {
      case 'codename':
      case 'id':
        return this.probe(condition, alias);
      case 'either':
        return sql`(${join(
          condition.of.map((alternative) => this.#inSet(plan, alternative, alias)),
          ' OR ',
        )})`;
      case 'empty':
      case 'slots': {
        const { index, oneOf, hasBit, inSet } = this.#dialect;
        const rows = sql`SELECT p.document
          FROM entry p${index('entry_key')} WHERE ${oneOf('p.slot', condition.slots)}
          AND ${this.rowTest(condition, 'p.key')} AND ${hasBit('p.visible', plan.channelBit)}`;
        return inSet(`${alias}.document`, isExclusion(condition), rows);
      }
    }
  }

  rowTest(condition: SlotCondition | EmptyCondition, column: string): Statement {
    const key = raw(column);
    if (condition.on === 'empty')
      return condition.isRichText
        ? sql`${key} > ${VALUE_FLOOR} AND ${key} <> ${VALUE_FLOOR + DELIVERED_EMPTY_RICH_TEXT}`
        : sql`${key} > ${VALUE_FLOOR}`;
    const { test } = condition;
    return this.keyTest(test.kind === 'none-of' ? { kind: 'one-of', keys: test.keys } : test, column);
  }

  /** With many slots, scanning the document's dozen rows is faster than seeking each slot (1 ms a page instead of 5 ms). */
  #slotTest(slots: readonly number[]): Statement {
    return this.#dialect.oneOf(slots.length > 4 ? '+p.slot' : 'p.slot', slots);
  }

  /** @param column of the texts whose keys are tested, which are never cut */
  textTest(test: KeyTest, column: string): Statement {
    return this.keyTest(ofTexts(test), column);
  }

  keyTest(test: KeyTest, column: string): Statement {
    const key = raw(column);
    switch (test.kind) {
      case 'one-of':
        return test.keys.length === 1
          ? sql`${key} = ${test.keys[0] ?? ''}`
          : this.#dialect.oneOf(column, test.keys);
      case 'none-of':
        return this.#dialect.noneOf(column, test.keys);
      case 'range': {
        const { from, to } = test;
        const lower = from
          ? sql`${key} ${raw(from.inclusive ? '>=' : '>')} ${from.key}`
          : sql`${key} >= ${VALUE_FLOOR}`;
        return to ? sql`(${lower} AND ${key} ${raw(to.inclusive ? '<=' : '<')} ${to.key})` : sql`(${lower})`;
      }
    }
  }
}

/** The test of keys as one of the texts themselves, which an index on these can answer. */
function ofTexts(test: KeyTest): KeyTest {
  const textOf = (key: string) => key.slice(VALUE_FLOOR.length);
  if (test.kind !== 'range') return { ...test, keys: test.keys.map(textOf) };
  const { from = { key: VALUE_FLOOR, inclusive: true }, to } = test;
  return {
    kind: 'range',
    from: { ...from, key: textOf(from.key) },
    ...(to && { to: { ...to, key: textOf(to.key) } }),
  };
}

/** Holds where no index row passes `rowTest`; other conditions hold where one does. */
function isExclusion(condition: SlotCondition | EmptyCondition): boolean {
  return condition.on === 'empty' ? condition.empty : condition.test.kind === 'none-of';
}
