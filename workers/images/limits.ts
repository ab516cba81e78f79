import { DEFAULT_MAX_PIXELS } from '../../config/image-limits.ts';

/** Limits of an image, checked against its header before pixels are decoded. */
export interface ImageLimits {
  /** Pixels of the source, all frames together. */
  readonly maxPixels: number;
  /** Frames of an animated source. */
  readonly maxFrames: number;
}

export const DEFAULT_LIMITS: ImageLimits = { maxPixels: DEFAULT_MAX_PIXELS, maxFrames: 2000 };

/** Longest side of a result (spec 4.2). */
export const LONGEST_SIDE = 8192;

/** Pixels of a result, all frames together: 8192 × 8192 for a still image. */
export const MOST_RESULT_PIXELS = LONGEST_SIDE * LONGEST_SIDE;
