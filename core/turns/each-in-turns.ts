import { isTurnLong, nextTurn } from './turn.ts';

/** Values that are visited before others may have their turn: some 50 µs where a visit only notes the value. */
const PIECE = 256;

/** Visits many values, one after the other; others have their turn meanwhile. */
export async function eachInTurns<Value>(
  values: Iterable<Value>,
  visit: (value: Value, index: number) => void,
): Promise<void> {
  let index = 0;
  for (const value of values) {
    if (index % PIECE === 0 && isTurnLong()) await nextTurn();
    visit(value, index++);
  }
}
