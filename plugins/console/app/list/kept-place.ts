import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Where a list was when a row was opened; the entry of the browser's history has it, for the way back. */
interface Place {
  readonly active: number;
  readonly top: number;
}

/**
 * Puts a list where it was when the person left it for one of its rows.
 * @param isDrawn the list is as high as its rows
 * @returns keeps where it is now
 */
export function useKeptPlace(
  list: RefObject<HTMLElement>,
  isDrawn: boolean,
  active: Signal<number>,
  top: Signal<number>,
): () => void {
  const kept = useRef(history.state?.list as Place | undefined);
  useLayoutEffect(() => {
    if (!isDrawn || !kept.current || !list.current) return;
    active.value = kept.current.active;
    top.value = kept.current.top;
    list.current.scrollTop = top.value;
    list.current.focus();
    kept.current = undefined;
  }, [isDrawn]);
  return () => {
    history.replaceState({ list: { active: active.value, top: top.value } satisfies Place }, '');
  };
}
