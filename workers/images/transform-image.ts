import { WorkerError } from '../contract.ts';
import type { ImageTransform, TransformedImage } from './image-transform.ts';
import type { ImageLimits } from './limits.ts';
import { encode, MEDIA_TYPES } from './steps/encode.ts';
import { fillBackground } from './steps/fill-background.ts';
import { openSource } from './steps/open-source.ts';
import { placeWindow } from './steps/place-window.ts';

/**
 * A picture and a plan to the bytes of the result. The steps only say what is to be done; the library does all of
 * it in one go while the last one collects the bytes.
 *
 * @param seconds after which the library gives up; whole, at least 1
 * @throws WorkerError `refused` for everything that is wrong with the picture, `late`, `lost` where the machine is what
 * is in the way
 */
export async function transformImage(
  transform: ImageTransform,
  limits: ImageLimits,
  seconds: number,
): Promise<TransformedImage> {
  const { plan } = transform;
  try {
    const opened = await openSource(transform, limits);
    placeWindow(opened, plan);
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
  // No file, no descriptor left, a disk that fails: the same picture may do in a moment.
  if (error instanceof Error && 'syscall' in error) {
    return new WorkerError('lost', `the source cannot be read: ${error.message}`, undefined, {
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('timeout:')) return new WorkerError('late', 'The picture took too long.');
  return new WorkerError('refused', 'The picture cannot be decoded.', undefined, { cause: error });
}
