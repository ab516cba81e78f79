import type { ImagePlan, Region } from '../image-transform.ts';
import type { Opened, Size } from './open-source.ts';

/** From this factor on the JPEG and WebP decoders can skip pixels while reading. */
const SHRINKS_ON_LOAD = 2;

/** Crops to the window and resizes each axis to the result. */
export function cropAndResize(opened: Opened, plan: ImagePlan): void {
  const { image, size } = opened;
  const { window, width, height } = plan;
  if (window !== null && size !== null && shrinksOnLoad(opened, window, plan)) {
    const { whole, left, top } = scaledFirst(window, size, plan);
    image.resize(whole.width, whole.height, { fit: 'fill' }).extract({ left, top, width, height });
    return;
  }
  if (window !== null) image.extract(window);
  // The library skips a resize to the same size.
  image.resize(width, height, { fit: 'fill' });
}

/**
 * Cropping before scaling prevents shrink-on-load: a 2000 × 1333 JPEG to a square of 300 takes twice as long. Scaling
 * first costs nothing extra, because only the cropped part is computed; the window is exact to within one pixel of
 * the result.
 */
function shrinksOnLoad({ format, frames }: Opened, window: Region, plan: ImagePlan): boolean {
  return (
    frames === 1 &&
    (format === 'jpeg' || format === 'webp') &&
    window.width >= plan.width * SHRINKS_ON_LOAD &&
    window.height >= plan.height * SHRINKS_ON_LOAD
  );
}

function scaledFirst(
  window: Region,
  source: Size,
  result: Size,
): { readonly whole: Size; readonly left: number; readonly top: number } {
  const across = scaledAxis(source.width, window.left, window.width, result.width);
  const down = scaledAxis(source.height, window.top, window.height, result.height);
  return { whole: { width: across.whole, height: down.whole }, left: across.start, top: down.start };
}

/** Scaled length of one axis, and the start of the window in it, clamped to the axis. */
function scaledAxis(
  source: number,
  start: number,
  length: number,
  result: number,
): { readonly whole: number; readonly start: number } {
  const whole = Math.max(result, Math.round((source * result) / length));
  // In proportion to the free space, so that a window at an edge or in the middle stays there.
  const space = source - length;
  return { whole, start: space === 0 ? 0 : Math.round(((whole - result) * start) / space) };
}
