import type { Region } from '../../../workers/images/image-transform.ts';
import { round, roundPixels, times } from '../decimal.ts';
import type { ImageParameters, Length } from '../read-parameters.ts';

type Size = { readonly width: number; readonly height: number };

/** The part of the image that `rect` keeps, clamped to its edges; undefined = completely outside. */
export function regionOfRect(rect: NonNullable<ImageParameters['rect']>, image: Size): Region | undefined {
  const [x, y, w, h] = rect;
  const left = startOf(x, image.width);
  const top = startOf(y, image.height);
  if (left >= image.width || top >= image.height) return undefined;
  return {
    left,
    top,
    width: Math.min(lengthIn(w, image.width), image.width - left),
    height: Math.min(lengthIn(h, image.height), image.height - top),
  };
}

/** A length in whole pixels; fractions refer to `whole`. */
export function lengthIn(length: Length, whole: number): number {
  return 'share' in length ? roundPixels(times(length.share, whole)) : length.pixels;
}

/** A fraction starts inside by definition, even if rounding gives the edge. */
function startOf(length: Length, whole: number): number {
  return 'share' in length ? Math.min(round(times(length.share, whole)), whole - 1) : length.pixels;
}
