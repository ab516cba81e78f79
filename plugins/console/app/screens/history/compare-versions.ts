import { computed } from '@preact/signals';
import { historyTexts } from '../../messages/history.ts';
import { formatValue } from '../../messages/messages.ts';
import { language } from '../../preferences.ts';
import { compareTokens, type Part } from '../../text-diff/compare-tokens.ts';
import { type Naming, type StoredValue, tokensOf } from '../../text-diff/tokens.ts';
import { type ContentModel, elementsOf } from '../item/form-groups.ts';
import type { ValueDefinition } from '../item/managed.ts';
import type { Version } from './history-data.ts';

export interface ChangedElement {
  readonly definition: ValueDefinition;
  readonly parts: readonly Part[];
}

/** The elements that differ between two versions, in steps between which the page answers. */
export async function compareVersions(
  model: ContentModel,
  before: Version,
  after: Version,
  signal: AbortSignal,
): Promise<ChangedElement[]> {
  const type = model.types.get(after.type.id);
  if (!type) return [];
  const { line, component, item, image, linksTo, mode } = historyTexts();
  const naming: Naming = {
    model,
    names: new Map([...before.references, ...after.references].map(({ id, name }) => [id, name ?? id])),
    words: { line, component, item, image, linksTo, time: timeText, number: formatValue, mode },
  };
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const changed: ChangedElement[] = [];
  for (const definition of elementsOf(model, type)) {
    const values = [old.get(definition.id), now.get(definition.id)] as const;
    if (JSON.stringify(values[0]) === JSON.stringify(values[1])) continue;
    // A task of its own for each step, so that the page answers to the person meanwhile.
    await nextTask(signal);
    const oldTokens = tokensOf(naming, definition, values[0]);
    await nextTask(signal);
    const newTokens = tokensOf(naming, definition, values[1]);
    await nextTask(signal);
    changed.push({ definition, parts: compareTokens(oldTokens, newTokens) });
  }
  return changed;
}

/** With its seconds: versions may differ in them only. */
const timeFormat = computed(
  () => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'medium' }),
);

function timeText(at: string): string {
  return timeFormat.value.format(new Date(at));
}

function valuesOf({ elements }: Version): ReadonlyMap<string, StoredValue> {
  return new Map(elements.map(({ id, value }) => [id, value]));
}

async function nextTask(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal.throwIfAborted();
}
