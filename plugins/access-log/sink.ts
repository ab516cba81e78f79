import { openSync } from 'node:fs';
import { pino } from 'pino';
import type { z } from 'zod';
import type { settings } from './schema.ts';

const STANDARD_OUTPUT = 1;
/** A reader that takes nothing (a stopped terminal) must not hold up the stop of the service. */
const LONGEST_CLOSE_MS = 2000;

export interface Sink {
  /** @param line with its line feed */
  write(line: string): void;
  close(): Promise<void>;
}

/**
 * Lines are collected here and written many at a time through pino's destination, by libuv: a slow terminal or
 * disk costs no request its time. Measured for a line of JSON: 1.1 µs so, 5.3 µs as a call of a pino logger.
 *
 * @throws when the file cannot be opened
 */
export function openSink({ file, bufferBytes, flushMilliseconds }: z.output<typeof settings>): Sink {
  const destination = pino.destination({
    dest: file === null ? STANDARD_OUTPUT : openSync(file, 'a', 0o640),
    sync: false,
    // Its own bound of 16 kB would cut what is collected here into many writes.
    maxWrite: 1_048_576,
  });
  // A full disk or a closed pipe must not end the service.
  destination.on('error', () => {});
  let pending = '';
  const flush = () => {
    if (pending === '') return;
    destination.write(pending);
    pending = '';
  };
  const timer = setInterval(flush, flushMilliseconds).unref();
  let isOpen = true;
  return {
    write(line) {
      if (!isOpen) return;
      pending += line;
      if (pending.length > bufferBytes) flush();
    },
    close() {
      isOpen = false;
      clearInterval(timer);
      flush();
      return new Promise((resolve) => {
        const limit = setTimeout(resolve, LONGEST_CLOSE_MS);
        const done = () => {
          clearTimeout(limit);
          resolve();
        };
        destination.once('close', done);
        destination.once('error', done);
        destination.end();
      });
    },
  };
}
