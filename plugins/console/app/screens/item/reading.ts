import type { ReadonlySignal } from '@preact/signals';
import type { ItemForm } from './item-form.ts';
import { Repeated, type RepeatTimes } from './repeated.ts';

interface ReadingOptions {
  /** Whether the same request may succeed later. */
  readonly isTemporary: (error: unknown) => boolean;
  readonly times: RepeatTimes;
}

/**
 * Takes over into a form what others saved. A read that failed for a time is repeated: a choice that is open would show an
 * old version otherwise, as an element with a choice is not sent, so no save tells the form that it is behind.
 */
export class Reading {
  readonly #form: ItemForm;
  readonly #options: ReadingOptions;
  readonly #repeated: Repeated;
  #isStopped = false;

  constructor(form: ItemForm, options: ReadingOptions) {
    this.#form = form;
    this.#options = options;
    this.#repeated = new Repeated(() => void this.readNow(), options.times);
  }

  /** A read has failed, and will be tried again. */
  get willRetry(): ReadonlySignal<boolean> {
    return this.#repeated.willRetry;
  }

  async readNow(): Promise<void> {
    this.#repeated.clear();
    try {
      await this.#form.reload();
      this.#repeated.clear();
      this.#repeated.succeeded();
    } catch (error) {
      if (!this.#isStopped && this.#options.isTemporary(error)) this.#repeated.failed();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#repeated.clear();
  }
}
