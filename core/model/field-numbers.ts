import type { Transaction } from '../storage/ports.ts';
import { expandFields } from './load-model.ts';
import type { ElementDefinition, Snippet } from './model.ts';

/** The number that values are indexed under, by element id or system attribute (`#name` …). */
export type FieldNumbers = Readonly<Record<string, number>>;

const SYSTEM = ['#name', '#last_modified', '#sitemap_locations'] as const;

/**
 * Gives a number to every field without one. Numbers are per type, elements of snippets included. A removed element
 * keeps its number, for the case that it is added again under its id.
 */
export async function addFieldNumbers(
  tx: Transaction,
  before: FieldNumbers,
  elements: readonly ElementDefinition[],
  snippetById: ReadonlyMap<string, Snippet>,
): Promise<FieldNumbers> {
  const keys = [...SYSTEM, ...expandFields(elements, snippetById, {}).map((field) => field.element.id)];
  const missing = keys.filter((key) => before[key] === undefined);
  if (missing.length === 0) return before;
  const first = await tx.numbers('field', missing.length);
  return { ...before, ...Object.fromEntries(missing.map((key, index) => [key, first + index])) };
}
