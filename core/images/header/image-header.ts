import type { ImageFormat } from '../../../workers/images/image-format.ts';

/** The header of an image, unverified. */
export interface ImageHeader {
  readonly format: ImageFormat;
  /** Stored pixels, before orientation. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1..8; 5 to 8 swap the sides. */
  readonly orientation: number;
  /** At most `MOST_FRAMES`. */
  readonly frames: number;
  /** May have transparent pixels. */
  readonly alpha: boolean;
}

/** Counting stops here; every limit is lower. */
export const MOST_FRAMES = 100_000;

/**
 * Reads a file in steps: yields the number of bytes it needs, or, negative, the number to skip. It receives exactly
 * the needed bytes; a shorter file ends the reading.
 */
export type HeaderSteps<Result = void> = Generator<number, Result, Buffer>;

/** Longest piece requested; EXIF in a JPEG cannot be longer. */
export const LONGEST_PIECE = 65_536;

/** Called with the header so far; the last one counts when a file ends early. */
export type Found = (header: ImageHeader) => void;
