/**
 * Characters of markup up to which a text is edited where it is shown: beyond, the browser takes too long for a key press.
 * Twice what the service stores, so that what was pasted can be divided.
 */
export const LARGEST = 200_000;
