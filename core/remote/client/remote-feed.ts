import { randomUUID } from 'node:crypto';
import {
  type ChangeFeed,
  type FeedPosition,
  FeedSubscribers,
  isFollowed,
  SequenceWaiters,
} from '../../changes/change-feed.ts';
import type { FeedCommit } from '../../changes/change-log.ts';
import type { CoreClock } from './core-clock.ts';

/**
 * The change feed of cores in other processes: each link delivers all commits in order, and the first that delivers a
 * commit counts, so that losing one link loses nothing.
 */
export class RemoteFeed implements ChangeFeed {
  /** Names this process in confirmations. */
  readonly gateway = randomUUID();
  /** Those of the cores that links follow or have followed. */
  readonly clocks = new Map<string, CoreClock>();
  readonly #subscribers: FeedSubscribers;
  readonly #waiting = new SequenceWaiters();
  #position: FeedPosition | undefined;
  completeUntil = Number.NEGATIVE_INFINITY;

  /** @param failed is called when a subscriber threw; the others still get the change */
  constructor(failed: (error: unknown) => void) {
    this.#subscribers = new FeedSubscribers(failed);
  }

  subscribe(...listeners: Parameters<ChangeFeed['subscribe']>): () => void {
    return this.#subscribers.subscribe(...listeners);
  }

  /** The last commit that was delivered. */
  get position(): FeedPosition | undefined {
    return this.#position;
  }

  /**
   * A link starts behind `position`.
   *
   * @param requested where it was to start
   */
  start(position: FeedPosition, requested: FeedPosition | undefined): void {
    const known = this.#position;
    if (known?.epoch === position.epoch && position.sequence <= known.sequence) {
      const isResumed = position.sequence === known.sequence || position.sequence === requested?.sequence;
      // A core that lags behind the one of a link that is alive has lost nothing.
      if (isResumed || isFollowed(this)) return;
    }
    this.#reset(position);
  }

  /** @param age milliseconds since the commit */
  commit({ sequence, epoch, changes }: FeedCommit, age: number): void {
    const before = this.#position;
    if (before === undefined) return;
    // After a restore the numbers may start again.
    if (epoch === before.epoch && sequence <= before.sequence) return;
    if (sequence !== before.sequence + 1 || epoch !== before.epoch)
      this.#reset({ sequence: sequence - 1, epoch });
    this.#position = { sequence, epoch };
    for (const { project, tags } of changes)
      this.#subscribers.publish({ sequence, epoch, project, tags, age });
    this.#waiting.settle((wanted) => wanted <= sequence);
  }

  /** Resolves when the commit was delivered, or after the time; at once while the feed is lost. */
  reached(sequence: number, milliseconds: number): Promise<void> {
    if ((this.#position?.sequence ?? 0) >= sequence || !isFollowed(this)) return Promise.resolve();
    return this.#waiting.wait(sequence, milliseconds);
  }

  /** A link has delivered all commits until this time (`performance.now()`). */
  complete(until: number, epoch: string): void {
    if (epoch === this.#position?.epoch) this.completeUntil = Math.max(this.completeUntil, until);
  }

  #reset(position: FeedPosition): void {
    this.#position = position;
    this.#subscribers.reset(position);
  }
}
