/** Longest run of the main thread that a request may cause, in milliseconds of CPU. */
export const LONGEST_ALLOWED_MS = 50;
