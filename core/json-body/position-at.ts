import { isTurnLong, nextTurn } from '../turns/turn.ts';

export interface TextPosition {
  readonly line: number;
  readonly position: number;
}

/** Lines that are counted before the turn may end. */
const LINES = 65_536;

/** Line, and position in it, both counted from 1. */
export async function positionAt(text: string, offset: number): Promise<TextPosition> {
  const [found] = await positionsAt(text, [offset]);
  return found!;
}

/** The same for several offsets in rising order, in one pass over the lines. */
export async function positionsAt(text: string, offsets: readonly number[]): Promise<TextPosition[]> {
  let line = 1;
  let start = 0;
  let end = text.indexOf('\n');
  const positions: TextPosition[] = [];
  for (const offset of offsets) {
    while (end !== -1 && end < offset) {
      line += 1;
      start = end + 1;
      end = text.charCodeAt(start) === 0x0a ? start : text.indexOf('\n', start);
      if (line % LINES === 0 && isTurnLong()) await nextTurn();
    }
    positions.push({ line, position: offset - start + 1 });
  }
  return positions;
}
