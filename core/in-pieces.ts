import { isTurnLong, nextTurn } from './turn.ts';

/** The driver makes the rows of a statement in one turn: 1 ms for so many of five columns. */
const PIECE = 1000;

/** What a statement finds for the values, asked for some of them at a time, with turns for others in between. */
export async function inPieces<Value, Row>(
  values: Iterable<Value>,
  ask: (piece: readonly Value[]) => Promise<readonly Row[]>,
  piece = PIECE,
): Promise<Row[]> {
  const all = [...values];
  const rows: Row[] = [];
  for (let at = 0; at < all.length; at += piece) {
    if (isTurnLong()) await nextTurn();
    for (const row of await ask(all.slice(at, at + piece))) rows.push(row);
  }
  return rows;
}
