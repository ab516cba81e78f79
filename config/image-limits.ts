/** Pixels of a picture, all frames together. Hosts read it too, so this file loads no schema library. */
export const DEFAULT_MAX_PIXELS = 72_000_000;

/** Bytes of the results that are kept on disk. */
export const DEFAULT_CACHE_BYTES = 1_073_741_824;
