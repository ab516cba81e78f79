import type { Sharp, SharpOptions } from 'sharp';
import { WorkerError } from '../../contract.ts';
import type { ImageFormat } from '../image-format.ts';
import type { ImagePlan, ImageTransform } from '../image-transform.ts';
import { sharp } from '../library.ts';
import { type ImageLimits, LONGEST_SIDE, MOST_RESULT_PIXELS } from '../limits.ts';
import { sniffSource } from './sniff-source.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture whose header was read and found worth decoding. */
export interface Opened {
  readonly image: Sharp;
  readonly format: ImageFormat;
  /** Of one frame as it is seen, EXIF orientation applied; null where no step needs it. */
  readonly size: Size | null;
  /** Frames that will be decoded. */
  readonly frames: number;
  readonly hasAlpha: boolean;
}

/**
 * Reads the header, holds it against the limits, and opens the picture upright. Nothing is decoded yet.
 *
 * @throws WorkerError
 */
export async function openSource({ source, plan }: ImageTransform, limits: ImageLimits): Promise<Opened> {
  const format = sniffSource(source);
  const animated = (format === 'gif' || format === 'webp') && plan.frames === 'all';
  const options: SharpOptions = {
    // A damaged or cut-off picture is refused: its original is still there, and browsers show what there is of it.
    // Mere warnings are as common in the wild as cameras and editors are; those pictures are whole.
    failOn: 'error',
    limitInputPixels: limits.maxPixels,
    pages: animated ? -1 : 1,
    sequentialRead: true,
  };
  checkResult(plan, 1);
  const image = sharp(source, options);
  // To read the header takes as long as 2 % of a usual transform. A whole JPEG has one frame and nothing transparent,
  // and the library itself holds its pixels against the limit, when it reads the header in order to decode.
  if (format === 'jpeg' && plan.window === null) {
    return { image: image.autoOrient(), format, size: null, frames: 1, hasAlpha: false };
  }
  const metadata = await image.metadata();
  const frames = animated ? (metadata.pages ?? 1) : 1;
  const isTurned = (metadata.pages ?? 1) === 1;
  // Animations are never turned, nor is one of their frames: the library turns all of them at once, as one picture.
  const size = isTurned
    ? metadata.autoOrient
    : { width: metadata.width, height: metadata.pageHeight ?? metadata.height };
  if (metadata.format !== format) throw refused('The file is not what its first bytes say.');
  checkSource(size, frames, limits);
  checkResult(plan, frames);
  checkWindow(size, plan);
  if (isTurned) image.autoOrient();
  return { image, format, size, frames, hasAlpha: metadata.hasAlpha };
}

function checkSource({ width, height }: Size, frames: number, { maxFrames, maxPixels }: ImageLimits): void {
  if (frames > maxFrames) throw refused(`The picture has more than ${maxFrames} frames.`);
  if (width * height * frames > maxPixels) throw refused(`The picture has more than ${maxPixels} pixels.`);
}

function checkResult({ width, height }: ImagePlan, frames: number): void {
  if (Math.max(width, height) > LONGEST_SIDE || width * height * frames > MOST_RESULT_PIXELS) {
    throw refused('The result would be too large.');
  }
}

function checkWindow({ width, height }: Size, { window }: ImagePlan): void {
  if (window === null) return;
  if (window.left + window.width > width || window.top + window.height > height) {
    throw refused('The part to be kept lies outside of the picture.');
  }
}

function refused(message: string): WorkerError {
  return new WorkerError('refused', message);
}
