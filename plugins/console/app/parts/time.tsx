import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatTime } from '../messages/messages.ts';
import { whenIdle } from './when-idle.ts';

/** Set once a page with times was drawn without them. */
const isDrawn = signal(false);

/** A time. The first one waits until the page is idle: a browser takes as long to make the format as to draw a list. */
export function Time({ at }: { readonly at: string }) {
  useEffect(() => {
    if (isDrawn.value) return;
    whenIdle(() => {
      isDrawn.value = true;
    });
  }, []);
  return <>{isDrawn.value && formatTime(at)}</>;
}
