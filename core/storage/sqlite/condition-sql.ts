import { DELIVERED_EMPTY_RICH_TEXT, VALUE_FLOOR } from '../index-key.ts';
import type { Condition, EmptyCondition, KeyTest, PagePlan, SlotCondition } from '../page-plan.ts';
import { join, list, raw, type Statement, sql } from './statement.ts';

/**
 * The plus keeps SQLite (3.52) from turning the test into a join: with an OFFSET, that join counts a document once for
 * each of its matching index rows.
 */
const SOME = '+EXISTS';

export function tested(plan: PagePlan, condition: Condition, alias: string, sets: boolean): Statement {
  return sets ? inSet(plan, condition, alias) : probe(condition, alias);
}

/** A condition as a lookup on each candidate. */
export function probe(condition: Condition, alias: string): Statement {
  const row = raw(alias);
  switch (condition.on) {
    case 'codename':
      return keyTest(condition.test, `'${VALUE_FLOOR}' || ${alias}.codename`);
    case 'id':
      return sql`(SELECT ${keyTest(condition.test, `'${VALUE_FLOOR}' || i.id`)} FROM item i WHERE i.number = ${row}.item)`;
    case 'either':
      return sql`(${join(
        condition.of.map((alternative) => probe(alternative, alias)),
        ' OR ',
      )})`;
    case 'empty':
    case 'slots':
      return sql`${raw(isExclusion(condition) ? 'NOT EXISTS' : SOME)} (SELECT 1 FROM entry p WHERE p.document = ${row}.document
          AND ${slotTest(condition.slots)} AND ${rowTest(condition, 'p.key')})`;
  }
}

/**
 * A condition as a set of documents that is read from the index once: 20 conditions on each of 20,000 documents took
 * 13 ms instead of 440 ms. The plus keeps SQLite from starting from the set.
 */
function inSet(plan: PagePlan, condition: Condition, alias: string): Statement {
  switch (condition.on) {
    case 'codename':
    case 'id':
      return probe(condition, alias);
    case 'either':
      return sql`(${join(
        condition.of.map((alternative) => inSet(plan, alternative, alias)),
        ' OR ',
      )})`;
    case 'empty':
    case 'slots':
      return sql`+${raw(alias)}.document ${raw(isExclusion(condition) ? 'NOT IN' : 'IN')} (SELECT p.document
          FROM entry p INDEXED BY entry_key WHERE p.slot IN (${list(condition.slots)})
          AND ${rowTest(condition, 'p.key')} AND p.visible & ${plan.channelBit})`;
  }
}

/** Holds where no index row passes `rowTest`; other conditions hold where one does. */
function isExclusion(condition: SlotCondition | EmptyCondition): boolean {
  return condition.on === 'empty' ? condition.empty : condition.test.kind === 'none-of';
}

export function rowTest(condition: SlotCondition | EmptyCondition, column: string): Statement {
  const key = raw(column);
  if (condition.on === 'empty')
    return sql`${key} > ${VALUE_FLOOR} AND ${key} <> ${VALUE_FLOOR + DELIVERED_EMPTY_RICH_TEXT}`;
  const { test } = condition;
  return keyTest(test.kind === 'none-of' ? { kind: 'one-of', keys: test.keys } : test, column);
}

/** With many slots, scanning the document's dozen rows is faster than seeking each slot (1 ms a page instead of 5 ms). */
function slotTest(slots: readonly number[]): Statement {
  return slots.length > 4 ? sql`+p.slot IN (${list(slots)})` : sql`p.slot IN (${list(slots)})`;
}

export function keyTest(test: KeyTest, column: string): Statement {
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
