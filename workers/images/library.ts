/** The image library as this process uses it: set up once, the four decoders only. */
import sharp from 'sharp';
import type { ImageFormat } from './image-format.ts';

// Parallel work is one transform a thread; libvips' own threads and its cache of operations only cost memory.
sharp.concurrency(1);
sharp.cache(false);

/** Every loader but these is refused by libvips itself, whatever a file turns out to be. */
const LOADERS: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  gif: 'VipsForeignLoadNsgif',
  webp: 'VipsForeignLoadWebp',
};
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: Object.values(LOADERS) });

export { sharp };
