import type { LeasedQueue } from '../queues/queue-types.ts';
import { Batcher } from './batcher.ts';
import type { DispatchQueue } from './dispatch-queue.ts';
import type { DispatcherOptions } from './dispatcher-options.ts';

/** A lease outlasts an attempt by this much, ms; each result renews it. */
const EXTRA = 90_000;
/** An attempt ends at least this long before its lease, ms. */
const MARGIN = 5_000;

/** A lease, or undefined where another owner has the queue. */
interface Claim {
  readonly leased: LeasedQueue | undefined;
  readonly ends: number;
  /** Of the owner, before the claim. */
  readonly term: number;
}

/** The leases of a dispatcher's queues; claims of many queues share a commit. */
export class QueueLeases {
  /** Length of a lease, ms. */
  readonly length: number;
  readonly #options: Pick<DispatcherOptions, 'clock' | 'owner' | 'timeout'>;
  readonly #claims: Batcher<number, Claim>;

  constructor(options: Pick<DispatcherOptions, 'clock' | 'owner' | 'store' | 'timeout'>) {
    const { owner, store, timeout } = options;
    this.length = timeout + EXTRA;
    this.#options = options;
    this.#claims = new Batcher(async (numbers) => {
      const ends = this.nextEnd();
      const { term } = owner;
      const leased = new Map((await store.claim(numbers, this.length)).map((one) => [one.queue, one]));
      return numbers.map((number) => ({ leased: leased.get(number), ends, term }));
    });
  }

  /** End of a lease that begins now, by the monotonic clock. */
  nextEnd(): number {
    return this.#options.clock.elapsed() + this.length;
  }

  /** False while other processes may take over any queue of this one. */
  get isOwner(): boolean {
    return this.#options.owner.term > 0;
  }

  /** The owner did not change since the claim. */
  isOwned(queue: DispatchQueue): boolean {
    return queue.term === this.#options.owner.term;
  }

  /** No other process can take the queue before an attempt that begins now ends. */
  isValid(queue: DispatchQueue): boolean {
    const { clock, timeout } = this.#options;
    return this.isOwned(queue) && queue.leaseEnds - clock.elapsed() >= timeout + MARGIN;
  }

  /** @returns undefined where another owner has the queue */
  async claim(queue: DispatchQueue): Promise<LeasedQueue | undefined> {
    // Another process may have sent what was read.
    if (!this.isOwned(queue) || queue.leaseEnds <= this.#options.clock.elapsed()) queue.forget();
    const { leased, ends, term } = await this.#claims.add(queue.number);
    queue.leased = leased;
    queue.leaseEnds = ends;
    queue.term = term;
    return leased;
  }
}
