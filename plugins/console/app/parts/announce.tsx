import { signal } from '@preact/signals';

const text = signal('');

/** Says a result to everyone: shown for some seconds, and read by screen readers. */
export function announce(message: string): void {
  text.value = message;
  setTimeout(() => {
    if (text.value === message) text.value = '';
  }, 6000);
}

export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {text.value !== '' && <p>{text.value}</p>}
    </div>
  );
}
