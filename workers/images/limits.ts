/** What a picture may cost, checked against its header before a pixel is decoded. */
export interface ImageLimits {
  /** Pixels of the source, all frames together. */
  readonly maxPixels: number;
  /** Frames of an animated source. */
  readonly maxFrames: number;
}

export const DEFAULT_LIMITS: ImageLimits = { maxPixels: 72_000_000, maxFrames: 2000 };

/** Longest side of a result (spec 4.2). */
export const LONGEST_SIDE = 8192;

/** Pixels of a result, all frames together: what 8192 × 8192 allows a still picture. */
export const MOST_RESULT_PIXELS = LONGEST_SIDE * LONGEST_SIDE;
