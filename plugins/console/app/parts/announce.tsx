import { signal } from '@preact/signals';
import { useId, useLayoutEffect } from 'preact/hooks';

/** With a number: a text that is said twice is a new element, as screen readers read what is added. */
const said = signal<{ readonly text: string; readonly number: number } | undefined>(undefined);
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Says a result to everyone: shown for some seconds, and read by screen readers. */
export function announce(text: string): void {
  said.value = { text, number: (said.peek()?.number ?? 0) + 1 };
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    said.value = undefined;
  }, 6000);
}

/** Where announcements may be, the page first: what is behind an open dialog is neither read by screen readers nor seen. */
const places = signal<readonly string[]>([]);

/** The announcements, unless they are in a dialog in front of this place. */
export function Announcements() {
  const own = useId();
  useLayoutEffect(() => {
    places.value = [...places.peek(), own];
    return () => {
      places.value = places.peek().filter((place) => place !== own);
    };
  }, []);
  const shown = places.value.at(-1) === own ? said.value : undefined;
  return (
    <div class="announcements" role="status" aria-live="polite">
      {shown && <p key={shown.number}>{shown.text}</p>}
    </div>
  );
}
