/** The image library, configured once with four decoders. */
import sharp from 'sharp';
import type { ImageFormat } from './image-format.ts';

// Each thread runs one transform; libvips' own threads and its operation cache would only cost memory.
sharp.concurrency(1);
sharp.cache(false);

/** libvips refuses every other loader, whatever a file contains. */
const LOADERS: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  gif: 'VipsForeignLoadNsgif',
  webp: 'VipsForeignLoadWebp',
};
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: Object.values(LOADERS) });

export { sharp };
