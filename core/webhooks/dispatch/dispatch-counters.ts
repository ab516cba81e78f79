import type { Outcome } from '../queues/queue-types.ts';

/** Counted since the start of the process, except the last three. */
export interface DispatchFigures {
  /** Accepted by a receiver. */
  readonly delivered: number;
  /** Failed attempts, including the last one of a dropped notification. */
  readonly failed: number;
  readonly dropped: number;
  /** Seconds from commit to answer, summed over notifications that were accepted at the first attempt. */
  readonly lagSeconds: number;
  /** Notifications in `lagSeconds`. */
  readonly lagCount: number;
  /** Attempts that run now. */
  readonly underWay: number;
  /** Queues that the dispatcher works on. */
  readonly busyQueues: number;
  /** Queues whose head waits for a retry. */
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

  read(): Omit<DispatchFigures, 'underWay' | 'busyQueues' | 'waitingForRetry'> {
    return {
      delivered: this.#delivered,
      failed: this.#failed,
      dropped: this.#dropped,
      lagSeconds: this.#lagSeconds,
      lagCount: this.#lagCount,
    };
  }
}
