import type { IncomingHttpHeaders } from 'node:http';

/** The cache directives of a request. */
export interface CacheDirectives {
  /** The wait-for-new-content header: the answer has to be current. */
  readonly wait: boolean;
  /** The answer has to show at least this sequence; 0 = any. */
  readonly minSequence: number;
}

export interface DirectiveReader {
  /** Whether a fresh cached answer will do. */
  isPlain(headers: IncomingHttpHeaders): boolean;
  /** Another page of a feed, whose position is in a header. */
  isContinued(headers: IncomingHttpHeaders): boolean;
  read(headers: IncomingHttpHeaders): CacheDirectives;
}

const NONE: CacheDirectives = { wait: false, minSequence: 0 };

/** Reads the directives under the header names of any of the vendors. */
export function cacheDirectives(vendors: readonly string[]): DirectiveReader {
  const prefixes = vendors.map((vendor) => `x-${vendor.toLowerCase()}-`);
  const waits = prefixes.map((prefix) => `${prefix}wait-for-loading-new-content`);
  const sequences = prefixes.map((prefix) => `${prefix}content-sequence`);
  const directives = [...waits, ...sequences, 'x-continuation'];
  const isPlain = (headers: IncomingHttpHeaders) => {
    for (const name of directives) if (headers[name] !== undefined) return false;
    return true;
  };
  return {
    isPlain,
    isContinued: (headers) => headers['x-continuation'] !== undefined,
    read(headers) {
      if (isPlain(headers)) return NONE;
      return {
        wait: waits.some((name) => valuesOf(headers[name]).some((value) => value.toLowerCase() === 'true')),
        minSequence: Math.max(0, ...sequences.flatMap((name) => valuesOf(headers[name]).map(sequenceOf))),
      };
    },
  };
}

/** A repeated header is read as one with a comma: a client and a proxy in front of it may both send it. */
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
