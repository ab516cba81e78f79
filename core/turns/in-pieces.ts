import { isTurnLong, nextTurn } from './turn.ts';

/** The driver makes the rows of a statement in one turn: 1 ms for so many of five columns. */
const PIECE = 1000;
/** Of rows that may be long: 4 ms. */
const CHARACTERS = 2 * 2 ** 20;
/** How many of those are asked for first. */
const FEW = 16;

/**
 * What a statement finds for the values, asked for some of them at a time, with turns for others in between.
 * @param charactersOf of rows that may be long: where they are, fewer are asked for at a time
 */
export async function inPieces<Value, Row>(
  values: Iterable<Value>,
  ask: (piece: readonly Value[]) => Promise<readonly Row[]>,
  charactersOf?: (row: Row) => number,
): Promise<Row[]> {
  const all = [...values];
  const found: Row[] = [];
  let piece = charactersOf ? FEW : PIECE;
  for (let at = 0; at < all.length; ) {
    if (isTurnLong()) await nextTurn();
    const rows = await ask(all.slice(at, at + piece));
    at += piece;
    for (const row of rows) found.push(row);
    if (charactersOf) piece = nextPiece(piece, sumOf(rows, charactersOf), PIECE);
  }
  return found;
}

/**
 * The same for a walk along the rows of a listing.
 * @param ask for so many rows behind one; undefined: from the begin
 */
export async function walkInPieces<Row>(
  limit: number,
  ask: (limit: number, last: Row | undefined) => Promise<readonly Row[]>,
  charactersOf: (row: Row) => number,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let piece = FEW; found.length < limit; ) {
    if (isTurnLong()) await nextTurn();
    const wanted = Math.min(piece, limit - found.length);
    const rows = await ask(wanted, found.at(-1));
    for (const row of rows) found.push(row);
    if (rows.length < wanted) break;
    piece = nextPiece(piece, sumOf(rows, charactersOf), limit);
  }
  return found;
}

/** As many as make about half of what a turn may take; at most eight times what was asked for before. */
export function nextPiece(piece: number, characters: number, most: number): number {
  const fitting = Math.floor((piece * CHARACTERS) / 2 / Math.max(1, characters));
  return Math.max(1, Math.min(fitting, 8 * piece, most));
}

function sumOf<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}
