import { useQuery } from '@tanstack/preact-query';
import { historyTexts } from '../../messages/history.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { language } from '../../preferences.ts';
import { DiffText } from '../../text-diff/diff-text.tsx';
import type { ContentModel } from '../item/form-groups.ts';
import { compareVersions } from './compare-versions.ts';
import { readVersion } from './history-data.ts';

interface ComparisonProps {
  readonly path: string;
  readonly model: ContentModel;
  readonly older: number;
  readonly newer: number;
  /** Something is being restored. */
  readonly isBusy: boolean;
  /** Restores an element from the older version; undefined: the person may not. */
  readonly onRestore: ((element: string) => void) | undefined;
}

/** Two versions element by element; what is the same is not shown. */
export function Comparison({ path, model, older, newer, isBusy, onRestore }: ComparisonProps) {
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
            {elements.length === 0 ? historyTexts().same : historyTexts().changedElements(elements.length)}
          </p>
          {elements.map(({ definition: { id, name }, parts }) => (
            <section key={id} aria-label={name}>
              <h3>{name}</h3>
              <DiffText parts={parts} words={historyTexts().diff} />
              {onRestore && (
                <button type="button" disabled={isBusy} onClick={() => onRestore(id)}>
                  {historyTexts().restoreElement(name)}
                </button>
              )}
            </section>
          ))}
        </>
      )}
    </Loaded>
  );
}
