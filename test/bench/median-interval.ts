import { median } from './rounds.ts';

export interface MedianInterval {
  readonly median: number;
  /** Holds the true median with a probability of `confidence` or more. */
  readonly interval: readonly [number, number];
  readonly confidence: number;
}

const WANTED = 0.95;
/** The least number of values whose whole range holds the median in 95 of 100 cases: 1 − 2 ÷ 2⁶. */
export const LEAST_ROUNDS = 6;

/**
 * The median and its 95 % interval from order statistics: the k-th smallest and k-th greatest value, with the
 * greatest k that leaves out the true median in at most 5 % of cases. That share is the binomial probability of fewer
 * than k of n values on one side of it, whatever the distribution is. A bootstrap of the median of some ten values
 * would resample the same few numbers, cover less than it claims, and answer otherwise at each run.
 */
export function medianInterval(values: readonly number[]): MedianInterval {
  const count = values.length;
  if (count < LEAST_ROUNDS)
    throw new Error(`A 95 % interval needs ${LEAST_ROUNDS} rounds or more, and there are ${count}.`);
  const sorted = values.toSorted((one, other) => one - other);
  // Probability of exactly `below` of all values on one side of the true median.
  let share = 0.5 ** count;
  let outside = 2 * share;
  let rank = 1;
  for (;;) {
    share *= (count - rank + 1) / rank;
    if (1 - (outside + 2 * share) < WANTED) break;
    outside += 2 * share;
    rank += 1;
  }
  return {
    median: median(sorted),
    interval: [sorted[rank - 1]!, sorted[count - rank]!],
    confidence: 1 - outside,
  };
}
