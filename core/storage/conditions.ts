import { DELIVERED_EMPTY_RICH_TEXT, EMPTY_KEY, VALUE_FLOOR } from './index-key.ts';
import type { Condition, SlotCondition } from './page-plan.ts';

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
