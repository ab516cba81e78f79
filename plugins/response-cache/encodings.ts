import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'identity' | 'gzip' | 'br';

/** Of what we have, in the order we would rather send it. */
const OFFERED = ['br', 'gzip'] as const;
const REMEMBERED = 500;

/**
 * What to send to an `Accept-Encoding` (RFC 9110, 12.5.3): br, gzip or nothing of the kind. There are few values in
 * the wild, so they are remembered.
 */
export function encodingChooser(): (header: string | undefined) => Encoding {
  const known = new Map<string, Encoding>();
  return (header) => {
    if (header === undefined) return 'identity';
    let found = known.get(header);
    if (found === undefined) {
      if (known.size >= REMEMBERED) known.clear();
      found = choose(header);
      known.set(header, found);
    }
    return found;
  };
}

function choose(header: string): Encoding {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = OFFERED.filter((name) => weightOf(name) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  const plain = weights.get('identity') ?? 0;
  return best !== undefined && weightOf(best) >= plain ? best : 'identity';
}

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

export interface Effort {
  readonly gzipLevel: number;
  readonly brotliQuality: number;
}

interface Job {
  readonly body: Buffer;
  readonly encoding: 'gzip' | 'br';
  readonly done: (compressed: Buffer) => void;
}

/** Jobs that may wait; whoever finds no room asks again with the next request. */
const LONGEST_QUEUE = 200;

/**
 * Compresses in libuv's threads, one body at a time: they are few and shared with the database driver, and a burst
 * of new entries must not take them all.
 */
export class Compressor {
  readonly #queue: Job[] = [];
  #busy = false;

  /** @returns false when there is no room */
  add(job: Job, effort: Effort): boolean {
    if (this.#queue.length >= LONGEST_QUEUE) return false;
    this.#queue.push(job);
    if (!this.#busy) void this.#work(effort);
    return true;
  }

  async #work(effort: Effort): Promise<void> {
    this.#busy = true;
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      try {
        job.done(await compress(job.body, job.encoding, effort));
      } catch {
        // Out of memory for the moment: the entry is sent as it is.
      }
    }
    this.#busy = false;
  }
}

function compress(body: Buffer, encoding: 'gzip' | 'br', effort: Effort): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(body, { level: effort.gzipLevel });
  return brotlied(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: effort.brotliQuality,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}
