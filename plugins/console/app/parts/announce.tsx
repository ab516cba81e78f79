import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';

/**
 * With a number, that of a timer: a text that is said twice is a new element, as screen readers read what is added. In one place:
 * in another one it would be read again.
 */
const said = signal<
  | {
      readonly text: ComponentChildren;
      readonly number: number | undefined;
      readonly place: string | undefined;
    }
  | undefined
>(undefined);
let hiding: number | undefined;

/** Says a result to everyone: shown for some seconds, and read by screen readers. */
export function announce(text: ComponentChildren): void {
  clearTimeout(hiding);
  // A dialog that ends with it is closed by then.
  hiding = setTimeout(() => {
    said.value = { text, number: hiding, place: places.at(-1) };
    hiding = setTimeout(() => {
      said.value = undefined;
    }, 6000);
  });
}

/** Where announcements may be, the page first: what is behind an open dialog is neither read by screen readers nor seen. */
let places: readonly string[] = [];

/** The announcements, unless they are in a dialog in front of this place. */
export function Announcements() {
  const own = useId();
  useLayoutEffect(() => {
    places = [...places, own];
    return () => {
      places = places.filter((place) => place !== own);
      // The dialog closes before the text was shown for long, as where a save ends with reading again: it stays in front.
      const shown = said.peek();
      if (shown?.place === own) announce(shown.text);
    };
  }, []);
  const last = said.value;
  return (
    <div class="announcements" role="status" aria-live="polite">
      {last?.place === own && <p key={last.number}>{last.text}</p>}
    </div>
  );
}
