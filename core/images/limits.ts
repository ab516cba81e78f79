import type { ImagePlan } from '../../workers/images/image-transform.ts';
import { DEFAULT_LIMITS, MOST_RESULT_PIXELS } from '../../workers/images/limits.ts';
import type { ImageSource } from './image-source.ts';

export interface ImageSettings {
  /** Pixels of a picture, all frames that are decoded together. */
  readonly maxPixels: number;
  /** Frames of an animation. */
  readonly maxFrames: number;
  /** Bytes of the results that are kept on disk; 0 = none. */
  readonly cacheBytes: number;
}

export const DEFAULT_IMAGE_SETTINGS: ImageSettings = { ...DEFAULT_LIMITS, cacheBytes: 1_073_741_824 };

/** Judged by the header alone; what is beyond is answered with the original, and no worker hears of it. */
export function isWithinLimits(plan: ImagePlan, source: ImageSource, limits: ImageSettings): boolean {
  const frames = plan.frames === 'all' ? source.frames : 1;
  return (
    frames <= limits.maxFrames &&
    source.width * source.height * frames <= limits.maxPixels &&
    plan.width * plan.height * frames <= MOST_RESULT_PIXELS
  );
}
