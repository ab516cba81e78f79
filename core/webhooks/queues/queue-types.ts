import type { Message } from '../message.ts';
import type { Secrets } from './secrets.ts';

/**
 * Position of a queue in the log of its project: an event, and the part of an event that affects more than one
 * notification can list.
 */
export interface Position {
  readonly event: number;
  readonly part: number;
}

/** The stored state of a queue. */
export interface QueueProgress {
  readonly cursor: number;
  readonly part: number;
  /** Storage number of the notification that blocks the queue. */
  readonly head: number | null;
  readonly next_due: string | null;
  readonly failing_since: string | null;
  readonly dead_since: string | null;
}

export interface WaitingQueue {
  readonly queue: number;
  /** Storage number. */
  readonly project: number;
  /** When the next attempt is due; null = now. */
  readonly due: string | null;
  /** Attempts at the next notification so far. */
  readonly attempts: number;
  /** Another live process owned the queue when it was read; its lease may have ended. */
  readonly isElsewhere: boolean;
}

export interface LeasedQueue {
  readonly queue: number;
  readonly project: number;
  readonly webhook: string;
  readonly url: string;
  readonly secrets: Secrets;
  /** The webhook is paused (events still queue up) or deleted: send nothing. */
  readonly stopped: boolean;
}

/** A notification to send. */
export interface Upcoming {
  readonly position: Position;
  /** Storage number; null = never attempted. */
  readonly number: number | null;
  readonly message: Message;
  /** Bytes of the first attempt; null = render them from the message. */
  readonly body: string | null;
  readonly attempts: number;
  readonly firstAttempt: string | null;
  /** Epoch of the database it was read from: a restored backup has a log of its own. */
  readonly epoch: string;
}

export interface Attempt {
  /** Start of the attempt. */
  readonly at: string;
  readonly durationMs: number;
  /** null = no answer. */
  readonly status: number | null;
  /** First 2 kB of the answer's body, text. */
  readonly answer: string | null;
  /** Why there was no answer, in a sentence that may be shown. */
  readonly error: string | null;
}

export interface Outcome {
  readonly queue: number;
  readonly notification: Upcoming;
  readonly body: string;
  readonly attempt: Attempt;
  /** `pending` keeps the notification at the head of its queue until `due`. `note` says why it was dropped. */
  readonly result:
    | { readonly state: 'delivered' }
    | { readonly state: 'pending'; readonly due: string }
    | { readonly state: 'dropped'; readonly note: string };
}

export interface RecordedAttempt {
  readonly queue: number;
  /**
   * `lost`: another owner has the queue, an operator moved it on or made its head due, or a backup replaced it. Claim it
   * again before sending.
   */
  readonly lease: 'held' | 'lost';
  /** Start of the failures, before and after the attempt; null = the last attempt succeeded. */
  readonly failingSince: readonly [before: string | null, after: string | null];
  /** When a notification was first dropped for its age, before and after the attempt; null again after a success. */
  readonly deadSince: readonly [before: string | null, after: string | null];
}
