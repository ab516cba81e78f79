import type { Owner } from '../../storage/owner.ts';
import type { Prepare } from '../prepare.ts';
import type { RecordedAttempt } from '../queues/queue-types.ts';
import type { WebhookQueueStore } from '../queues/webhook-queue-store.ts';
import type { Send } from '../send/send.ts';
import type { DispatchClock } from './dispatch-clock.ts';

/** A recorded attempt and the state of its queue. The record is durable. */
export interface AttemptRecorded extends RecordedAttempt {
  readonly webhook: string;
  /** Storage number. */
  readonly project: number;
  readonly accepted: boolean;
}

export interface DispatcherOptions {
  readonly store: WebhookQueueStore;
  readonly prepare: Prepare;
  readonly send: Send;
  readonly clock: DispatchClock;
  /** Owner of the leases. */
  readonly owner: Pick<Owner, 'term'>;
  /** Longest time of `send`, ms. */
  readonly timeout: number;
  /** Most attempts at a time. */
  readonly parallel: number;
  /**
   * How long `close` waits for running attempts before it aborts them, ms. Aborted attempts are repeated after the
   * next start.
   */
  readonly drain: number;
  readonly onAttemptRecorded?: (attempt: AttemptRecorded) => void;
  readonly failed: (error: unknown) => void;
}
