import { transformImage } from '../images/transform-image.ts';
import type { TaskFunction } from './task.ts';

export const imageTransform: TaskFunction<'image-transform'> = (
  input,
  { milliseconds, limits, sharesSource },
) => transformImage(input, limits.image, Math.max(1, Math.ceil(milliseconds / 1000)), sharesSource);
