import { isTurnLong, nextTurn } from './turn.ts';

/** The driver creates the rows of a statement in one turn: 1 ms for so many with five columns. */
const PIECE = 1000;
/** Values of the first statement: each may have hundreds of rows, one for each language. */
const FIRST = 100;
/** Characters of long rows: 4 ms. */
const CHARACTERS = 2 * 2 ** 20;
/** A row takes as long as so many characters, whatever it holds. */
const ROW = 500;
/** Long rows that the first statement reads. */
const FEW = 16;

/**
 * Runs a statement for many values, some at a time. Yields to other requests in between.
 * @param charactersOf length of a row, for rows that may be long: the longer they are, the fewer are read at a time
 */
export async function inPieces<Value, Row>(
  values: Iterable<Value>,
  read: (piece: readonly Value[]) => Promise<readonly Row[]>,
  charactersOf?: (row: Row) => number,
): Promise<Row[]> {
  const all = [...values];
  const found: Row[] = [];
  let piece = charactersOf ? FEW : FIRST;
  for (let at = 0; at < all.length; ) {
    if (isTurnLong()) await nextTurn();
    const rows = await read(all.slice(at, at + piece));
    at += piece;
    for (const row of rows) found.push(row);
    piece = nextPiece(piece, sumOf(rows, charactersOf), PIECE);
  }
  return found;
}

/**
 * The same for consecutive rows of a listing.
 * @param read reads up to `limit` rows after `last`; undefined: from the start
 */
export async function walkInPieces<Row>(
  limit: number,
  read: (limit: number, last: Row | undefined) => Promise<readonly Row[]>,
  charactersOf: (row: Row) => number,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let piece = FEW; found.length < limit; ) {
    if (isTurnLong()) await nextTurn();
    const requested = Math.min(piece, limit - found.length);
    const rows = await read(requested, found.at(-1));
    for (const row of rows) found.push(row);
    if (rows.length < requested) break;
    piece = nextPiece(piece, sumOf(rows, charactersOf), limit);
  }
  return found;
}

/** As many rows as take about half of a turn; at most eight times as many as before. */
export function nextPiece(piece: number, characters: number, maximum: number): number {
  const fitting = Math.floor((piece * CHARACTERS) / 2 / Math.max(1, characters));
  return Math.max(1, Math.min(fitting, 8 * piece, maximum));
}

/** Characters of rows, with what each takes whatever it holds. */
export function sumOf<Row>(rows: readonly Row[], charactersOf: (row: Row) => number = () => 0): number {
  return rows.reduce((sum, row) => sum + ROW + charactersOf(row), 0);
}
