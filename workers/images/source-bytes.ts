import { closeSync, openSync, readSync } from 'node:fs';

/** Reads parts of a source. */
export interface SourceBytes {
  /** Returns fewer bytes at the end of the source. */
  read(at: number, length: number): Buffer;
}

/** Synchronous: a switch to the thread pool costs more than these few bytes. */
export function withSourceBytes<Found>(
  source: string | Uint8Array,
  read: (bytes: SourceBytes) => Found,
): Found {
  if (typeof source !== 'string') {
    return read({ read: (at, length) => Buffer.from(source.subarray(at, at + length)) });
  }
  const file = openSync(source, 'r');
  try {
    return read({
      read(at, length) {
        const bytes = Buffer.alloc(length);
        return bytes.subarray(0, readSync(file, bytes, 0, length, at));
      },
    });
  } finally {
    closeSync(file);
  }
}
