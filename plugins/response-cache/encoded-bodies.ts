import { encodingChooser } from '../http/accept-encoding.ts';
import { type Compressed, compressBody, type Effort } from '../http/compress-body.ts';
import type { EncodedBody, Entry } from './entry.ts';

/** Bodies that may wait to be compressed; others are sent as they are. */
const LONGEST_QUEUE = 1000;
/** A request does not wait longer for its encoding. */
const MAX_WAIT_MS = 100;

/**
 * Compresses in libuv's threads, one body at a time: the threads are few and shared with the database driver, and a
 * burst of new entries must not take them all.
 */
export class Compressor {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @returns undefined when the queue is full */
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

export interface EncodedBodies {
  /** The body to send; undefined while its encoding is not made yet. */
  ready(entry: Entry, acceptEncoding: string | undefined): EncodedBody | undefined;
  /** The same; compresses where needed. */
  make(key: string, entry: Entry, acceptEncoding: string | undefined): Promise<EncodedBody>;
}

/**
 * The bodies of entries in the encodings that clients accept: each is made once, for the first request that needs
 * it; further ones wait for the same.
 */
export function encodedBodies(
  compressor: Compressor,
  effort: Effort & { readonly compressFromBytes: number },
  onGrown: (key: string, entry: Entry) => void,
): EncodedBodies {
  const choose = encodingChooser();

  function encode(key: string, entry: Entry, encoding: Compressed): Promise<void> | undefined {
    const identity = entry.body('identity');
    if (identity.length < effort.compressFromBytes) return Promise.resolve();
    return compressor.add(async () => {
      // Kept also where it is longer, some 20 bytes at most: clients may rely on what they accept.
      entry.add(encoding, await compressBody(identity.body, encoding, effort));
      onGrown(key, entry);
    });
  }

  return {
    ready(entry, acceptEncoding) {
      const encoding = choose(acceptEncoding);
      if (encoding === 'identity' || entry.settled.has(encoding)) return entry.body(encoding);
      return undefined;
    },
    async make(key, entry, acceptEncoding) {
      const encoding = choose(acceptEncoding);
      if (encoding !== 'identity' && !entry.settled.has(encoding)) {
        let pending = entry.pending.get(encoding);
        if (pending === undefined) {
          pending = encode(key, entry, encoding);
          if (pending === undefined) return entry.body('identity');
          entry.pending.set(encoding, pending);
          void pending.then(() => {
            entry.pending.delete(encoding);
            entry.settled.add(encoding);
          });
        }
        await Promise.race([pending, pause(MAX_WAIT_MS)]);
      }
      return entry.body(encoding);
    },
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
