import { setTimeout } from 'node:timers/promises';
import type { LaneStore } from '../lanes/lane-store.ts';
import type { WaitingLane } from '../lanes/lane-types.ts';

/**
 * Before more than so many are begun at once, ms. Ten deliveries take 6 ms of CPU, and begun at once they were in the
 * way of the answer to whoever wrote: a publish with ten webhooks took 1.3 times that with none while two CPUs had
 * other things to do, 1.03 with this.
 */
const BREATH = 2;
const FEW = 3;

/**
 * Finds the lanes that have something to send after commits: one query a project, however many commits there were
 * since the last, and none when nothing was announced.
 */
export class LaneFinder {
  readonly #store: Pick<LaneStore, 'waiting'>;
  readonly #found: (lane: WaitingLane) => void;
  readonly #failed: (error: unknown) => Promise<void>;
  readonly #done: () => void;
  /** Projects with commits that were not looked at yet, and from which event on. */
  readonly #news = new Map<number | 'all', number>();
  #looking = false;
  #closed = false;

  /**
   * @param found told of each lane
   * @param failed told of what went wrong; it is tried again when what that answers resolves
   * @param done told when all was looked at
   */
  constructor(
    store: Pick<LaneStore, 'waiting'>,
    found: (lane: WaitingLane) => void,
    failed: (error: unknown) => Promise<void>,
    done: () => void,
  ) {
    this.#store = store;
    this.#found = found;
    this.#failed = failed;
    this.#done = done;
  }

  get isLooking(): boolean {
    return this.#looking;
  }

  /** Returns at once. */
  look(project: number | 'all', event: number): void {
    if (this.#closed) return;
    this.#note(project, event);
    if (!this.#looking) this.#start();
  }

  #start(): void {
    this.#looking = true;
    void this.#run().finally(() => {
      this.#looking = false;
      // A commit between the last look and now.
      if (this.#news.size > 0 && !this.#closed) this.#start();
      else this.#done();
    });
  }

  close(): void {
    this.#closed = true;
  }

  #note(project: number | 'all', event: number): void {
    this.#news.set(project, Math.min(event, this.#news.get(project) ?? event));
  }

  async #run(): Promise<void> {
    // Commits of one group come one after another; and whoever wrote is answered first.
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const next = this.#news.entries().next().value;
      if (!next || this.#closed) return;
      const [project, event] = next;
      this.#news.delete(project);
      try {
        const waiting = await this.#store.waiting(project === 'all' ? undefined : { project, event });
        if (waiting.length > FEW) await setTimeout(BREATH);
        for (const lane of waiting) this.#found(lane);
      } catch (error) {
        this.#note(project, event);
        await this.#failed(error);
      }
    }
  }
}
