import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Encoding, encodingChooser } from '../accept-encoding.ts';
import type { Entry, Variant } from './entry.ts';

type Compressed = Exclude<Encoding, 'identity'>;

export interface Effort {
  readonly compressFromBytes: number;
  readonly gzipLevel: number;
  readonly brotliQuality: number;
}

/** Bodies that may wait to be compressed; those that find no room are sent as they are. */
const LONGEST_QUEUE = 1000;
/** A request does not wait longer for its encoding. */
const PATIENCE_MS = 100;

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/**
 * Compresses in libuv's threads, one body at a time: the threads are few and shared with the database driver, and a
 * burst of new entries must not take them all.
 */
export class Compressor {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @returns undefined when there is no room */
  add(work: () => Promise<void>): Promise<void> | undefined {
    if (this.#waiting >= LONGEST_QUEUE) return undefined;
    this.#waiting += 1;
    const done = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    // Out of memory for the moment: the body is sent as it is.
    this.#last = done.catch(() => {});
    return this.#last as Promise<void>;
  }
}

export interface Variants {
  /** What is to be sent; undefined while it is not there yet. */
  ready(entry: Entry, acceptEncoding: string | undefined): Variant | undefined;
  /** The same, made where it is missing. */
  made(key: string, entry: Entry, acceptEncoding: string | undefined): Promise<Variant>;
}

/**
 * The bodies of entries in the encodings that were asked for: each is made once, with the first request that wants
 * it, and all others wait for the same.
 */
export function variants(
  compressor: Compressor,
  effort: Effort,
  grown: (key: string, entry: Entry) => void,
): Variants {
  const choose = encodingChooser();

  function make(key: string, entry: Entry, encoding: Compressed): Promise<void> | undefined {
    const { body } = entry.variant('identity');
    if (body.length < effort.compressFromBytes) return Promise.resolve();
    return compressor.add(async () => {
      const compressed = await compress(body, encoding, effort);
      if (compressed.length >= body.length) return;
      entry.add(encoding, compressed);
      grown(key, entry);
    });
  }

  return {
    ready(entry, acceptEncoding) {
      const encoding = choose(acceptEncoding);
      if (encoding === 'identity' || entry.settled.has(encoding)) return entry.variant(encoding);
      return undefined;
    },
    async made(key, entry, acceptEncoding) {
      const encoding = choose(acceptEncoding);
      if (encoding !== 'identity' && !entry.settled.has(encoding)) {
        let making = entry.making.get(encoding);
        if (making === undefined) {
          making = make(key, entry, encoding);
          if (making === undefined) return entry.variant('identity');
          entry.making.set(encoding, making);
          void making.then(() => {
            entry.making.delete(encoding);
            entry.settled.add(encoding);
          });
        }
        await Promise.race([making, pause(PATIENCE_MS)]);
      }
      return entry.variant(encoding);
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}

function compress(body: Buffer, encoding: Compressed, effort: Effort): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(body, { level: effort.gzipLevel });
  return brotlied(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: effort.brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}
