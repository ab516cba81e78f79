import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Selection } from './selection.ts';

/**
 * Keeps rows where they are seen while the buttons for what is selected come and go above the list, as far as the active row is
 * not scrolled out of it. Rows of a list that is shorter than its box still move: it cannot be scrolled.
 * @param topOfActive pixels from the first row
 */
export function useSteadyRows(
  list: RefObject<HTMLElement>,
  { state }: Pick<Selection<{ readonly id: string }>, 'state'>,
  topOfActive: () => number,
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
    const { current: element } = list;
    if (element && before.current !== undefined) {
      const { scrollTop, offsetTop } = element;
      const active = topOfActive();
      const most = active < scrollTop ? Number.POSITIVE_INFINITY : active;
      element.scrollTop = Math.min(scrollTop + offsetTop - before.current, most);
    }
    before.current = undefined;
  }, [state.value]);
}
