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

/** Room for the end of the last line that is collected; a longer line is written by itself. */
const LINE_BYTES = 4096;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const MOST_BYTES = 3;
/** While a reader takes nothing, this much waits for it; further lines are lost. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Lines are collected here as bytes and written many at a time through pino's destination, by libuv: a slow terminal or
 * disk costs no request its time, and one that has stopped costs lines, not the process its memory.
 *
 * @throws when the file cannot be opened
 */
export function openSink(
  { file, bufferBytes, flushMilliseconds }: z.output<typeof settings>,
  mostWaitingBytes = MOST_WAITING_BYTES,
): Sink {
  const destination = pino.destination({
    dest: file === null ? STANDARD_OUTPUT : openSync(file, 'a', 0o640),
    sync: false,
    contentMode: 'buffer',
    // Its own bound of 16 kB would cut what is collected here into many writes.
    maxWrite: 1_048_576,
    maxLength: mostWaitingBytes,
  });
  // Its types know text only.
  const bytes = destination as unknown as { write(some: Uint8Array): boolean };
  let hasFailed = false;
  // A full disk or a closed pipe must not end the service.
  destination.on('error', () => {
    hasFailed = true;
  });
  // After an error it writes again when something is added, and what it drops does not count as added.
  destination.on('drop', () => {
    if (!hasFailed) return;
    hasFailed = false;
    bytes.write(NOTHING);
  });
  const size = bufferBytes + LINE_BYTES;
  const pending = Buffer.allocUnsafeSlow(size);
  let length = 0;
  const flush = () => {
    if (length === 0) return;
    // The destination keeps what it has not written.
    bytes.write(Buffer.from(pending.subarray(0, length)));
    length = 0;
  };
  const timer = setInterval(flush, flushMilliseconds).unref();
  let isOpen = true;
  return {
    write(line) {
      if (!isOpen) return;
      if (line.length * MOST_BYTES > size - length) flush();
      if (line.length * MOST_BYTES > size) bytes.write(Buffer.from(line));
      else length += pending.write(line, length);
      if (length > bufferBytes) flush();
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
