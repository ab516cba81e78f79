import { useQuery } from '@tanstack/preact-query';
import { compareTokens, type Part } from '../../history/compare-tokens.ts';
import { DiffText } from '../../history/diff-text.tsx';
import { type Naming, type StoredValue, tokensOf } from '../../history/tokens.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { language } from '../../preferences.ts';
import { type ContentModel, elementsOf } from '../item/form-groups.ts';
import type { ValueDefinition } from '../item/managed.ts';
import { readVersion, type Version } from './history-data.ts';
import { texts } from './texts.ts';

interface ComparisonProps {
  readonly path: string;
  readonly model: ContentModel;
  readonly older: number;
  readonly newer: number;
  /** Restores an element from the older version; undefined: the person may not. */
  readonly onRestore: ((element: string) => void) | undefined;
}

interface ChangedElement {
  readonly definition: ValueDefinition;
  readonly parts: readonly Part[];
}

/** Two versions element by element; what is the same is not shown. */
export function Comparison({ path, model, older, newer, onRestore }: ComparisonProps) {
  const changed = useQuery({
    queryKey: ['comparison', path, older, newer, language.value],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all([
        readVersion(path, older, signal),
        readVersion(path, newer, signal),
      ]);
      return compareVersions(model, before, after, signal);
    },
    // Versions never change.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={changed}>
      {(elements) => (
        <>
          <p role="status">
            {elements.length === 0 ? texts().same : texts().changedElements(elements.length)}
          </p>
          {elements.map(({ definition: { id, name }, parts }) => (
            <section key={id} aria-label={name}>
              <h3>{name}</h3>
              <DiffText parts={parts} words={texts().diff} />
              {onRestore && (
                <button type="button" onClick={() => onRestore(id)}>
                  {texts().restoreElement(name)}
                </button>
              )}
            </section>
          ))}
        </>
      )}
    </Loaded>
  );
}

async function compareVersions(
  model: ContentModel,
  before: Version,
  after: Version,
  signal: AbortSignal,
): Promise<ChangedElement[]> {
  const type = model.types.get(after.type.id);
  if (!type) return [];
  const { line, component, item, picture, linksTo, mode } = texts();
  const naming: Naming = {
    model,
    names: new Map([...before.references, ...after.references].map(({ id, name }) => [id, name ?? id])),
    words: { line, component, item, picture, linksTo, mode },
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

function valuesOf({ elements }: Version): ReadonlyMap<string, StoredValue> {
  return new Map(elements.map(({ id, value }) => [id, value]));
}

async function nextTask(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal.throwIfAborted();
}
