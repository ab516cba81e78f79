/** Saves a form by itself: after a pause, from time to time while someone types on, and once more before it is left. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ItemForm } from './item-form.ts';

/** In milliseconds. */
export interface AutosaveTimes {
  /** Without a change, until they are sent. */
  readonly pause: number;
  /** Changes wait for a pause no longer than this. */
  readonly longest: number;
  /** Until a failed save is tried again; twice as long each time. */
  readonly again: number;
  readonly longestAgain: number;
}

const TIMES: AutosaveTimes = { pause: 2000, longest: 10_000, again: 2000, longestAgain: 30_000 };

interface AutosaveOptions {
  /** Whether the person may save now. */
  readonly isAllowed: () => boolean;
  /** Whether the same request may succeed later. */
  readonly isTemporary: (error: unknown) => boolean;
  /** Called after each save. */
  readonly onSaved: () => Promise<void>;
  readonly times?: AutosaveTimes;
}

export class Autosave {
  readonly #form: ItemForm;
  readonly #options: AutosaveOptions;
  readonly #times: AutosaveTimes;
  readonly #isWaiting: Signal<boolean> = signal(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time of the first change that waits. */
  #since: number | undefined;
  #failures = 0;
  #isStopped = false;

  constructor(form: ItemForm, options: AutosaveOptions) {
    this.#form = form;
    this.#options = options;
    this.#times = options.times ?? TIMES;
  }

  /** A save has failed, and will be tried again. */
  get willRetry(): ReadonlySignal<boolean> {
    return this.#isWaiting;
  }

  /** Must be called after each change. */
  schedule(): void {
    if (this.#isStopped || this.#isWaiting.peek() || !this.#hasWork()) return;
    const now = performance.now();
    this.#since ??= now;
    const { pause, longest } = this.#times;
    this.#start(Math.max(0, Math.min(pause, this.#since + longest - now)));
  }

  /** Saves now: when someone asks for it, when the connection is back, when the page may be closed. */
  async saveNow(
    options: { readonly isAsked?: boolean; readonly isLeaving?: boolean } = {},
  ): Promise<boolean> {
    this.#clear();
    const form = this.#form;
    if (!this.#options.isAllowed()) return false;
    const isSaved = await form.save(options);
    await this.#options.onSaved();
    const error = form.error.peek();
    if (error === undefined) this.#failures = 0;
    if (this.#isStopped) return isSaved;
    if (this.#options.isTemporary(error)) {
      const { again, longestAgain } = this.#times;
      this.#isWaiting.value = true;
      this.#start(Math.min(again * 2 ** this.#failures, longestAgain));
      this.#failures += 1;
    } else if (error === undefined) this.schedule();
    return isSaved;
  }

  /** Ends it after a last save. */
  async stop(): Promise<void> {
    const hasWork = this.#hasWork();
    this.#isStopped = true;
    this.#clear();
    if (hasWork) await this.saveNow({ isLeaving: true });
  }

  /** What would be sent. */
  #hasWork(): boolean {
    const { changed, obstacle } = this.#form;
    return (
      this.#options.isAllowed() &&
      obstacle.peek() === undefined &&
      [...changed.peek()].some(
        ({ theirs, refused, isRemoved }) =>
          theirs.peek() === undefined && refused.peek().length === 0 && !isRemoved.peek(),
      )
    );
  }

  #start(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.saveNow(), milliseconds);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#since = undefined;
    this.#isWaiting.value = false;
  }
}
