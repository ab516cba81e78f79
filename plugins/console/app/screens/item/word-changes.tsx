import { diffWordsWithSpace } from 'diff';
import { useMemo } from 'preact/hooks';
import { texts } from './texts.ts';

interface WordChangesProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** Time that a comparison may take, in milliseconds. */
const TIMEOUT = 200;
/** Unchanged characters that are shown around a change. */
const AROUND = 60;

/** What was inserted and removed between two texts; nothing where they are the same. */
export function WordChanges({ before, after, label }: WordChangesProps) {
  const parts = useMemo(
    () => (before === after ? [] : diffWordsWithSpace(before, after, { timeout: TIMEOUT })),
    [before, after],
  );
  if (before === after) return null;
  return (
    <div class="word-changes">
      <p class="hint">{label}</p>
      {parts === undefined ? (
        <p>{texts().changedTooMuch}</p>
      ) : (
        <p>
          {parts.map(({ value, added, removed }, index) => {
            if (added) return <ins key={index}>{value}</ins>;
            if (removed) return <del key={index}>{value}</del>;
            return shortened(value, index === 0, index === parts.length - 1);
          })}
        </p>
      )}
    </div>
  );
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 2 * AROUND) return text;
  const start = isFirst ? '' : text.slice(0, AROUND);
  const end = isLast ? '' : text.slice(-AROUND);
  return `${start} … ${end}`;
}
