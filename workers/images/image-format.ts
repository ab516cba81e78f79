/** The formats that can be decoded; all other loaders of the library are blocked. */
export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp';

/** Bytes of a file that identify its format. */
export const SIGNATURE_BYTES = 12;

/**
 * Detects the format from the first bytes, whatever the file name and the client claim.
 *
 * @returns undefined for any other format
 */
export function sniffFormat(head: Uint8Array): ImageFormat | undefined {
  const text = String.fromCharCode(...head.subarray(0, SIGNATURE_BYTES));
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  return undefined;
}
