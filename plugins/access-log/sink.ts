import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import type { z } from 'zod';
import type { Clock } from '../contract.ts';
import type { settings } from './schema.ts';

const STANDARD_OUTPUT = 1;
/** A reader that takes nothing (a stopped terminal) must not hold up the stop of the service. */
const LONGEST_CLOSE_MS = 2000;

export interface Sink {
  readonly log: Logger;
  close(): Promise<void>;
}

/**
 * A pino logger over a buffered destination. The write goes through libuv, so that a slow terminal or disk
 * costs no request its time.
 *
 * @throws when the file cannot be opened
 */
export async function openSink(options: z.output<typeof settings>, clock: Clock): Promise<Sink> {
  const destination = pino.destination({
    dest: options.file ?? STANDARD_OUTPUT,
    append: true,
    mkdir: true,
    sync: false,
    minLength: options.bufferBytes,
    periodicFlush: options.flushMilliseconds,
  });
  try {
    await once(destination, 'ready');
  } catch (cause) {
    throw new Error(`the log file ${options.file} cannot be written`, { cause });
  }
  // A full disk or a closed pipe later on must not end the service.
  destination.on('error', () => {});
  const log = pino(
    {
      base: null,
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      formatters: { level: () => ({ log: 'access' }) },
    },
    destination,
  );
  return {
    log,
    close: () =>
      new Promise((resolve) => {
        const limit = setTimeout(resolve, LONGEST_CLOSE_MS);
        const done = () => {
          clearTimeout(limit);
          resolve();
        };
        destination.once('close', done);
        destination.once('error', done);
        destination.end();
      }),
  };
}
