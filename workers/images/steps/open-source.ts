import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { WorkerError } from '../../contract.ts';
import type { ImageTransform } from '../image-transform.ts';
import { sharp } from '../library.ts';
import { type ImageLimits, LONGEST_SIDE, MOST_RESULT_PIXELS } from '../limits.ts';
import { sniffSource } from './sniff-source.ts';

/** A picture whose header was read and found worth decoding. */
export interface Opened {
  readonly image: Sharp;
  readonly format: string;
  /** Size of one frame as it is seen: EXIF orientation applied. */
  readonly width: number;
  readonly height: number;
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
    autoOrient: true,
    sequentialRead: true,
  };
  const image = sharp(source, options);
  const metadata = await image.metadata();
  const frames = animated ? (metadata.pages ?? 1) : 1;
  const opened = { image, format, ...sizeOfFrame(metadata), frames, hasAlpha: metadata.hasAlpha };
  check(opened, metadata, { source, plan }, limits);
  return opened;
}

function sizeOfFrame({ autoOrient, pageHeight }: Metadata): { width: number; height: number } {
  // Animated sources have all frames below each other, and are never turned.
  return { width: autoOrient.width, height: pageHeight ?? autoOrient.height };
}

function check(opened: Opened, metadata: Metadata, { plan }: ImageTransform, limits: ImageLimits): void {
  const { width, height, frames } = opened;
  if (metadata.format !== opened.format) throw refused('The file is not what its first bytes say.');
  if (frames > limits.maxFrames) throw refused(`The picture has more than ${limits.maxFrames} frames.`);
  if (width * height * frames > limits.maxPixels) {
    throw refused(`The picture has more than ${limits.maxPixels} pixels.`);
  }
  const result = plan.width * plan.height * (plan.frames === 'all' ? frames : 1);
  if (Math.max(plan.width, plan.height) > LONGEST_SIDE || result > MOST_RESULT_PIXELS) {
    throw refused('The result would be too large.');
  }
  const { left, top, ...size } = plan.window ?? { left: 0, top: 0, width, height };
  if (left + size.width > width || top + size.height > height) {
    throw refused('The part to be kept lies outside of the picture.');
  }
}

function refused(message: string): WorkerError {
  return new WorkerError('refused', message);
}
