/** Line and position in it, both from 1. */
export function placeAt(text: string, offset: number): { readonly line: number; readonly position: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) {
    line += 1;
    start = end + 1;
  }
  return { line, position: offset - start + 1 };
}
