/** Saves a form by itself: after a pause, from time to time while someone types on, and once more before it is left. */
import type { ReadonlySignal } from '@preact/signals';
import type { ItemForm } from './item-form.ts';
import { Repeated, type RepeatTimes } from './repeated.ts';

/** In milliseconds. */
export interface AutosaveTimes extends RepeatTimes {
  /** Without a change, until they are sent. */
  readonly pause: number;
  /** Changes wait for a pause no longer than this. */
  readonly longest: number;
}

export const TIMES: AutosaveTimes = { pause: 2000, longest: 10_000, again: 2000, longestAgain: 30_000 };

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
  readonly #repeated: Repeated;
  /** Time of the first change that waits. */
  #since: number | undefined;
  #isStopped = false;

  constructor(form: ItemForm, options: AutosaveOptions) {
    this.#form = form;
    this.#options = options;
    this.#times = options.times ?? TIMES;
    this.#repeated = new Repeated(() => void this.saveNow(), this.#times);
  }

  /** A save has failed, and will be tried again. */
  get willRetry(): ReadonlySignal<boolean> {
    return this.#repeated.willRetry;
  }

  /** Must be called after each change. */
  schedule(): void {
    if (this.#isStopped || this.willRetry.peek() || !this.#hasWork()) return;
    const now = performance.now();
    this.#since ??= now;
    const { pause, longest } = this.#times;
    this.#repeated.start(Math.max(0, Math.min(pause, this.#since + longest - now)));
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
    if (error === undefined) this.#repeated.succeeded();
    if (this.#isStopped) return isSaved;
    if (this.#options.isTemporary(error)) this.#repeated.failed();
    else if (error === undefined) this.schedule();
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

  #clear(): void {
    this.#repeated.clear();
    this.#since = undefined;
  }
}
