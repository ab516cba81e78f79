export interface Place {
  readonly line: number;
  readonly position: number;
}

/** Line and position in it, both from 1. */
export function placeAt(text: string, offset: number): Place {
  return placesAt(text, [offset])[0]!;
}

/** The same for several offsets in rising order, in one walk over the lines. */
export function placesAt(text: string, offsets: readonly number[]): Place[] {
  let line = 1;
  let start = 0;
  let end = text.indexOf('\n');
  return offsets.map((offset) => {
    while (end !== -1 && end < offset) {
      line += 1;
      start = end + 1;
      end = text.charCodeAt(start) === 0x0a ? start : text.indexOf('\n', start);
    }
    return { line, position: offset - start + 1 };
  });
}
