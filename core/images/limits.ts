import { DEFAULT_CACHE_BYTES } from '../../config/image-limits.ts';
import type { ImagePlan } from '../../workers/images/image-transform.ts';
import { DEFAULT_LIMITS, MOST_RESULT_PIXELS } from '../../workers/images/limits.ts';
import type { ImageSource } from './image-source.ts';

export interface ImageSettings {
  /** Pixels of the decoded frames of an image, together. */
  readonly maxPixels: number;
  /** Frames of an animation. */
  readonly maxFrames: number;
  /** Bytes of the results on disk; 0 stores none. */
  readonly cacheBytes: number;
}

export const DEFAULT_IMAGE_SETTINGS: ImageSettings = { ...DEFAULT_LIMITS, cacheBytes: DEFAULT_CACHE_BYTES };

/** A worker needs up to six bytes for each pixel of a source: 96 MB. */
const LARGE_PIXELS = 16_000_000;

/** Whether it takes much memory of a worker. */
export function isLarge(plan: ImagePlan, source: ImageSource): boolean {
  return pixelsOf(plan, source) > LARGE_PIXELS;
}

function pixelsOf(plan: ImagePlan, { width, height, frames }: ImageSource): number {
  return width * height * framesOf(plan, frames);
}

function framesOf({ frames }: ImagePlan, ofSource: number): number {
  return frames === 'all' ? ofSource : 1;
}

/** Checks the header alone. An image beyond the limits is delivered as it is, without a worker. */
export function isWithinLimits(plan: ImagePlan, source: ImageSource, limits: ImageSettings): boolean {
  const frames = framesOf(plan, source.frames);
  return (
    frames <= limits.maxFrames &&
    pixelsOf(plan, source) <= limits.maxPixels &&
    plan.width * plan.height * frames <= MOST_RESULT_PIXELS
  );
}
