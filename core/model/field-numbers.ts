import type { Transaction } from '../storage/ports.ts';
import { expandFields } from './load-model.ts';
import type { ElementDefinition, Snippet } from './model.ts';

/** Of an element id, or of a system attribute (`#name` …), to the number its values are indexed under. */
export type FieldNumbers = Readonly<Record<string, number>>;

const SYSTEM = ['#name', '#last_modified', '#sitemap_locations'] as const;

/**
 * Gives a number to every field that has none yet. Numbers are per type, snippet elements included, and are
 * kept when an element goes, so that one that comes back under its id finds them again.
 */
export async function addFieldNumbers(
  tx: Transaction,
  before: FieldNumbers,
  elements: readonly ElementDefinition[],
  snippetById: ReadonlyMap<string, Snippet>,
): Promise<FieldNumbers> {
  const wanted = [...SYSTEM, ...expandFields(elements, snippetById, {}).map((field) => field.element.id)];
  const missing = wanted.filter((key) => before[key] === undefined);
  if (missing.length === 0) return before;
  const first = await tx.numbers('field', missing.length);
  return { ...before, ...Object.fromEntries(missing.map((key, index) => [key, first + index])) };
}
