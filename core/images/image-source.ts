import type { ImageFormat } from '../../workers/images/image-format.ts';
import type { ImageHeader } from './header/image-header.ts';

/** What geometry needs from an image's header. */
export interface ImageSource {
  readonly format: ImageFormat;
  /** Pixels of the upright image. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** May have transparent pixels. */
  readonly alpha: boolean;
}

/** The upright image: EXIF orientations 5 to 8 swap its sides. Animations and their stills are never rotated. */
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
