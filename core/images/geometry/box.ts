import { LONGEST_SIDE } from '../../../workers/images/limits.ts';
import { type Decimal, roundPixels, times } from '../decimal.ts';
import type { Length } from '../read-parameters.ts';
import { lengthIn } from './region-of-rect.ts';

/**
 * One side of the requested box in whole pixels: fraction first, then `dpr`, then clamped to the largest result and
 * to the region, since nothing is scaled up. Each side is computed separately: 400×100 of 300×200 is a box of
 * 300×100.
 */
export function boxSide(
  side: Length | undefined,
  dpr: Decimal | undefined,
  whole: number,
): number | undefined {
  if (side === undefined) return undefined;
  const pixels = lengthIn(side, whole);
  return Math.min(dpr ? roundPixels(times(dpr, pixels)) : pixels, LONGEST_SIDE, whole);
}
