/** Pixels of an image, all frames together. Worker hosts import this file, so it loads no schema library. */
export const DEFAULT_MAX_PIXELS = 72_000_000;

/** Bytes of the image cache on disk. */
export const DEFAULT_CACHE_BYTES = 1_073_741_824;
