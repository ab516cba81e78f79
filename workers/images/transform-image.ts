import { WorkerError } from '../contract.ts';
import { sharing } from './decoded-sources.ts';
import type { ImageTransform, TransformedImage } from './image-transform.ts';
import type { ImageLimits } from './limits.ts';
import { cropAndResize } from './steps/crop-and-resize.ts';
import { encode, MEDIA_TYPES } from './steps/encode.ts';
import { fillBackground } from './steps/fill-background.ts';
import { openSource } from './steps/open-source.ts';

/**
 * Transforms an image by a plan. The steps only configure; the library does the work when the last one collects the
 * bytes.
 *
 * @param seconds time limit of the library; whole, at least 1
 * @param sharesSource other transforms of the source run in this process or will
 * @throws WorkerError `refused` for every fault of the image, `late`, `lost` for faults of the machine
 */
export async function transformImage(
  transform: ImageTransform,
  limits: ImageLimits,
  seconds: number,
  sharesSource = false,
): Promise<TransformedImage> {
  if (!sharesSource) return runSteps(transform, limits, seconds, false);
  const began = performance.now();
  try {
    return await sharing(() => runSteps(transform, limits, seconds, true));
  } catch (error) {
    // Where the transform that decoded the source was ended, those that share it fail too.
    if (!(error instanceof WorkerError) || error.failure !== 'refused') throw error;
    const left = Math.ceil(seconds - (performance.now() - began) / 1000);
    if (left < 1) throw late();
    return runSteps(transform, limits, left, false);
  }
}

async function runSteps(
  transform: ImageTransform,
  limits: ImageLimits,
  seconds: number,
  sharesSource: boolean,
): Promise<TransformedImage> {
  const { plan } = transform;
  try {
    const opened = await openSource(transform, limits, sharesSource);
    cropAndResize(opened, plan);
    fillBackground(opened, plan);
    encode(opened.image, plan.encoding);
    const { data, info } = await opened.image.timeout({ seconds }).toUint8Array();
    return {
      body: data,
      type: MEDIA_TYPES[plan.encoding.format],
      width: info.width,
      height: info.pageHeight ?? info.height,
    };
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): WorkerError {
  if (error instanceof WorkerError) return error;
  // A missing file, no free descriptor or a disk error: a retry may succeed.
  if (error instanceof Error && 'syscall' in error) {
    return new WorkerError('lost', `the source cannot be read: ${error.message}`, undefined, {
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('timeout:')) return late();
  return new WorkerError('refused', 'The image cannot be decoded.', undefined, { cause: error });
}

function late(): WorkerError {
  return new WorkerError('late', 'The image took too long.');
}
