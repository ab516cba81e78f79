import { ServiceError } from '../errors.ts';
import type { CancelSignal } from './cancel-signal.ts';
import { Cancellation } from './cancellation.ts';

/** Why a fetch that was cancelled ends. */
export const UNWANTED = new ServiceError('unavailable', 'No request waits for the answer any more.');

/** A fetch that several requests may wait for. It is cancelled when the last of them has disconnected. */
export class CollapsedFetch<Result> {
  readonly promise: Promise<Result>;
  readonly #cancellation = new Cancellation();
  #waiting = 0;
  #isSettled = false;

  constructor(run: (signal: CancelSignal) => Promise<Result>) {
    this.promise = run(this.#cancellation);
    const settled = () => {
      this.#isSettled = true;
    };
    this.promise.then(settled, settled);
  }

  get isCancelled(): boolean {
    return this.#cancellation.aborted;
  }

  /** One request more waits; returns what ends its waiting. */
  join(): () => void {
    this.#waiting += 1;
    let hasJoined = true;
    return () => {
      if (!hasJoined) return;
      hasJoined = false;
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isSettled) this.cancel();
    };
  }

  /** Also ends an answer that is still being read. */
  cancel(): void {
    this.#cancellation.abort(UNWANTED);
  }
}
