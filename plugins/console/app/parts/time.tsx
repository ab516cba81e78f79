import { signal } from '@preact/signals';
import { formatTime } from '../messages/messages.ts';
import { whenIdle } from './when-idle.ts';

/** Set once a page with times was drawn without them. */
const isDrawn = signal(false);
let isAwaited = false;

/** A time. The first one waits until the page is idle: a browser takes as long to make the format as to draw a list. */
export function Time({ at }: { readonly at: string }) {
  // No effect: a list has one for each row.
  if (!isAwaited) {
    isAwaited = true;
    whenIdle(() => {
      isDrawn.value = true;
    });
  }
  return <>{isDrawn.value && formatTime(at)}</>;
}
