import { useSignal } from '@preact/signals';
import { jsonTreeTexts } from '../messages/json-tree.ts';
import '../style/json.css';

/** Entries and characters that are shown at once. */
const ENTRIES = 100;
const CHARACTERS = 2000;
/** Levels that are open at first. */
const OPEN = 2;

interface JsonTreeProps {
  readonly value: unknown;
  /** Name of the entry; absent: the root. */
  readonly name?: string;
  readonly level?: number;
}

/** JSON as a tree of disclosures: what is closed is not in the page. */
export function JsonTree({ value, name, level = 0 }: JsonTreeProps) {
  const isOpen = useSignal(level < OPEN);
  const shown = useSignal(ENTRIES);
  const label = name !== undefined && <span class="json-name">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <span>
        {label}
        <JsonLeaf value={value} />
      </span>
    );
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const size = `${isList ? '[' : '{'} ${jsonTreeTexts().members(entries.length)} ${isList ? ']' : '}'}`;
  if (entries.length === 0)
    return (
      <span>
        {label}
        {isList ? '[]' : '{}'}
      </span>
    );
  return (
    <details
      class="json"
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>
        {label}
        <span class="muted">{size}</span>
      </summary>
      {isOpen.value && (
        <ul>
          {entries.slice(0, shown.value).map(([key, entry]) => (
            <li key={key}>
              <JsonTree value={entry} name={key} level={level + 1} />
            </li>
          ))}
        </ul>
      )}
      {isOpen.value && entries.length > shown.value && (
        <button type="button" onClick={() => (shown.value += ENTRIES)}>
          {jsonTreeTexts().more(Math.min(ENTRIES, entries.length - shown.value))}
        </button>
      )}
    </details>
  );
}

function JsonLeaf({ value }: { readonly value: unknown }) {
  const isWhole = useSignal(false);
  if (typeof value !== 'string') return <span>{String(value)}</span>;
  const isLong = value.length > CHARACTERS && !isWhole.value;
  return (
    <>
      <span class="json-text">{JSON.stringify(isLong ? value.slice(0, CHARACTERS) : value)}</span>
      {isLong && (
        <button type="button" onClick={() => (isWhole.value = true)}>
          {jsonTreeTexts().wholeText(value.length)}
        </button>
      )}
    </>
  );
}
