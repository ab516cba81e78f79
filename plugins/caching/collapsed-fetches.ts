import { type CancelSignal, CollapsedFetch } from '../../core/contract.ts';

export interface Joined<Result> {
  readonly fetch: CollapsedFetch<Result>;
  /** This request started it; others wait for it too. */
  readonly isOwn: boolean;
}

interface Slot<Result> {
  readonly running: CollapsedFetch<Result>;
  queued?: CollapsedFetch<Result>;
}

type Run<Result> = (signal: CancelSignal) => Promise<Result>;

/**
 * Request coalescing: at most one running and one queued fetch a key. A request that must see the state of *now* cannot
 * share the running one, which may have read an older state: such requests share the queued one.
 */
export class CollapsedFetches<Result> {
  readonly #slots = new Map<string, Slot<Result>>();

  /** The running fetch of the key, or a new one. */
  joinCurrent(key: string, run: Run<Result>): Joined<Result> {
    const slot = this.#slots.get(key);
    if (slot !== undefined && !slot.running.isCancelled) return { fetch: slot.running, isOwn: false };
    return { fetch: this.#start(key, new CollapsedFetch(run)), isOwn: true };
  }

  /** A fetch that begins from now on. */
  joinNext(key: string, run: Run<Result>): Joined<Result> {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.running.isCancelled) return this.joinCurrent(key, run);
    if (slot.queued !== undefined && !slot.queued.isCancelled) return { fetch: slot.queued, isOwn: false };
    const before = slot.running.promise;
    const queued: CollapsedFetch<Result> = new CollapsedFetch((signal) => {
      const begin = () => {
        // A cancelled fetch must not take the slot of another.
        signal.throwIfAborted();
        this.#start(key, queued);
        return run(signal);
      };
      return before.then(begin, begin);
    });
    slot.queued = queued;
    return { fetch: queued, isOwn: true };
  }

  get size(): number {
    return this.#slots.size;
  }

  #start(key: string, fetch: CollapsedFetch<Result>): CollapsedFetch<Result> {
    const slot: Slot<Result> = { running: fetch };
    this.#slots.set(key, slot);
    const done = () => {
      // A queued one replaces the slot right after this.
      const isNext = slot.queued !== undefined && !slot.queued.isCancelled;
      if (this.#slots.get(key) === slot && !isNext) this.#slots.delete(key);
    };
    fetch.promise.then(done, done);
    return fetch;
  }
}
