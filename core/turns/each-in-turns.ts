import { isTurnLong, nextTurn } from './turn.ts';

/** Values that are visited before the turn may end: about 50 µs where a visit only stores the value. */
const PIECE = 256;

/** Visits many values in order; yields to other requests. For a few it does not read the clock. */
export async function eachInTurns<Value>(
  values: Iterable<Value>,
  visit: (value: Value, index: number) => void,
): Promise<void> {
  let index = 0;
  for (const value of values) {
    visit(value, index++);
    if (index % PIECE === 0 && isTurnLong()) await nextTurn();
  }
}
