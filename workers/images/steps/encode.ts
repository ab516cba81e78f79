import type { Sharp } from 'sharp';
import type { Encoding } from '../image-transform.ts';

/**
 * Chooses the encoder. What is not said here is the library's default and part of the encoder's version. Metadata
 * is left out and colours are sRGB: both are the library's own way.
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
      // With `lossless` libwebp takes a quality for the effort to make, so none may come through.
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
