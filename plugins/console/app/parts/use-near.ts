import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { whenNear } from './when-near.ts';

/** Whether an element was near the window: what it shows need not be read before. */
export function useNear<E extends Element>(): { readonly ref: RefObject<E>; readonly isNear: boolean } {
  const ref = useRef<E>(null);
  const isNear = useSignal(false);
  useEffect(
    () =>
      whenNear(ref.current as E, () => {
        isNear.value = true;
      }),
    [],
  );
  return { ref, isNear: isNear.value };
}
