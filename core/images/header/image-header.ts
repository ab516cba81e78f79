import type { SourceFormat } from '../source-format.ts';

/** What a picture says of itself before its first pixel. Nothing of it is proven. */
export interface ImageHeader {
  readonly format: SourceFormat;
  /** Pixels as they are stored, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation, 1..8; 5 to 8 swap the sides. */
  readonly orientation: number;
  /** At most `MOST_FRAMES`. */
  readonly frames: number;
  /** It may have transparent pixels. */
  readonly alpha: boolean;
}

/** Counting stops here: whoever has as many has too many. */
export const MOST_FRAMES = 100_000;

/**
 * Reads a file step by step, whatever pieces it comes in: yields how many bytes it wants, or negative, how many it
 * does not care for. It is given exactly those it wanted; a file that ends before ends the reading.
 */
export type HeaderSteps<Result = void> = Generator<number, Result, Buffer>;

/** Longest piece that is asked for; EXIF in a JPEG cannot be longer. */
export const LONGEST_PIECE = 65_536;

/** What has been found when a file ends early still counts. */
export type Found = (header: ImageHeader) => void;
