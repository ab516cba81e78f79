import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Selection } from './selection.ts';

/** Keeps rows where they are seen while the buttons for what is selected come and go above the list. */
export function useSteadyRows(
  list: RefObject<HTMLElement>,
  { state }: Pick<Selection<{ readonly id: string }>, 'state'>,
): void {
  /** Of the list when something was selected, and the page is not drawn yet. */
  const before = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    // The first call is of now, and would have a new page laid out.
    let isNew = true;
    return state.subscribe(() => {
      if (!isNew) before.current = list.current?.offsetTop;
      isNew = false;
    });
  }, [state]);
  useLayoutEffect(() => {
    if (list.current && before.current !== undefined)
      list.current.scrollTop += list.current.offsetTop - before.current;
    before.current = undefined;
  }, [state.value]);
}
