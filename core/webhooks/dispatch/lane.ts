import type { PreparedNotification } from '../../../workers/webhooks/notification.ts';
import type { LeasedLane, Upcoming } from '../lanes/lane-types.ts';

/** Read ahead, at most. */
const AHEAD = 64;
/** Affected items in what is read ahead, about: 200 bytes each. */
const ITEMS_AHEAD = 2000;

export interface Ready {
  readonly notification: Upcoming;
  readonly prepared: PreparedNotification;
  /** By the clock that nobody sets. */
  readonly preparedAt: number;
}

/** What the dispatcher remembers of one lane. */
export class Lane {
  readonly number: number;
  /** Storage number. */
  readonly project: number;
  /** Undefined: has to be claimed before anything is sent. */
  leased: LeasedLane | undefined;
  /** By the clock that nobody sets; counted from before the claim, so never later than the store's. */
  leaseEnds = 0;
  /** To be sent, in order. */
  ready: Ready[] = [];
  /** Somebody works on it. */
  busy = false;
  /** There may be more in the log than what was read. */
  more = true;
  /** What is known of it is out of date: its webhook was changed. */
  stale = false;
  /** The head was tried before. */
  failing = false;
  /** During the overlap of two secrets: the new one signed first and was accepted. */
  newSecretAccepted = false;
  #ahead = 2;

  constructor(number: number, project: number) {
    this.number = number;
    this.project = project;
  }

  /** How much to read: little of a lane that fails or just woke, more as it goes on. */
  get limit(): number {
    return this.failing ? 1 : this.#ahead;
  }

  /** After reading `notifications` with `limit`. */
  hasRead(notifications: readonly Upcoming[], limit: number): void {
    this.more = notifications.length === limit;
    const items = notifications.reduce((sum, { message }) => sum + message.items.length, 0);
    const each = Math.max(1, items / Math.max(1, notifications.length));
    this.#ahead = Math.max(1, Math.min(AHEAD, limit * 4, Math.floor(ITEMS_AHEAD / each)));
  }

  /** The bodies have the items from here on: kept beside them they took more than half of the memory of a backlog. */
  hasPrepared(
    upcoming: readonly Upcoming[],
    prepared: readonly PreparedNotification[],
    preparedAt: number,
  ): void {
    this.ready = upcoming.map(({ message, ...rest }, at) => ({
      notification: { ...rest, message: { ...message, items: [] } },
      prepared: prepared[at]!,
      preparedAt,
    }));
  }

  /** Forgets everything but its number: it is claimed and read anew. */
  startOver(): void {
    this.stale = false;
    this.leased = undefined;
    this.newSecretAccepted = false;
    this.forget();
  }

  /** Forgets what was read: it has to be read or signed anew. */
  forget(): void {
    this.ready = [];
    this.more = true;
  }
}
