import { signal } from '@preact/signals';
import type { Side } from './tree.ts';

/** What is dragged, and of which list. */
const dragged = signal<{ readonly list: string; readonly id: string } | undefined>(undefined);

/** Attributes of the handle of a row. */
export function handle(list: string, id: string) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      // Firefox drags nothing without data.
      event.dataTransfer?.setData('text/plain', '');
      dragged.value = { list, id };
    },
    onDragEnd: () => {
      dragged.value = undefined;
    },
  };
}

/**
 * Attributes of a row on which others of its list are dropped.
 * @param withUnder the middle of the row means below it
 */
export function dropTarget(
  list: string,
  id: string,
  withUnder: boolean,
  onDrop: (dropped: string, side: Side) => void,
) {
  const isOfList = () => dragged.value?.list === list && dragged.value.id !== id;
  return {
    onDragOver: (event: DragEvent) => {
      if (isOfList()) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      if (!isOfList() || !dragged.value) return;
      event.preventDefault();
      event.stopPropagation();
      const { top, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
      const share = (event.clientY - top) / Math.max(1, height);
      onDrop(
        dragged.value.id,
        withUnder && share > 0.3 && share < 0.7 ? 'under' : share < 0.5 ? 'before' : 'after',
      );
    },
  };
}
