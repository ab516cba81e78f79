import type { Message } from '../message.ts';

/** Where a lane is in the log of its project: an event, and which part of one that affects more than fits. */
export interface Position {
  readonly event: number;
  readonly part: number;
}

export interface WaitingLane {
  readonly lane: number;
  /** Storage number. */
  readonly project: number;
  /** The next attempt is due then; null = there is something to send now. */
  readonly due: string | null;
  /** Made so far at what is sent next. */
  readonly attempts: number;
}

export interface LeasedLane {
  readonly lane: number;
  readonly project: number;
  readonly projectId: string;
  readonly webhook: string;
  readonly url: string;
  readonly secrets: Secrets;
  /** Paused (queueing goes on), or its webhook is deleted: nothing may be sent. */
  readonly stopped: boolean;
  /** When the head is due; null = now. */
  readonly due: string | null;
  /** Since when no notification got through; null = the last attempt succeeded. */
  readonly failingSince: string | null;
  /** Since when notifications are dropped for their age; null again with the next success. */
  readonly deadSince: string | null;
  readonly leasedUntil: string;
}

export interface Secrets {
  readonly current: string;
  /** The one before, which signs as well until the overlap ends. */
  readonly previous: { readonly secret: string; readonly until: string } | null;
}

/** A notification that is to be sent next. */
export interface Upcoming {
  readonly position: Position;
  /** Storage number; null = never tried. */
  readonly number: number | null;
  readonly message: Message;
  /** The bytes of the first attempt; null = to be rendered from the message. */
  readonly body: string | null;
  readonly attempts: number;
  readonly firstAttempt: string | null;
  /** Of the database it was read from: a backup that is restored has a log of its own. */
  readonly epoch: string;
}

export interface Attempt {
  /** When it began. */
  readonly at: string;
  readonly durationMs: number;
  /** null: no answer. */
  readonly status: number | null;
  /** First 2 kB of the answer's body, text. */
  readonly answer: string | null;
  /** Why there was none, in a sentence that may be shown. */
  readonly error: string | null;
}

export interface Outcome {
  readonly lane: number;
  readonly notification: Upcoming;
  readonly body: string;
  readonly attempt: Attempt;
  /** `pending` stays the head of its lane until `due`. `note`: why it was dropped. */
  readonly result:
    | { readonly state: 'delivered' }
    | { readonly state: 'pending'; readonly due: string }
    | { readonly state: 'dropped'; readonly note: string };
}

export interface Recorded {
  readonly lane: number;
  /**
   * `lost`: another one has the lane, somebody moved it on, or a backup took its place; claim it anew before
   * anything is sent.
   */
  readonly lease: 'kept' | 'lost';
  /** Before and after, for those who tell people of them. */
  readonly failingSince: readonly [before: string | null, after: string | null];
  readonly deadSince: readonly [before: string | null, after: string | null];
}
