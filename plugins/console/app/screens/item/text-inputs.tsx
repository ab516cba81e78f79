import { useSignal } from '@preact/signals';
import { itemTexts } from '../../messages/item.ts';
import { latestOf } from '../../parts/field.tsx';
import { useFittedHeight } from './fitted-height.ts';
import { useContentLanguage } from './form-context.ts';
import type { InputProps } from './input-props.ts';
import { LimitedTextarea } from './limited-textarea.tsx';

export function TextInput({ element, id, describedBy, isReadOnly }: InputProps) {
  const value = String(element.value.value ?? '');
  const lang = useContentLanguage();
  useFittedHeight(id, value);
  return (
    <LimitedTextarea
      id={id}
      aria-describedby={describedBy}
      readOnly={isReadOnly}
      rows={1}
      dir="auto"
      lang={lang}
      value={value}
      onInput={(event) => element.set(event.currentTarget.value || null)}
    />
  );
}

/** Changes the decimal sign of a number; other texts stay. */
function withSign(from: string, to: string, text: string): string {
  const [whole = '', fraction = '', ...more] = text.split(from);
  const isNumber = more.length === 0 && /^\s*[+-]?\d*$/.test(whole) && /^\d*\s*$/.test(fraction);
  return isNumber ? text.replace(from, to) : text;
}

/** A text that is no number is kept as it was typed, and a finding. */
export function NumberInput({ element, id, describedBy, isReadOnly }: InputProps) {
  const { decimalSign } = itemTexts();
  return (
    <input
      id={id}
      inputMode="decimal"
      aria-describedby={describedBy}
      readOnly={isReadOnly}
      value={withSign('.', decimalSign, String(element.value.value ?? ''))}
      onInput={({ currentTarget }) => {
        const value = withSign(decimalSign, '.', currentTarget.value);
        const shown = withSign('.', decimalSign, value);
        // A browser puts the caret at the end of a text that a script replaces.
        if (shown !== currentTarget.value) {
          const { selectionStart: at } = currentTarget;
          currentTarget.value = shown;
          currentTarget.setSelectionRange(at, at);
        }
        const number = Number(value);
        const isExact = value.trim() !== '' && String(number) === value;
        element.set(value.trim() === '' ? null : isExact ? number : value);
      }}
    />
  );
}

/** The time in the zone of the browser; the value is in UTC. A part of a time is no value, so it is said that it lacks the rest. */
export function DateTimeInput({ element, id, describedBy, isReadOnly }: InputProps) {
  const value = element.value.value;
  const isPart = useSignal(false);
  const look = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    isPart.value = currentTarget.validity.badInput;
  };
  return (
    <>
      <input
        id={id}
        type="datetime-local"
        step={1}
        max={latestOf('datetime-local')}
        aria-describedby={`${id}-zone ${id}-part ${describedBy}`}
        readOnly={isReadOnly}
        value={typeof value === 'string' ? localTime(value) : ''}
        // Where there was no value before, a browser reports no input of a part.
        onBlur={look}
        onInput={(event) => {
          look(event);
          const { value: typed } = event.currentTarget;
          const time = new Date(typed);
          if (typed === '') element.set(null);
          else if (!Number.isNaN(time.getTime())) element.set(`${time.toISOString().slice(0, 19)}Z`);
        }}
      />
      <span class="hint" id={`${id}-zone`}>
        {itemTexts().timeZone(Intl.DateTimeFormat().resolvedOptions().timeZone)}
      </span>
      <div class="findings" id={`${id}-part`}>
        {isPart.value && value === null && <p role="alert">{itemTexts().partOfTime}</p>}
      </div>
    </>
  );
}

/** `YYYY-MM-DDTHH:MM:SS` in the zone of the browser. */
function localTime(value: string): string {
  const time = new Date(value);
  // Not by the offset, which has whole minutes: before 1900 zones differ by seconds too.
  const digits = (number: number, length = 2) => String(number).padStart(length, '0');
  const date = `${digits(time.getFullYear(), 4)}-${digits(time.getMonth() + 1)}-${digits(time.getDate())}`;
  return `${date}T${digits(time.getHours())}:${digits(time.getMinutes())}:${digits(time.getSeconds())}`;
}
