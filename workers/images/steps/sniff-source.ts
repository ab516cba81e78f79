import { WorkerError } from '../../contract.ts';
import { type ImageFormat, SIGNATURE_BYTES, sniffFormat } from '../image-format.ts';
import { type SourceBytes, withSourceBytes } from '../source-bytes.ts';

/**
 * Most bytes of compressed text before a PNG's pixels. The decoder unpacks them all, up to 1000-fold: 1 MB took 6.5 s
 * for an image of 20 × 20, and the library's timeout does not cover that.
 */
const MAX_COMPRESSED_TEXT = 32_768;
/** Most chunks before the pixels; editors write some dozens. */
const MOST_CHUNKS = 1000;
const PNG_SIGNATURE_BYTES = 8;
const CHUNK_HEAD_BYTES = 8;
const CHUNK_CHECKSUM_BYTES = 4;
const WEBP_ANIMATION = 0x02;

export interface Sniffed {
  readonly format: ImageFormat;
  /** It has one frame; false where only the decoder knows. */
  readonly isStill: boolean;
}

/**
 * Checks the first bytes before any decoder does.
 *
 * @throws WorkerError for other formats, and for headers made to keep a decoder busy
 */
export function sniffSource(source: string | Uint8Array): Sniffed {
  return withSourceBytes(source, (bytes) => {
    const format = sniffFormat(bytes.read(0, SIGNATURE_BYTES));
    if (format === undefined)
      throw new WorkerError('refused', 'The file is not a JPEG, PNG, GIF or WebP image.');
    if (format === 'png' && !hasFastHeader(bytes))
      throw new WorkerError('refused', 'The image holds too much besides its pixels.');
    return { format, isStill: format === 'webp' ? isStillWebp(bytes) : format !== 'gif' };
  });
}

/** The first chunk is the image, or the extended header (`VP8X`), whose second flag announces an animation. */
function isStillWebp(webp: SourceBytes): boolean {
  const chunk = webp.read(SIGNATURE_BYTES, CHUNK_HEAD_BYTES + 1);
  return chunk.toString('latin1', 0, 4) !== 'VP8X' || ((chunk[CHUNK_HEAD_BYTES] ?? 0) & WEBP_ANIMATION) === 0;
}

/** PNG 5.3: chunks of length, type, data, checksum; decoders read up to the first pixels. */
function hasFastHeader(png: SourceBytes): boolean {
  let at = PNG_SIGNATURE_BYTES;
  let compressed = 0;
  for (let chunks = 0; chunks < MOST_CHUNKS; chunks++) {
    const head = png.read(at, CHUNK_HEAD_BYTES);
    // A truncated file; the decoder decides.
    if (head.length < CHUNK_HEAD_BYTES) return true;
    const type = head.toString('latin1', 4);
    if (type === 'IDAT') return true;
    const length = head.readUInt32BE(0);
    if (type === 'zTXt' || type === 'iTXt') compressed += isCompressed(png, type, at, length) ? length : 0;
    if (compressed > MAX_COMPRESSED_TEXT) return false;
    at += CHUNK_HEAD_BYTES + length + CHUNK_CHECKSUM_BYTES;
  }
  return false;
}

/**
 * PNG 11.3.3.4: in iTXt a byte after the keyword (at most 79 bytes and a terminator) says whether the text is
 * compressed.
 */
function isCompressed(png: SourceBytes, type: string, at: number, length: number): boolean {
  if (type === 'zTXt') return true;
  const start = png.read(at + CHUNK_HEAD_BYTES, Math.min(length, 81));
  const end = start.indexOf(0);
  return end < 0 || start[end + 1] !== 0;
}
