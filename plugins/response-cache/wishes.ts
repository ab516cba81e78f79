import type { IncomingHttpHeaders } from 'node:http';
import type { Wish } from './reuse.ts';

export interface Wishes {
  /** Nothing is asked for that a fresh kept answer may not have. */
  isPlain(headers: IncomingHttpHeaders): boolean;
  /** Another page of a feed, which is told by a header. */
  isContinued(headers: IncomingHttpHeaders): boolean;
  of(headers: IncomingHttpHeaders): Wish;
}

/** What requests ask of the cache, under the header names of any of the vendors. */
export function wishes(vendors: readonly string[]): Wishes {
  const prefixes = vendors.map((vendor) => `x-${vendor.toLowerCase()}-`);
  const waits = prefixes.map((prefix) => `${prefix}wait-for-loading-new-content`);
  const sequences = prefixes.map((prefix) => `${prefix}content-sequence`);
  const special = [...waits, ...sequences, 'x-continuation'];
  return {
    isPlain(headers) {
      for (const name of special) if (headers[name] !== undefined) return false;
      return true;
    },
    isContinued: (headers) => headers['x-continuation'] !== undefined,
    of: (headers) => ({
      wait: waits.some((name) => String(headers[name]).trim().toLowerCase() === 'true'),
      atLeast: Math.max(0, ...sequences.map((name) => sequenceOf(headers[name]))),
    }),
  };
}

function sequenceOf(header: string | string[] | undefined): number {
  const text = String(header).trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
