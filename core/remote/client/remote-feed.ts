import { randomUUID } from 'node:crypto';
import {
  type Change,
  type ChangeFeed,
  FEED_LOST_MS,
  type FeedPosition,
  SequenceWaiters,
} from '../../changes/change-feed.ts';
import type { FeedCommit } from '../../changes/change-log.ts';

interface Subscriber {
  readonly onChange: (change: Change) => void;
  readonly onReset: (position: FeedPosition) => void;
}

/**
 * The change feed of cores in other processes: each link delivers all commits in order, and the first that delivers a
 * commit counts, so that losing one link loses nothing.
 */
export class RemoteFeed implements ChangeFeed {
  /** Names this process in confirmations. */
  readonly gateway = randomUUID();
  readonly #failed: (error: unknown) => void;
  readonly #subscribers = new Set<Subscriber>();
  readonly #waiting = new SequenceWaiters();
  #position: FeedPosition | undefined;
  completeUntil = Number.NEGATIVE_INFINITY;

  /** @param failed is called when a subscriber threw; the others still get the change */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  subscribe(onChange: Subscriber['onChange'], onReset: Subscriber['onReset'] = () => {}): () => void {
    const subscriber = { onChange, onReset };
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
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
      if (isResumed || this.#isAlive) return;
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
    for (const { project, tags } of changes) {
      const change: Change = { sequence, epoch, project, tags, age };
      this.#each(({ onChange }) => onChange(change));
    }
    this.#waiting.settle((wanted) => wanted <= sequence);
  }

  /** Resolves when the commit was delivered, or after the time; at once while the feed is lost. */
  reached(sequence: number, milliseconds: number): Promise<void> {
    if ((this.#position?.sequence ?? 0) >= sequence || !this.#isAlive) return Promise.resolve();
    return this.#waiting.wait(sequence, milliseconds);
  }

  /** A link has delivered all commits until this time (`performance.now()`). */
  complete(until: number, epoch: string): void {
    if (epoch === this.#position?.epoch) this.completeUntil = Math.max(this.completeUntil, until);
  }

  get #isAlive(): boolean {
    return performance.now() - this.completeUntil <= FEED_LOST_MS;
  }

  #reset(position: FeedPosition): void {
    this.#position = position;
    this.#each(({ onReset }) => onReset(position));
  }

  #each(call: (subscriber: Subscriber) => void): void {
    for (const subscriber of this.#subscribers) {
      try {
        call(subscriber);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}
