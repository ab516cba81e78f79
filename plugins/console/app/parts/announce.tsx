import { signal } from '@preact/signals';

const text = signal('');
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Says a result to everyone: shown for some seconds, and read by screen readers. */
export function announce(message: string): void {
  text.value = message;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    text.value = '';
  }, 6000);
}

export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {text.value !== '' && <p>{text.value}</p>}
    </div>
  );
}
