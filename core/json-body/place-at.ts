import { isTurnLong, nextTurn } from '../turns/turn.ts';

export interface Place {
  readonly line: number;
  readonly position: number;
}

/** Lines that are counted before others may have their turn. */
const LINES = 65_536;

/** Line and position in it, both from 1. */
export async function placeAt(text: string, offset: number): Promise<Place> {
  const [place] = await placesAt(text, [offset]);
  return place!;
}

/** The same for several offsets in rising order, in one walk over the lines. */
export async function placesAt(text: string, offsets: readonly number[]): Promise<Place[]> {
  let line = 1;
  let start = 0;
  let end = text.indexOf('\n');
  const places: Place[] = [];
  for (const offset of offsets) {
    while (end !== -1 && end < offset) {
      line += 1;
      start = end + 1;
      end = text.charCodeAt(start) === 0x0a ? start : text.indexOf('\n', start);
      if (line % LINES === 0 && isTurnLong()) await nextTurn();
    }
    places.push({ line, position: offset - start + 1 });
  }
  return places;
}
