import { type Logger, pino } from 'pino';
import type { Log } from '../plugins/contract.ts';

/**
 * The log of the service itself, on standard error: standard output belongs to the access log. Lines are few
 * and written at once, so that the last words of a crash are there.
 *
 * `error`: somebody has to look; at most once for a failed request. `warn`: works, but not as meant. `info`:
 * the life of the service, a line a minute at most. `debug`: what happened to single requests.
 */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** A log for each part, and one level for all of them that may change while they are in use. */
export interface Logs {
  (part: string): Log;
  setLevel(level: string): void;
}

export function logFor(log: Logger): Logs {
  const children = new Map<string, Logger>();
  const child = (part: string): Logger => {
    const made = children.get(part) ?? log.child({ part }, { level: log.level });
    children.set(part, made);
    return made;
  };
  return Object.assign(child, {
    setLevel(level: string) {
      for (const logger of [log, ...children.values()]) logger.level = level;
    },
  });
}
