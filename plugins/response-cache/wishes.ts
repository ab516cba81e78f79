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
      wait: waits.some((name) => valuesOf(headers[name]).some((value) => value.toLowerCase() === 'true')),
      atLeast: Math.max(0, ...sequences.flatMap((name) => valuesOf(headers[name]).map(sequenceOf))),
    }),
  };
}

/** A header that came twice is one with a comma: a client and what stands in front of it may both ask. */
function valuesOf(header: string | string[] | undefined): string[] {
  return header === undefined
    ? []
    : String(header)
        .split(',')
        .map((value) => value.trim());
}

function sequenceOf(value: string): number {
  return /^\d{1,15}$/.test(value) ? Number(value) : 0;
}
