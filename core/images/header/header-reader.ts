import { type ImageFormat, SIGNATURE_BYTES, sniffFormat } from '../../../workers/images/image-format.ts';
import { readGif } from './gif.ts';
import type { Found, HeaderSteps, ImageHeader } from './image-header.ts';
import { readJpeg } from './jpeg.ts';
import { readPng } from './png.ts';
import { readWebp } from './webp.ts';

const NOTHING = Buffer.alloc(0);
/**
 * A GIF of 100 MB has 800,000 relevant pieces. A file with more than this was made to consume CPU (100 MB of filler
 * bytes take 27 s) and counts as no image.
 */
const MOST_STEPS = 1_000_000;

/**
 * Reads the header of an image from a stream of chunks of any size. It buffers at most 64 KB and reads headers only,
 * so a hostile file cannot cost more.
 */
export class HeaderReader {
  #steps: HeaderSteps | undefined;
  /** Bytes needed; negative = bytes to skip. */
  #needed = SIGNATURE_BYTES;
  /** Buffered start of the needed bytes. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #header: ImageHeader | undefined;
  #count = 0;
  #done = false;

  /** The header so far; undefined = none of the four formats, or no size. */
  get header(): ImageHeader | undefined {
    const { width = 0, height = 0 } = this.#header ?? {};
    return width > 0 && height > 0 ? this.#header : undefined;
  }

  /** Further bytes cannot change the header. */
  get done(): boolean {
    return this.#done;
  }

  write(chunk: Uint8Array): void {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (!this.#done) {
      if (this.#needed < 0) {
        const passed = Math.min(-this.#needed, rest.length);
        rest = rest.subarray(passed);
        this.#needed += passed;
        if (this.#needed < 0) return;
        this.#next();
      } else {
        const missing = this.#needed - this.#keptBytes;
        if (rest.length < missing) {
          this.#keep(rest);
          return;
        }
        const piece = this.#taken(rest.subarray(0, missing));
        rest = rest.subarray(missing);
        if (this.#steps) this.#next(piece);
        // A reader starts at the first byte of the file.
        else if (this.#begin(piece)) rest = Buffer.concat([piece, rest]);
      }
    }
  }

  #begin(signature: Buffer): boolean {
    const format = sniffFormat(signature);
    if (format === undefined) {
      this.#done = true;
      return false;
    }
    this.#steps = READERS[format]((header) => {
      this.#header = header;
    });
    this.#next();
    return true;
  }

  #next(piece: Buffer = NOTHING): void {
    const { value, done = false } = this.#steps?.next(piece) ?? { done: true };
    this.#done = done;
    this.#needed = value ?? 0;
    if (++this.#count <= MOST_STEPS) return;
    this.#done = true;
    this.#header = undefined;
  }

  /** Copies: the chunk may be part of a large buffer. */
  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#kept.push(Buffer.from(piece));
    this.#keptBytes += piece.length;
  }

  #taken(piece: Buffer): Buffer {
    if (this.#keptBytes === 0) return piece;
    const whole = Buffer.concat([...this.#kept, piece]);
    this.#kept = [];
    this.#keptBytes = 0;
    return whole;
  }
}

const READERS: Readonly<Record<ImageFormat, (found: Found) => HeaderSteps>> = {
  jpeg: readJpeg,
  png: readPng,
  gif: readGif,
  webp: readWebp,
};
