import { type Decimal, roundPixels, times } from '../decimal.ts';
import { LARGEST_SIDE, type Length } from '../read-parameters.ts';
import { lengthIn } from './region-of-rect.ts';

/**
 * One side of what is asked for, in whole pixels: share first, then `dpr`, then the largest result, then the
 * region itself, since nothing is scaled up. Each side by itself: 400×100 of 300×200 is a box of 300×100.
 */
export function boxSide(
  side: Length | undefined,
  dpr: Decimal | undefined,
  whole: number,
): number | undefined {
  if (side === undefined) return undefined;
  const pixels = lengthIn(side, whole);
  return Math.min(dpr ? roundPixels(times(dpr, pixels)) : pixels, LARGEST_SIDE, whole);
}
