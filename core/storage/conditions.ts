import { DELIVERED_EMPTY_RICH_TEXT, EMPTY_KEY, VALUE_FLOOR } from './index-key.ts';
import type { Condition, KeyTest, PagePlan, SlotCondition } from './page-plan.ts';
import { armTests, WALK_LIMIT } from './slot-order-cost.ts';

const EMPTY_KEYS = [EMPTY_KEY, VALUE_FLOOR];
const EMPTY_RICH_TEXT_KEYS = [...EMPTY_KEYS, VALUE_FLOOR + DELIVERED_EMPTY_RICH_TEXT];

/**
 * The condition in a form that seeks index rows; null if there is none. An empty element has a row that says so, except
 * (`exact`) after a change of its type and before the document is recompiled.
 */
export function seekCondition(condition: Condition | undefined, exact: boolean): SlotCondition | null {
  if (condition?.on === 'slots') return condition.test.kind === 'none-of' ? null : condition;
  if (condition?.on !== 'empty' || !condition.empty || !condition.everywhere || exact) return null;
  const keys = condition.isRichText ? EMPTY_RICH_TEXT_KEYS : EMPTY_KEYS;
  return { on: 'slots', slots: condition.slots, test: { kind: 'one-of', keys } };
}

/** A condition on the attribute of the order: a walk reads the keys that pass it, and no others. */
export interface Bound {
  /** Position among the conditions of the plan. */
  readonly position: number;
  readonly test: KeyTest;
}

/** Undefined: the walk reads all keys of the order. */
export function boundOf(plan: PagePlan): Bound | undefined {
  const { order, conditions } = plan;
  // With more, all documents are sorted, so their condition is sought.
  if (armTests(plan) > WALK_LIMIT) return undefined;
  for (const [position, condition] of conditions.entries()) {
    if (condition.on !== order.by || !isInterval(condition.test)) continue;
    if (condition.on !== 'slots' || (order.by === 'slots' && isSame(condition.slots, order.slots)))
      return { position, test: condition.test };
  }
  return undefined;
}

/** The plan without the condition that bounds the keys of its order. */
export function withoutBound(plan: PagePlan): PagePlan {
  const bound = boundOf(plan);
  return bound
    ? { ...plan, conditions: plan.conditions.filter((_, position) => position !== bound.position) }
    : plan;
}

function isInterval(test: KeyTest): boolean {
  return test.kind === 'range' || (test.kind === 'one-of' && test.keys.length === 1);
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((slot, at) => slot === others[at]);
}
