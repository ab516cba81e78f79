import { readGif } from './gif.ts';
import type { Found, HeaderSteps, ImageHeader } from './image-header.ts';
import { readJpeg } from './jpeg.ts';
import { readPng } from './png.ts';
import { readWebp } from './webp.ts';

const SIGNATURE = 12;
const NOTHING = Buffer.alloc(0);
/**
 * A GIF of 100 MB has 800,000 pieces that matter. A file with more of them was made to keep us busy (100 MB of filling
 * bytes take 27 s), and is no picture.
 */
const MOST_STEPS = 1_000_000;

/**
 * Finds out what picture a file is while it passes by, in pieces of any size. It keeps 64 KB at most and looks at
 * headers only, so that nothing in a hostile file can make it work.
 */
export class HeaderReader {
  #steps: HeaderSteps | undefined;
  /** Bytes wanted; negative: to be passed over. */
  #wanted = SIGNATURE;
  /** The beginning of what is wanted. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #header: ImageHeader | undefined;
  #count = 0;
  #done = false;

  /** What was found so far; undefined = no picture of the four formats, or one without a size. */
  get header(): ImageHeader | undefined {
    const { width = 0, height = 0 } = this.#header ?? {};
    return width > 0 && height > 0 ? this.#header : undefined;
  }

  /** Nothing that follows would change it. */
  get done(): boolean {
    return this.#done;
  }

  write(chunk: Uint8Array): void {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (!this.#done) {
      if (this.#wanted < 0) {
        const passed = Math.min(-this.#wanted, rest.length);
        rest = rest.subarray(passed);
        this.#wanted += passed;
        if (this.#wanted < 0) return;
        this.#next(NOTHING);
      } else {
        const missing = this.#wanted - this.#keptBytes;
        if (rest.length < missing) {
          this.#keep(rest);
          return;
        }
        const piece = this.#taken(rest.subarray(0, missing));
        rest = rest.subarray(missing);
        if (this.#steps) this.#next(piece);
        // The steps count from the start of the file.
        else if (this.#begin(piece)) rest = Buffer.concat([piece, rest]);
      }
    }
  }

  #begin(signature: Buffer): boolean {
    this.#steps = stepsFor(signature)?.((header) => {
      this.#header = header;
    });
    if (this.#steps) this.#next();
    else this.#done = true;
    return this.#steps !== undefined;
  }

  #next(...piece: [Buffer?]): void {
    const { value, done = false } = this.#steps?.next(...(piece as [Buffer])) ?? { done: true };
    this.#done = done;
    this.#wanted = value ?? 0;
    if (++this.#count <= MOST_STEPS) return;
    this.#done = true;
    this.#header = undefined;
  }

  /** A copy: the chunk may be part of a large buffer that would be held with it. */
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

function stepsFor(head: Buffer): ((found: Found) => HeaderSteps) | undefined {
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return readJpeg;
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return readPng;
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return readGif;
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return readWebp;
  return undefined;
}
