import type { Metadata, Sharp } from 'sharp';
import type { ImageFormat } from './image-format.ts';
import type { ImagePlan } from './image-transform.ts';
import { sharp } from './library.ts';

/** Most bytes of decoded sources that stay in memory, and of one of them: 12 megapixels of a photograph are 36 MB. */
const KEPT_MEGABYTES = 96;
const MOST_BYTES = 48 * 1024 * 1024;
/** They are dropped when for so long no transform shared one, ms. */
const KEPT_MS = 500;

let running = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Runs a transform whose source others need too. Meanwhile libvips keeps what it has decoded: 20 widths of a 2000 × 1333
 * JPEG took 480 ms of CPU, and 340 with shared sources; a single decode and 20 encodings take 320.
 */
export async function sharing<Done>(work: () => Promise<Done>): Promise<Done> {
  clearTimeout(timer);
  // A transform adds some 15 operations to that cache.
  if (running++ === 0) sharp.cache({ memory: KEPT_MEGABYTES, files: 20, items: 1000 });
  try {
    return await work();
  } finally {
    if (--running === 0) {
      timer = setTimeout(() => sharp.cache(false), KEPT_MS);
      timer.unref();
    }
  }
}

/**
 * Shares the decoded source, where that changes no byte of the result and takes no more memory than there is for it. The
 * JPEG decoder shrinks by 1, 2, 4 or 8, so a source is decoded up to four times for any number of sizes; the WebP
 * decoder scales to each size.
 */
export function shareDecoded(image: Sharp, format: ImageFormat, header: Metadata, plan: ImagePlan): void {
  if ((format !== 'jpeg' && format !== 'png') || decodedBytes(format, header, plan) > MOST_BYTES) return;
  // The library reads at random only where its description of the source has `access`; without it, nothing is shared.
  const { input } = (image as unknown as { readonly options: { readonly input: object } }).options;
  Object.assign(input, { access: true, sequentialRead: false });
}

function decodedBytes(
  format: 'jpeg' | 'png',
  { width, height, channels, depth, autoOrient }: Metadata,
  plan: ImagePlan,
): number {
  const { window } = plan;
  const factor = Math.min(
    (window ?? autoOrient).width / plan.width,
    (window ?? autoOrient).height / plan.height,
  );
  // The library shrinks by less where the factor is hardly more than 2, 4 or 8.
  const shrink = format === 'png' || factor < 3 ? 1 : factor < 5 ? 2 : 4;
  return (width * height * channels * (depth === 'uchar' ? 1 : 2)) / shrink ** 2;
}
