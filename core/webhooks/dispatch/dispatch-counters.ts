import type { Outcome } from '../lanes/lane-types.ts';

/** Since the start of the process, but for the last three. */
export interface DispatchFigures {
  /** Notifications that a receiver took. */
  readonly delivered: number;
  /** Attempts that failed; the last of a notification that is dropped is one of them. */
  readonly failed: number;
  readonly dropped: number;
  /** Seconds from the commit of the change to the receiver's answer, over all that were taken at the first attempt. */
  readonly lagSeconds: number;
  /** How many those were. */
  readonly lagCount: number;
  /** Attempts right now. */
  readonly underWay: number;
  /** Lanes that are being worked off. */
  readonly busyLanes: number;
  /** Lanes whose head waits for its next attempt. */
  readonly waitingForRetry: number;
}

export class DispatchCounters {
  #delivered = 0;
  #failed = 0;
  #dropped = 0;
  #lagSeconds = 0;
  #lagCount = 0;

  /** @param now when the attempt ended, ms since 1970 */
  attempted({ notification, result }: Outcome, now: number): void {
    if (result.state === 'delivered') {
      this.#delivered++;
      if (notification.attempts > 0) return;
      this.#lagSeconds += Math.max(0, now - Date.parse(notification.message.created)) / 1000;
      this.#lagCount++;
    } else {
      this.#failed++;
      if (result.state === 'dropped') this.#dropped++;
    }
  }

  read(): Omit<DispatchFigures, 'underWay' | 'busyLanes' | 'waitingForRetry'> {
    return {
      delivered: this.#delivered,
      failed: this.#failed,
      dropped: this.#dropped,
      lagSeconds: this.#lagSeconds,
      lagCount: this.#lagCount,
    };
  }
}
