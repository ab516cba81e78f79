import type { PreparedNotification } from '../../../workers/webhooks/notification.ts';
import type { LeasedQueue, Upcoming } from '../queues/queue-types.ts';

/** Most notifications read ahead. */
const AHEAD = 64;
/** Most affected items read ahead, about 200 bytes each. */
const ITEMS_AHEAD = 2000;

export interface Ready {
  readonly notification: Upcoming;
  readonly prepared: PreparedNotification;
  /** By the monotonic clock. */
  readonly preparedAt: number;
}

/** The dispatcher's state of one queue. */
export class DispatchQueue {
  readonly number: number;
  /** Storage number. */
  readonly project: number;
  /** Undefined until the queue is claimed. */
  leased: LeasedQueue | undefined;
  /** By the monotonic clock, counted from before the claim, so never later than the end in the store. */
  leaseEnds = 0;
  /** Of the owner, when the queue was claimed. */
  term = 0;
  /** Prepared notifications, in order. */
  ready: Ready[] = [];
  /** A loop works on the queue. */
  busy = false;
  /** The log may have more notifications than were read. */
  more = true;
  /** The webhook was changed, so the state is out of date. */
  stale = false;
  /** The head failed before. */
  failing = false;
  /** During the overlap of two secrets: a receiver accepted an attempt with the new one first. */
  newSecretAccepted = false;
  #ahead = 2;

  constructor(number: number, project: number) {
    this.number = number;
    this.project = project;
  }

  /** Notifications to read next: few for a failing or newly woken queue, then more. */
  get limit(): number {
    return this.failing ? 1 : this.#ahead;
  }

  /** Call after reading `notifications` with `limit`. */
  onRead(notifications: readonly Upcoming[], limit: number): void {
    this.more = notifications.length === limit;
    const items = notifications.reduce((sum, { message }) => sum + message.items.length, 0);
    const each = Math.max(1, items / Math.max(1, notifications.length));
    this.#ahead = Math.max(1, Math.min(AHEAD, limit * 4, Math.floor(ITEMS_AHEAD / each)));
  }

  /** Drops the items, which the bodies repeat: they took more than half the memory of a backlog. */
  onPrepared(
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

  /** Drops the lease and everything read: the queue must be claimed and read again. */
  reset(): void {
    this.stale = false;
    this.failing = false;
    this.leased = undefined;
    this.newSecretAccepted = false;
    this.forget();
  }

  /** Drops read notifications: they must be read or signed again. */
  forget(): void {
    this.ready = [];
    this.more = true;
  }
}
