import type { CallTiming } from '../call-timing.ts';
import { ServiceError } from '../errors.ts';

/**
 * The purpose of a read. Each class has its own connections, so that none waits for another:
 * `lookup`: keys, projects, files and health, one row at a time; `delivery`: delivery and preview; `management`:
 * management and admin; `background`: jobs of the service, which no request waits for.
 */
export type ReadClass = 'lookup' | 'delivery' | 'management' | 'background';

export interface ReadScope {
  readonly class: ReadClass;
  /** Reads of the same share (a project on a surface) take one turn among shares; other shares do not wait for them. */
  readonly share?: string;
  /** Once it has fired, waiting reads are refused and the running statement is interrupted. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** How long one statement may take; null = as long as it needs. */
  readonly statementMilliseconds?: number | null;
  /** The time of the reads is added to it. */
  readonly timing?: CallTiming | undefined;
}

export interface ReadFigures {
  readonly connections: number;
  readonly running: number;
  readonly waiting: number;
  /** Reads that had to wait, and the sum of their waits. */
  readonly waited: number;
  readonly waitSeconds: number;
  /** Because the queue was full or the wait too long. */
  readonly refused: number;
  /** Tasks that were ended early, by reason. */
  readonly interrupted: Readonly<Record<'cancelled' | 'deadline' | 'shutdown' | 'preempted', number>>;
}

/** A read or write found its queue full, or waited too long. */
export class Busy extends ServiceError {
  constructor(cause?: unknown) {
    super('unavailable', 'The service is busy; try again in a moment.', {
      headers: { 'retry-after': '1' },
      cause,
    });
  }
}

/** Ends a read or a transaction early. */
export class WorkEnded extends ServiceError {
  readonly reason: keyof ReadFigures['interrupted'];

  constructor(reason: WorkEnded['reason'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super('unavailable', message, { headers });
    this.reason = reason;
  }
}

/** @returns the error of a read whose request was cancelled */
export function cancelled(): WorkEnded {
  return new WorkEnded('cancelled', 'The request was cancelled.');
}

/** @returns the error of work that was ended by a stop of the service */
export function shuttingDown(): WorkEnded {
  return new WorkEnded('shutdown', 'The service is stopping; try again in a moment.', { 'retry-after': '1' });
}

/** @returns the error of a task that was preempted by shorter reads; the pool catches it and runs the task again */
export function preempted(): WorkEnded {
  return new WorkEnded('preempted', 'The read was preempted by shorter ones.');
}

/** @returns the error of a statement that took longer than it may */
export function pastDeadline(milliseconds: number): WorkEnded {
  const message = `Reading took longer than ${milliseconds} ms and was stopped. Ask for less: fewer or more selective conditions, a smaller 'limit' or 'skip', no total count.`;
  return new WorkEnded('deadline', message);
}
