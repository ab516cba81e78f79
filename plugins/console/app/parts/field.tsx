import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

export interface FieldProps extends Omit<JSX.IntrinsicElements['input'], 'label' | 'ref'> {
  readonly label: string;
  readonly hint?: string;
  /** Why its value was refused. */
  readonly error?: ComponentChildren;
}

/** Without it, a browser takes a fifth digit for one of the year, and scripts read no such time. */
const LATEST: Readonly<Record<string, string>> = {
  date: '9999-12-31',
  'datetime-local': '9999-12-31T23:59:59',
};

/** The last day or time that an input of a type may have. */
export const latestOf = (type: string): string | undefined => LATEST[type];

/** The ids of what is below an input: its hint and its error, where there are any. */
export function describedBy(id: string, hint: unknown, error: unknown): string | undefined {
  return [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
}

/** An input with its label and hint, and what is wrong with its value. */
export function Field({ label, hint, error, ...input }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        max={latestOf(String(input.type))}
        {...input}
        id={id}
        aria-describedby={describedBy(id, hint, error)}
        aria-invalid={error ? true : undefined}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && <div id={`${id}-error`}>{error}</div>}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A choice of one out of several. */
export function Choice({ label, value, options, onChange, onKeyDown }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}
