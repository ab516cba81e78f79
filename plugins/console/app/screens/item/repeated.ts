import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

/** In milliseconds. */
export interface RepeatTimes {
  /** Until failed work is tried again; twice as long each time. */
  readonly again: number;
  readonly longestAgain: number;
}

/** Work that is done later, once at a time, and again after a pause where it failed for a time. */
export class Repeated {
  readonly #work: () => void;
  readonly #times: RepeatTimes;
  readonly #isWaiting: Signal<boolean> = signal(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor(work: () => void, times: RepeatTimes) {
    this.#work = work;
    this.#times = times;
  }

  /** It has failed, and will be tried again. */
  get willRetry(): ReadonlySignal<boolean> {
    return this.#isWaiting;
  }

  start(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#work, milliseconds);
  }

  /** Must be called where the work has failed, and may succeed later. */
  failed(): void {
    const { again, longestAgain } = this.#times;
    this.#isWaiting.value = true;
    this.start(Math.min(again * 2 ** this.#failures, longestAgain));
    this.#failures += 1;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Must be called when the work begins or ends. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWaiting.value = false;
  }
}
