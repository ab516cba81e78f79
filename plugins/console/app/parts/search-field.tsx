import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AddressState } from './address-state.ts';
import { Field } from './field.tsx';

/** Pause after a key before the list is searched, ms. */
const TYPED = 150;

interface SearchFieldProps {
  readonly label: string;
  readonly state: AddressState<'text'>;
}

/** Searches a moment after the last key; the address never overwrites what is being typed. */
export function SearchField({ label, state }: SearchFieldProps) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const typed = useSignal<string | undefined>(undefined);
  // It would change the address of the next screen.
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <Field
      label={label}
      type="search"
      value={typed.value ?? state.get('text')}
      onInput={({ currentTarget: { value: text } }) => {
        typed.value = text;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          typed.value = undefined;
          state.set({ text }, true);
        }, TYPED);
      }}
    />
  );
}
