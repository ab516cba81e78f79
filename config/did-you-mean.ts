/** The one of `known` that `given` was probably meant to be; undefined when nothing is near. */
export function didYouMean(given: string, known: Iterable<string>): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_.]/g, '');
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of known) {
    const distance = plain(name) === plain(given) ? 0 : editDistance(plain(given), plain(name));
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** End of a message about `given`: `; did you mean port?`, or nothing. */
export function didYouMeanHint(given: string, known: Iterable<string>): string {
  const near = didYouMean(given, known);
  return near ? `; did you mean ${near}?` : '';
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
