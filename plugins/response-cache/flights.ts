import type { CancelSignal } from '../../core/contract.ts';
import { JoinedFetch } from './joined-fetch.ts';

/** One fetch that several requests may wait for. */
export interface Flight<Result> {
  readonly fetch: JoinedFetch<Result>;
  /** Who asks made it; others share. */
  readonly isOwn: boolean;
}

interface Line<Result> {
  readonly running: JoinedFetch<Result>;
  queued?: JoinedFetch<Result>;
}

type Run<Result> = (signal: CancelSignal) => Promise<Result>;

/**
 * At most one running and one queued fetch a key. Whoever must see what is there *now* may not share the running
 * one, which may have read the old state already: such requests share the queued one.
 */
export class Flights<Result> {
  readonly #lines = new Map<string, Line<Result>>();

  /** The running fetch of the key, or a new one. */
  any(key: string, run: Run<Result>): Flight<Result> {
    const line = this.#lines.get(key);
    if (line !== undefined && !line.running.isCancelled) return { fetch: line.running, isOwn: false };
    return { fetch: this.#start(key, new JoinedFetch(run)), isOwn: true };
  }

  /** One that begins from now on. */
  later(key: string, run: Run<Result>): Flight<Result> {
    const line = this.#lines.get(key);
    if (line === undefined || line.running.isCancelled) {
      return { fetch: this.#start(key, new JoinedFetch(run)), isOwn: true };
    }
    if (line.queued !== undefined && !line.queued.isCancelled) return { fetch: line.queued, isOwn: false };
    const before = line.running.promise;
    const queued: JoinedFetch<Result> = new JoinedFetch((signal) => {
      const begin = () => {
        // What nobody waits for any more is not begun, and must not take the place of another.
        if (signal.aborted) throw signal.reason;
        this.#start(key, queued);
        return run(signal);
      };
      return before.then(begin, begin);
    });
    line.queued = queued;
    return { fetch: queued, isOwn: true };
  }

  get size(): number {
    return this.#lines.size;
  }

  #start(key: string, fetch: JoinedFetch<Result>): JoinedFetch<Result> {
    const line: Line<Result> = { running: fetch };
    this.#lines.set(key, line);
    const done = () => {
      // A queued one takes the place right after this.
      const isNext = line.queued !== undefined && !line.queued.isCancelled;
      if (this.#lines.get(key) === line && !isNext) this.#lines.delete(key);
    };
    fetch.promise.then(done, done);
    return fetch;
  }
}
