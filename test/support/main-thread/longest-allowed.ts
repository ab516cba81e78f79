/**
 * Longest run of the main thread that a request may cause, in milliseconds of CPU. Where a sample is beyond it, tests
 * repeat the same input and take the smallest: garbage collection and compiling make single samples longer, while a
 * run that is too long is too long each time.
 */
export const LONGEST_ALLOWED_MS = 50;
