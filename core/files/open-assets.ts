import { join } from 'node:path';
import type { Workers } from '../../workers/contract.ts';
import { ImageResults } from '../images/image-results.ts';
import { DEFAULT_IMAGE_SETTINGS, type ImageSettings } from '../images/limits.ts';
import { ResultCache, type ResultCacheFigures } from '../images/result-cache.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Storage } from '../storage/ports.ts';
import { type AssetContext, recentImages } from './serve-file.ts';
import { KnownFacts } from './served-file.ts';

/** Milliseconds between two log lines: on a full disk, storing fails for every image. */
const WARN_EVERY = 60_000;

export interface OpenAssets {
  readonly context: AssetContext;
  /** One line for the health report. */
  detail(): string;
  figures(): ResultCacheFigures;
  close(): Promise<void>;
}

/** Composes the asset surface; transformed images are stored below the data folder. */
export function openAssets(parts: {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly dataDir: string;
  readonly workers: Workers | undefined;
  readonly images: Partial<ImageSettings> | undefined;
  readonly now: () => Date;
  readonly warn: (error: unknown, text: string) => void;
}): OpenAssets {
  const { storage, blobs, dataDir, workers, now, warn } = parts;
  const limits = { ...DEFAULT_IMAGE_SETTINGS, ...parts.images };
  let warnedAt = Number.NEGATIVE_INFINITY;
  const cache = new ResultCache({
    folder: join(dataDir, 'cache', 'images'),
    maxBytes: limits.cacheBytes,
    now,
    failed(error) {
      if (performance.now() - warnedAt < WARN_EVERY) return;
      warnedAt = performance.now();
      warn(error, 'Transformed images could not be cached on disk.');
    },
  });
  const reader = storage.reader({ class: 'lookup', share: 'files' });
  const facts = new KnownFacts(storage, reader, blobs, (error) =>
    warn(error, 'What a stored file is could not be stored.'),
  );
  return {
    context: {
      reader,
      blobs,
      facts,
      results: new ImageResults(workers, cache, blobs),
      limits,
      recent: recentImages(),
    },
    detail() {
      const { entries, bytes } = cache.size;
      return `${entries} images, ${bytes} of ${limits.cacheBytes} bytes on disk`;
    },
    figures: () => cache.figures(),
    close: () => cache.close(),
  };
}
