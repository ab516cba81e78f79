import type { CancelSignal } from './cancel-signal.ts';

/** An `AbortController` and its signal in one, without what makes those take 6 µs, 3 % of a small answer. */
export class Cancellation implements CancelSignal {
  aborted = false;
  reason: unknown;
  #listeners: (() => void)[] | undefined;

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners ?? []) listener();
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/** Rejects with the reason of the signal once it fires. */
export function aborted(signal: CancelSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}
