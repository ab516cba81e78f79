/** The formats that are decoded; every other loader of the library is blocked. */
export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp';

/** Bytes of a file that tell its format. */
export const SIGNATURE_BYTES = 12;

/**
 * What the first bytes say, whatever the file's name and the client claimed.
 *
 * @returns undefined for everything that is none of the four
 */
export function sniffFormat(head: Uint8Array): ImageFormat | undefined {
  const text = String.fromCharCode(...head.subarray(0, SIGNATURE_BYTES));
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  return undefined;
}
