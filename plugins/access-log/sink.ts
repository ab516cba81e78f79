import { openSync } from 'node:fs';
import { pino } from 'pino';
import type { z } from 'zod';
import type { Clock } from '../contract.ts';
import type { settings } from './schema.ts';

const STANDARD_OUTPUT = 1;
/** A reader that takes nothing (a stopped terminal) must not hold up the stop of the service. */
const LONGEST_CLOSE_MS = 2000;

export interface Sink {
  write(line: object): void;
  close(): Promise<void>;
}

/**
 * A pino logger over a buffered destination. The write goes through libuv, so that a slow terminal or disk
 * costs no request its time.
 *
 * @throws when the file cannot be opened
 */
export function openSink(options: z.output<typeof settings>, clock: Clock): Sink {
  const destination = pino.destination({
    dest: options.file === null ? STANDARD_OUTPUT : openSync(options.file, 'a', 0o640),
    sync: false,
    minLength: options.bufferBytes,
    periodicFlush: options.flushMilliseconds,
  });
  // A full disk or a closed pipe must not end the service.
  destination.on('error', () => {});
  const log = pino(
    {
      base: null,
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      formatters: { level: () => ({ log: 'access' }) },
    },
    destination,
  );
  let isOpen = true;
  return {
    write(line) {
      if (isOpen) log.info(line);
    },
    close() {
      isOpen = false;
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
