import { setTimeout } from 'node:timers/promises';
import type { WaitingQueue } from '../queues/queue-types.ts';
import type { WebhookQueueStore } from '../queues/webhook-queue-store.ts';

/**
 * Delay before more than `UNDELAYED_QUEUES` queues start, ms. Ten deliveries take 6 ms of CPU; started at once they
 * delayed the answer to the writer: a publish with ten webhooks took 1.3 times as long as with none on two busy CPUs,
 * 1.03 times with this delay.
 */
const START_DELAY = 2;
const UNDELAYED_QUEUES = 3;

/**
 * Finds the queues that have something to send after commits: one query per project, however many commits there were
 * since the last, and none when no commit announced events.
 */
export class QueueFinder {
  readonly #store: Pick<WebhookQueueStore, 'waiting'>;
  readonly #found: (queue: WaitingQueue) => void;
  readonly #failed: (error: unknown) => Promise<void>;
  readonly #done: () => void;
  /** Projects whose commits have not been searched, each with its first event. */
  readonly #pending = new Map<number | 'all', number>();
  #running = false;
  #closed = false;

  /**
   * @param found receives each queue
   * @param failed receives an error; the search is repeated when its promise resolves
   * @param done called when all projects have been searched
   */
  constructor(
    store: Pick<WebhookQueueStore, 'waiting'>,
    found: (queue: WaitingQueue) => void,
    failed: (error: unknown) => Promise<void>,
    done: () => void,
  ) {
    this.#store = store;
    this.#found = found;
    this.#failed = failed;
    this.#done = done;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** Returns at once. */
  find(project: number | 'all', event: number): void {
    if (this.#closed) return;
    this.#add(project, event);
    if (!this.#running) this.#start();
  }

  #start(): void {
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
      // A commit may have arrived after the last search.
      if (this.#pending.size > 0 && !this.#closed) this.#start();
      else this.#done();
    });
  }

  close(): void {
    this.#closed = true;
  }

  #add(project: number | 'all', event: number): void {
    this.#pending.set(project, Math.min(event, this.#pending.get(project) ?? event));
  }

  async #run(): Promise<void> {
    // Gathers the commits of one group, and lets the writer get its answer first.
    await new Promise((resolve) => setImmediate(resolve));
    for (;;) {
      const next = this.#pending.entries().next().value;
      if (!next || this.#closed) return;
      const [project, event] = next;
      this.#pending.delete(project);
      try {
        const waiting = await this.#store.waiting(project === 'all' ? undefined : { project, event });
        if (waiting.length > UNDELAYED_QUEUES) await setTimeout(START_DELAY);
        for (const queue of waiting) this.#found(queue);
      } catch (error) {
        this.#add(project, event);
        await this.#failed(error);
      }
    }
  }
}
