import { type Logger, pino } from 'pino';
import type { ProcessIdentity } from '../core/contract.ts';
import type { Log } from '../plugins/contract.ts';

const STANDARD_ERROR = 2;
/** While nothing can be written, this much waits for it; further lines are lost. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * The log of the service itself, on standard error: standard output is for the access log. Lines are few and written
 * synchronously, so that a crash loses none.
 *
 * `error`: needs an operator; at most once for a failed request. `warn`: works, but not as configured. `info`:
 * lifecycle of the service, a line a minute at most. `debug`: single requests.
 *
 * @param process its role and instance are in each line, unless it is the only process of the installation
 */
export function createLog(level: string, process?: ProcessIdentity): Logger {
  return pino(
    {
      level,
      base:
        process === undefined || process.role === 'all'
          ? null
          : { role: process.role, instance: process.instance },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    openDestination(),
  );
}

function openDestination() {
  const destination = pino.destination({
    dest: STANDARD_ERROR,
    sync: true,
    maxLength: MOST_WAITING_BYTES,
  });
  // A full disk or a closed terminal must not end the service.
  destination.on('error', () => {});
  // What it drops does not make it write again.
  destination.on('drop', () => destination.write(''));
  return destination;
}

/** A log for each part of the service, with one level for all that may change at any time. */
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
