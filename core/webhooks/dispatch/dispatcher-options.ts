import type { LaneStore } from '../lanes/lane-store.ts';
import type { Recorded } from '../lanes/lane-types.ts';
import type { Prepare } from '../prepare.ts';
import type { Send } from '../send/send.ts';
import type { DispatchClock } from './dispatch-clock.ts';

/** A lane after an attempt, for those who tell people. Its record is durable. */
export interface LaneNews extends Recorded {
  readonly webhook: string;
  /** Storage number. */
  readonly project: number;
  readonly taken: boolean;
}

export interface DispatcherOptions {
  readonly store: LaneStore;
  readonly prepare: Prepare;
  readonly send: Send;
  readonly clock: DispatchClock;
  /**
   * Whose leases these are. Where the data has one owner at a time it is always the same name, so that what a
   * killed process held is taken up at once; else unique to this run.
   */
  readonly owner: string;
  /** What `send` takes at most, ms. */
  readonly timeout: number;
  /** Attempts under way at most. */
  readonly parallel: number;
  /** How long `close` waits for attempts under way, ms; then they are broken off, and made again after the start. */
  readonly drain: number;
  readonly told?: (news: LaneNews) => void;
  readonly failed: (error: unknown) => void;
}
