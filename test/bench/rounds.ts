/** Turns that do not count: caches fill, and a tenth of the CPU of the first thousands of requests is the compiler's. */
export const WARM_UP = 2;

/** Takes turns (A B B A …), so that whatever else the machine does, and being first in a round, falls on all sides alike. */
export async function takeTurns<Side extends string, Found>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<Found>>>,
): Promise<Record<Side, Found[]>> {
  const found = Object.fromEntries(Object.keys(sides).map((side) => [side, []])) as unknown as Record<
    Side,
    Found[]
  >;
  const order = Object.entries(sides) as [Side, () => Promise<Found>][];
  for (let round = -WARM_UP; round < rounds; round++, order.reverse()) {
    for (const [side, run] of order) {
      const one = await run();
      if (round >= 0) found[side].push(one);
    }
  }
  return found;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Median of the ratios of the single rounds, and the least and greatest of them: the two sides of a round ran side
 * by side, so a slow minute of the machine cancels out.
 */
export function compared(
  above: readonly number[],
  below: readonly number[],
): { readonly value: number; readonly spread: readonly [number, number] } {
  const ratios = above.map((value, round) => value / below[round]!);
  return { value: median(ratios), spread: [Math.min(...ratios), Math.max(...ratios)] };
}
