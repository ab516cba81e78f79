import { signal } from '@preact/signals';

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

export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {said.value && <p key={said.value.number}>{said.value.text}</p>}
    </div>
  );
}
