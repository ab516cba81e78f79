import type { Sharp } from 'sharp';
import type { Encoding } from '../image-transform.ts';

/**
 * Configures the encoder. Other options keep the library's defaults, which are part of the encoder version. By
 * default the library drops metadata and converts colours to sRGB.
 */
export function encode(image: Sharp, encoding: Encoding): void {
  switch (encoding.format) {
    case 'jpeg':
      image.jpeg({ quality: encoding.quality, progressive: encoding.progressive });
      return;
    case 'png':
      image.png({ palette: encoding.palette });
      return;
    case 'webp':
      // With `lossless` libwebp reads the quality as effort, so none may be passed.
      image.webp('lossless' in encoding ? { lossless: true } : { quality: encoding.quality });
      return;
    case 'gif':
      image.gif();
      return;
  }
}

export const MEDIA_TYPES: Readonly<Record<Encoding['format'], string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
};
