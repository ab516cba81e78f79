/** Arithmetic of tiles of one height in as many columns as fit. */

/** Height of a tile in px; `style/assets.css` has the same. */
export const TILE_HEIGHT = 208;
/** Least width of a tile in px: two are beside each other in a window of 360 px. */
const TILE_WIDTH = 160;
/** Rows beyond the visible ones on each side. */
const BESIDE = 2;
/** However high the window is. */
const MOST_TILES = 240;

export interface TileRange {
  readonly first: number;
  /** Not included. */
  readonly end: number;
  readonly columns: number;
  /** Of all tiles. */
  readonly rows: number;
}

/** The tiles to draw. */
export function tilesAround(
  scrollTop: number,
  { width, height }: { readonly width: number; readonly height: number },
  total: number,
): TileRange {
  const columns = Math.max(1, Math.floor(width / TILE_WIDTH));
  const rows = Math.ceil(total / columns);
  const firstRow = Math.max(0, Math.min(rows - 1, Math.floor(scrollTop / TILE_HEIGHT) - BESIDE));
  const first = firstRow * columns;
  const visible = (Math.ceil(height / TILE_HEIGHT) + 2 * BESIDE) * columns;
  return { first, end: Math.min(total, first + Math.min(visible, MOST_TILES)), columns, rows };
}

/** The tile that a key moves to; undefined for another key. */
export function moveInTiles(
  key: string,
  from: number,
  { columns, total, height }: { readonly columns: number; readonly total: number; readonly height: number },
): number | undefined {
  const page = Math.max(1, Math.floor(height / TILE_HEIGHT)) * columns;
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: from + 1,
    ArrowLeft: from - 1,
    ArrowDown: from + columns,
    ArrowUp: from - columns,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: total - 1,
  };
  const to = moves[key];
  if (to === undefined) return undefined;
  // Up from the first row and down from the last one stay in their column.
  if ((key === 'ArrowDown' && to > total - 1) || (key === 'ArrowUp' && to < 0)) return from;
  return Math.max(0, Math.min(total - 1, to));
}
