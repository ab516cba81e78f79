import type { CancelSignal } from '../../core/contract.ts';
import { Cancellation } from '../cancellation.ts';

/** One fetch that several requests may wait for. It stops when the last of them has left. */
export class JoinedFetch<Result> {
  readonly promise: Promise<Result>;
  readonly #cancel = new Cancellation();
  #waiting = 0;
  #isSettled = false;

  constructor(run: (signal: CancelSignal) => Promise<Result>) {
    this.promise = run(this.#cancel);
    const settled = () => {
      this.#isSettled = true;
    };
    this.promise.then(settled, settled);
  }

  /** Nobody new may wait for it. */
  get isCancelled(): boolean {
    return this.#cancel.aborted;
  }

  /** One more waits; returns the way to leave. */
  join(): () => void {
    this.#waiting += 1;
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isSettled) this.cancel();
    };
  }

  /** Also of what it has brought: an answer that is still being read. */
  cancel(): void {
    this.#cancel.abort(NOBODY_WAITS);
  }
}

const NOBODY_WAITS = new Error('Nobody waits for the answer any more.');
