import { useId } from 'preact/hooks';
import { modelTexts } from '../../messages/model.ts';
import { Choice, Field } from '../../parts/field.tsx';
import { COUNT_CONDITIONS, type CountLimit, type Reference, type TextLimit } from './definition.ts';

interface InputProps<T> {
  readonly label: string;
  readonly value: T | null | undefined;
  readonly onChange: (value: T | null) => void;
}

const FIRST_LIMIT = 1;

/** At most, exactly or at least so many. */
export function CountInput({ label, value, onChange }: InputProps<CountLimit>) {
  const { conditions } = modelTexts();
  return (
    <LimitInput
      label={label}
      kind={value?.condition ?? ''}
      kinds={COUNT_CONDITIONS.map((condition) => ({ value: condition, text: conditions[condition] }))}
      count={value?.value}
      onChange={(condition, count) =>
        onChange(condition === '' ? null : { value: count, condition: condition as CountLimit['condition'] })
      }
    />
  );
}

/** At most so many words or characters. */
export function TextLimitInput({ label, value, onChange }: InputProps<TextLimit>) {
  const { units } = modelTexts();
  return (
    <LimitInput
      label={label}
      kind={value?.applies_to ?? ''}
      kinds={(['characters', 'words'] as const).map((unit) => ({ value: unit, text: units[unit] }))}
      count={value?.value}
      onChange={(unit, count) =>
        onChange(unit === '' ? null : { value: count, applies_to: unit as TextLimit['applies_to'] })
      }
    />
  );
}

interface LimitInputProps {
  readonly label: string;
  readonly kind: string;
  readonly kinds: readonly { readonly value: string; readonly text: string }[];
  readonly count: number | undefined;
  readonly onChange: (kind: string, count: number) => void;
}

function LimitInput({ label, kind, kinds, count = FIRST_LIMIT, onChange }: LimitInputProps) {
  const t = modelTexts();
  return (
    <div class="limit">
      <Choice
        label={label}
        value={kind}
        options={[{ value: '', text: t.noLimit }, ...kinds]}
        onChange={(next) => onChange(next, count)}
      />
      {kind !== '' && (
        <Field
          label={t.limitOf(label)}
          type="number"
          min={0}
          required
          value={count}
          onInput={({ currentTarget: { value } }) => onChange(kind, numberIn(value))}
        />
      )}
    </div>
  );
}

/** A number, or no limit. */
export function NumberInput({ label, value, onChange }: InputProps<number>) {
  return (
    <Field
      label={label}
      type="number"
      min={1}
      {...(typeof value !== 'number' && { hint: modelTexts().noLimit })}
      value={value ?? ''}
      onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? null : numberIn(text))}
    />
  );
}

function numberIn(text: string): number {
  return Math.max(0, Number.parseInt(text, 10) || 0);
}

interface ReferencesInputProps {
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly value: readonly Reference[];
  readonly onChange: (value: readonly Reference[]) => void;
}

/** Any number of parts of the model. */
export function ReferencesInput({ label, hint, options, value, onChange }: ReferencesInputProps) {
  const id = useId();
  const chosen = new Set(value.map((reference) => reference.id));
  return (
    <fieldset class="choices" aria-describedby={hint ? id : undefined}>
      <legend>{label}</legend>
      {hint && chosen.size === 0 && (
        <p class="hint" id={id}>
          {hint}
        </p>
      )}
      {options.length === 0 && <p class="hint">{modelTexts().noneToChoose}</p>}
      {options.map((option) => (
        <label key={option.value} class="check">
          <input
            type="checkbox"
            checked={chosen.has(option.value)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(
                checked
                  ? [...value, { id: option.value }]
                  : value.filter((reference) => reference.id !== option.value),
              )
            }
          />{' '}
          {option.text}
        </label>
      ))}
    </fieldset>
  );
}

/** A text of several lines. */
export function TextArea({
  label,
  value,
  onInput,
}: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}
