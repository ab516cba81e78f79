import type { Sharp, SharpOptions } from 'sharp';
import { WorkerError } from '../../contract.ts';
import { shareDecoded } from '../decoded-sources.ts';
import type { ImageFormat } from '../image-format.ts';
import type { ImagePlan, ImageTransform } from '../image-transform.ts';
import { sharp } from '../library.ts';
import { type ImageLimits, LONGEST_SIDE, MOST_RESULT_PIXELS } from '../limits.ts';
import { sniffSource } from './sniff-source.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** An image whose header passed the limits, or that the library checks before it decodes it. */
export interface Opened {
  readonly image: Sharp;
  readonly format: ImageFormat;
  /** Size of one frame with EXIF orientation applied; null where no step needs it. */
  readonly size: Size | null;
  /** Frames to decode. */
  readonly frames: number;
  /** False only where it has none for sure; without its header, that is known of a JPEG alone. */
  readonly mayHaveAlpha: boolean;
  /** Of one channel beside transparency; false where no step needs it. */
  readonly isGrey: boolean;
}

/**
 * Checks the limits, and opens the image upright. Reads its header where a step needs it, and decodes nothing yet.
 *
 * @throws WorkerError
 */
export async function openSource(
  { source, plan }: ImageTransform,
  limits: ImageLimits,
  sharesSource: boolean,
): Promise<Opened> {
  const { format, isStill } = sniffSource(source);
  const animated = (format === 'gif' || format === 'webp') && plan.frames === 'all';
  const options: SharpOptions = {
    // A damaged or truncated image is refused: browsers show what they can of the original. Warnings are common
    // among intact files of cameras and editors, so they do not refuse an image.
    failOn: 'error',
    limitInputPixels: limits.maxPixels,
    pages: animated ? -1 : 1,
    sequentialRead: true,
  };
  checkResult(plan, 1);
  const image = sharp(source, options);
  const canShare = sharesSource && typeof source === 'string';
  // Reading the header costs 2 % of a usual transform. A whole still image needs none: the library checks its pixels
  // against the limit before decoding, and `flatten` leaves opaque images alone.
  if (isStill && plan.window === null && plan.background === null && !canShare) {
    const mayHaveAlpha = format !== 'jpeg';
    return { image: image.autoOrient(), format, size: null, frames: 1, mayHaveAlpha, isGrey: false };
  }
  const metadata = await image.metadata();
  const frames = animated ? (metadata.pages ?? 1) : 1;
  const isTurned = (metadata.pages ?? 1) === 1;
  // Animations and their frames are never rotated: the library would rotate all frames as one image.
  const size = isTurned
    ? metadata.autoOrient
    : { width: metadata.width, height: metadata.pageHeight ?? metadata.height };
  if (metadata.format !== format) throw refused('The content of the file does not match its first bytes.');
  checkSource(size, frames, limits);
  checkResult(plan, frames);
  checkWindow(size, plan);
  if (isTurned) image.autoOrient();
  if (canShare) shareDecoded(image, format, metadata, plan);
  return { image, format, size, frames, mayHaveAlpha: metadata.hasAlpha, isGrey: metadata.channels < 3 };
}

function checkSource({ width, height }: Size, frames: number, { maxFrames, maxPixels }: ImageLimits): void {
  if (frames > maxFrames) throw refused(`The image has more than ${maxFrames} frames.`);
  if (width * height * frames > maxPixels) throw refused(`The image has more than ${maxPixels} pixels.`);
}

function checkResult({ width, height }: ImagePlan, frames: number): void {
  if (Math.max(width, height) > LONGEST_SIDE || width * height * frames > MOST_RESULT_PIXELS) {
    throw refused('The result would be too large.');
  }
}

function checkWindow({ width, height }: Size, { window }: ImagePlan): void {
  if (window === null) return;
  if (window.left + window.width > width || window.top + window.height > height) {
    throw refused('The part to be kept lies outside of the image.');
  }
}

function refused(message: string): WorkerError {
  return new WorkerError('refused', message);
}
