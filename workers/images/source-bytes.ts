import { closeSync, openSync, readSync } from 'node:fs';

/** Single bytes of a source, without reading all of it. */
export interface SourceBytes {
  /** Fewer than asked for at the end of the source. */
  read(at: number, length: number): Buffer;
}

/** Without waiting: a hop to the pool of threads and back costs more than these few bytes. */
export function withSourceBytes<Found>(
  source: string | Uint8Array,
  look: (bytes: SourceBytes) => Found,
): Found {
  if (typeof source !== 'string') {
    return look({ read: (at, length) => Buffer.from(source.subarray(at, at + length)) });
  }
  const file = openSync(source, 'r');
  try {
    return look({
      read(at, length) {
        const bytes = Buffer.alloc(length);
        return bytes.subarray(0, readSync(file, bytes, 0, length, at));
      },
    });
  } finally {
    closeSync(file);
  }
}
