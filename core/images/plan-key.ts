import type { ImagePlan } from '../../workers/images/image-transform.ts';

/**
 * The plan as text: plans that give the same picture have the same, whatever parameters they came from
 * (`w=0.5` of 300 pixels and `w=150` are one).
 */
export function planKey({ window, width, height, background, frames, encoding }: ImagePlan): string {
  return JSON.stringify([
    window && [window.left, window.top, window.width, window.height],
    width,
    height,
    background && [background.red, background.green, background.blue, background.alpha],
    frames,
    encoding.format,
    'progressive' in encoding ? encoding.progressive : null,
    'palette' in encoding ? encoding.palette : null,
    'quality' in encoding ? encoding.quality : null,
    'lossless' in encoding,
  ]);
}
