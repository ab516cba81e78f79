import type { ImageHeader } from './header/image-header.ts';
import type { SourceFormat } from './source-format.ts';

/** What the geometry needs to know of a picture; all of it is in its header. */
export interface ImageSource {
  readonly format: SourceFormat;
  /** Pixels of the upright picture. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** It may have transparent pixels. */
  readonly alpha: boolean;
}

/**
 * A picture as it is seen: EXIF orientations 5 to 8 swap its sides. Animations are never turned, nor are stills made
 * of them.
 */
export function uprightSource({
  format,
  width,
  height,
  orientation,
  frames,
  alpha,
}: ImageHeader): ImageSource {
  const isTurned = orientation >= 5 && frames === 1;
  const size = isTurned ? { width: height, height: width } : { width, height };
  return { format, ...size, frames, alpha };
}
