import { messages } from '../messages/messages.ts';
import type { TaggedObject } from './use-tagged.ts';

interface ConflictProps<T> {
  readonly object: TaggedObject<T>;
  /** What the form calls its properties. */
  readonly labels: Readonly<Partial<Record<keyof T, string>>>;
  /** Sends what was typed again; absent inside a form, which is submitted. */
  readonly onKeep?: () => void;
}

/** What someone else changed in an object since it was read, and the choice between theirs and mine. */
export function Conflict<T extends object>({ object, labels, onKeep }: ConflictProps<T>) {
  const { conflict } = messages();
  const { value, theirs } = object;
  if (theirs === undefined) return null;
  const before = new Map(Object.entries(value ?? {}));
  const changed = Object.entries(theirs).filter(
    ([name, now]) => name !== 'last_modified' && JSON.stringify(now) !== JSON.stringify(before.get(name)),
  );
  return (
    <section class="conflict" aria-label={conflict.title}>
      <p>{conflict.theirs}</p>
      <ul>
        {changed.map(([name, now]) => (
          <li key={name}>
            {labels[name as keyof T] ?? name}: {textOf(before.get(name))} → {textOf(now)}
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" onClick={object.takeTheirs}>
          {conflict.take}
        </button>
        <button
          type="button"
          onClick={({ currentTarget: { form } }) => {
            object.keepMine();
            if (onKeep) onKeep();
            else form?.requestSubmit();
          }}
        >
          {conflict.keep}
        </button>
      </div>
    </section>
  );
}

const LONGEST_TEXT = 80;

function textOf(value: unknown): string {
  const { yes, no } = messages().people;
  if (typeof value === 'boolean') return value ? yes : no;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
