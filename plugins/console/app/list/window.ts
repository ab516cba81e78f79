/** Arithmetic of a list whose rows all have the same height. */

/** Height of a row in px; `style/content-list.css` has the same. */
export const ROW_HEIGHT = 40;
/** Rows beyond the visible ones on each side. */
export const BESIDE = 8;
/** However high the window is. */
const MOST_ROWS = 120;

export interface RowRange {
  readonly first: number;
  /** Not included. */
  readonly end: number;
}

/** The rows to draw. @param beside the visible ones on each side */
export function rowsAround(scrollTop: number, height: number, total: number, beside = BESIDE): RowRange {
  const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - beside);
  const visible = Math.ceil(height / ROW_HEIGHT) + 2 * beside;
  return {
    first: Math.min(first, Math.max(0, total - 1)),
    end: Math.min(total, first + Math.min(visible, MOST_ROWS)),
  };
}

/** Where to scroll so that the row is seen whole; undefined where it is. */
export function scrollTo(row: number, scrollTop: number, height: number): number | undefined {
  const top = row * ROW_HEIGHT;
  if (top < scrollTop) return top;
  if (top + ROW_HEIGHT > scrollTop + height) return top + ROW_HEIGHT - height;
  return undefined;
}

/** The row that a key moves to; undefined for another key. */
export function moveInRows(
  key: string,
  from: number,
  { total, height }: { readonly total: number; readonly height: number },
): number | undefined {
  const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1);
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: total - 1,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.max(0, Math.min(total - 1, to));
}
