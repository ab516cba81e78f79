import { useSignal } from '@preact/signals';
import type { Pages } from './pages.ts';
import type { Selection } from './selection.ts';

/**
 * The active row of a list, and the keys that act on rows: Space selects, with Shift from the last one on; Ctrl+A selects all;
 * Escape selects none; Enter opens.
 */
export function useActiveRow<Row extends { readonly id: string }>(
  pages: Pages<Row>,
  selection: Selection<Row>,
  onOpen: (row: Row) => void,
) {
  const active = useSignal(0);
  /** @param isRange from the row that was selected last */
  const select = async (index: number, isRange: boolean) => {
    active.value = index;
    const row = pages.row(index);
    if (isRange) {
      const [from = 0, to = 0] = [selection.anchor, index].sort((one, other) => one - other);
      selection.add(await pages.range({ first: from, end: to + 1 }));
    } else if (row) {
      selection.toggle(row);
      selection.anchor = index;
    }
  };
  /**
   * @param to the row that the key moves to; undefined for a key that does not move
   * @param show scrolls to it
   */
  const press = (event: KeyboardEvent, to: number | undefined, show: (index: number) => void) => {
    const row = pages.row(active.value);
    if (to !== undefined) {
      active.value = to;
      show(to);
      if (event.shiftKey) void select(to, true);
    } else if (event.key === ' ') void select(active.value, event.shiftKey);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selection.all();
    else if (event.key === 'Escape') selection.clear();
    else if (event.key === 'Enter' && row) onOpen(row);
    else return;
    event.preventDefault();
  };
  return { active, select, press };
}
