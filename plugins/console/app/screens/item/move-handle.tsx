import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { itemTexts } from '../../messages/item.ts';
import { announce } from '../../parts/announce.tsx';

export interface Order {
  /** The list whose rows are moved. */
  readonly list: RefObject<HTMLOListElement>;
  readonly length: number;
  move(from: number, to: number, name: string): void;
}

/** Moves members of a list, and announces where they are. */
export function useReorder(ids: readonly string[], set: (next: readonly string[]) => void): Order {
  const list = useRef<HTMLOListElement>(null);
  return {
    list,
    length: ids.length,
    move(from, to, name) {
      if (from === to || to < 0 || to >= ids.length) return;
      const next = [...ids];
      next.splice(to, 0, ...next.splice(from, 1));
      set(next);
      announce(itemTexts().moved(name, to + 1, ids.length));
    },
  };
}

interface MoveHandleProps {
  readonly order: Order;
  readonly index: number;
  readonly name: string;
}

/** What moves a row: dragging, arrow keys on the handle, and two buttons. One that can do nothing keeps the focus. */
export function MoveHandle({ order, index, name }: MoveHandleProps) {
  const to = useRef<number | undefined>(undefined);
  const rows = () => [...(order.list.current?.children ?? [])] as HTMLElement[];
  const mark = (at: number | undefined) => {
    to.current = at;
    for (const [position, row] of rows().entries()) {
      row.classList.toggle('drop-before', position === at && position < index);
      row.classList.toggle('drop-after', position === at && position > index);
    }
  };
  const moveTo = (next: number) => order.move(index, next, name);
  return (
    <>
      <button
        type="button"
        class="drag"
        aria-label={itemTexts().move(name)}
        title={itemTexts().moveHint}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          to.current = index;
        }}
        onPointerMove={({ clientY }) => {
          if (to.current === undefined) return;
          const at = rows().findIndex((row) => clientY < row.getBoundingClientRect().bottom);
          mark(at < 0 ? rows().length - 1 : at);
        }}
        onPointerUp={() => {
          const next = to.current;
          mark(undefined);
          if (next !== undefined && next !== index) moveTo(next);
        }}
        onPointerCancel={() => mark(undefined)}
        onKeyDown={(event) => {
          const next = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: order.length - 1 }[
            event.key
          ];
          if (next === undefined) return;
          event.preventDefault();
          moveTo(next);
        }}
      >
        ⠿
      </button>
      <button
        type="button"
        aria-label={itemTexts().up(name)}
        aria-disabled={index === 0}
        onClick={() => moveTo(index - 1)}
      >
        ↑
      </button>
      <button
        type="button"
        aria-label={itemTexts().down(name)}
        aria-disabled={index === order.length - 1}
        onClick={() => moveTo(index + 1)}
      >
        ↓
      </button>
    </>
  );
}
