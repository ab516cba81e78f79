import { DEFAULT_CACHE_BYTES } from '../../config/image-limits.ts';
import type { ImagePlan } from '../../workers/images/image-transform.ts';
import { DEFAULT_LIMITS, MOST_RESULT_PIXELS } from '../../workers/images/limits.ts';
import type { ImageSource } from './image-source.ts';

export interface ImageSettings {
  /** Pixels of the decoded frames of a picture, together. */
  readonly maxPixels: number;
  /** Frames of an animation. */
  readonly maxFrames: number;
  /** Bytes of the results on disk; 0 stores none. */
  readonly cacheBytes: number;
}

export const DEFAULT_IMAGE_SETTINGS: ImageSettings = { ...DEFAULT_LIMITS, cacheBytes: DEFAULT_CACHE_BYTES };

/** Checks the header alone. A picture beyond the limits is delivered as it is, without a worker. */
export function isWithinLimits(plan: ImagePlan, source: ImageSource, limits: ImageSettings): boolean {
  const frames = plan.frames === 'all' ? source.frames : 1;
  return (
    frames <= limits.maxFrames &&
    source.width * source.height * frames <= limits.maxPixels &&
    plan.width * plan.height * frames <= MOST_RESULT_PIXELS
  );
}
