import type { ImagePlan, Region } from '../image-transform.ts';
import type { Opened, Size } from './open-source.ts';

/** From this factor on the decoders of JPEG and WebP can leave out every other pixel while they read. */
const SHRINKS_ON_LOAD = 2;

/** Keeps the window of the picture and brings it to the size of the result, each axis by itself. */
export function placeWindow(opened: Opened, plan: ImagePlan): void {
  const { image, size } = opened;
  const { window, width, height } = plan;
  if (window !== null && size !== null && shrinksOnLoad(opened, window, plan)) {
    const { whole, left, top } = scaledFirst(window, size, plan);
    image.resize(whole.width, whole.height, { fit: 'fill' }).extract({ left, top, width, height });
    return;
  }
  if (window !== null) image.extract(window);
  // The library does nothing where the size is that already.
  image.resize(width, height, { fit: 'fill' });
}

/**
 * Cutting before scaling keeps the decoder from shrinking while it reads: a 2000 × 1333 JPEG to a square of 300
 * takes twice as long then. Whole first and cut afterwards costs nothing more, because only what is kept is
 * computed; the window lies where it should to within one pixel of the result.
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

/** One axis: the whole scaled as the window is, and where the window starts in it; it never sticks out. */
function scaledAxis(
  source: number,
  start: number,
  length: number,
  result: number,
): { readonly whole: number; readonly start: number } {
  const whole = Math.max(result, Math.round((source * result) / length));
  // By the space that is left, so that a window at an edge, or in the middle, is there again.
  const space = source - length;
  return { whole, start: space === 0 ? 0 : Math.round(((whole - result) * start) / space) };
}
