import { ServiceError } from '../errors.ts';

/**
 * What is read for. Each class has connections of its own, so that none waits behind another:
 * `lookup`: keys, projects, files and health, one row at a time; `delivery`: delivery and preview; `management`:
 * management and admin; `background`: jobs of the service itself, which nobody's request waits for.
 */
export type ReadClass = 'lookup' | 'delivery' | 'management' | 'background';

/** Whom a reader reads for, and when it has to stop. */
export interface ReadScope {
  readonly class: ReadClass;
  /** Those who share a name share their turn: a project on a surface. Others do not wait behind them. */
  readonly share?: string;
  /** Once it has fired, what waits is given up and what runs is interrupted. */
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** How long one statement may take; null = as long as it needs. */
  readonly statementMilliseconds?: number | null;
}

/** What a class of readers has done and is doing. */
export interface ReadFigures {
  readonly connections: number;
  readonly running: number;
  readonly waiting: number;
  /** Reads that had to wait, and for how long in all. */
  readonly waited: number;
  readonly waitSeconds: number;
  /** Because the queue was full, or because their turn did not come in time. */
  readonly refused: number;
  /** Tasks that were ended early, by reason. */
  readonly interrupted: Readonly<Record<'cancelled' | 'deadline' | 'shutdown' | 'preempted', number>>;
}

/** @returns the error of a read or write that found its queue full */
export function busy(): ServiceError {
  return new ServiceError('unavailable', 'The service is busy; try again in a moment.', {
    headers: { 'retry-after': '1' },
  });
}

/** A read or a transaction that was ended before it was done, and why. */
export class WorkEnded extends ServiceError {
  readonly reason: keyof ReadFigures['interrupted'];

  constructor(reason: WorkEnded['reason'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super('unavailable', message, { headers });
    this.reason = reason;
  }
}

/** @returns the error of a read whose caller does not want it any more */
export function cancelled(): WorkEnded {
  return new WorkEnded('cancelled', 'The request was cancelled.');
}

/** @returns the error of work that a stop of the service ended */
export function shuttingDown(): WorkEnded {
  return new WorkEnded('shutdown', 'The service is stopping; try again in a moment.', { 'retry-after': '1' });
}

/** @returns the error of a task that gives its connection to others; the pool runs it again and answers nobody with it */
export function preempted(): WorkEnded {
  return new WorkEnded('preempted', 'The read gave way to shorter ones.');
}

/** @returns the error of a statement that took longer than it may */
export function pastDeadline(milliseconds: number): WorkEnded {
  const message = `Reading took longer than ${milliseconds} ms and was stopped. Ask for less: fewer or more selective conditions, a smaller 'limit' or 'skip', no total count.`;
  return new WorkEnded('deadline', message);
}
