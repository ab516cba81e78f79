import { type Signal, signal } from '@preact/signals';

/** Someone else changed a text since it was shown. */
export class TextChanged extends Error {
  readonly theirs: string | null;

  constructor(theirs: string | null) {
    super('The text was changed.');
    this.theirs = theirs;
  }
}

/** Texts as they were shown, and as they shall be; null = none. */
export type TextChange = readonly [shown: string | null, wanted: string | null];

interface EditedTextOptions {
  /** @throws TextChanged where the server has another text than the one that was shown */
  readonly write: (change: TextChange) => Promise<void>;
  /** Called whenever the server lacks another text than before, or has this one. */
  readonly onChange: () => void;
  /** Called after each save. */
  readonly onEnd: (error: unknown) => void;
}

/** A text in a field that is saved when the field is left. It outlives its field until the server has it. */
export class EditedText {
  readonly text: Signal<string>;
  readonly error: Signal<unknown> = signal(undefined);
  readonly isSaving = signal(false);
  readonly #options: EditedTextOptions;
  #shown: string | null;
  #isAskedAgain = false;

  constructor(shown: string | null, text: string, options: EditedTextOptions) {
    this.#shown = shown;
    this.text = signal(text);
    this.#options = options;
  }

  /** As the server had it when it was typed over. */
  get shown(): string | null {
    return this.#shown;
  }

  get isUnsaved(): boolean {
    return this.#wanted !== this.#shown;
  }

  get #wanted(): string | null {
    return this.text.value.trim() || null;
  }

  type(text: string): void {
    this.text.value = text;
    this.#options.onChange();
  }

  /** Takes over what the server has by now, unless something else was typed. */
  follow(stored: string | null): void {
    if (this.isUnsaved || this.isSaving.peek()) return;
    this.#shown = stored;
    this.text.value = stored ?? '';
  }

  /** Gives up what was typed. */
  reset(): void {
    this.error.value = undefined;
    this.type(this.#shown ?? '');
  }

  /** One save at a time. What is typed while it is on its way is saved after it, if that is asked for meanwhile. */
  async save(): Promise<void> {
    this.#isAskedAgain = this.isSaving.peek();
    if (this.#isAskedAgain || !this.isUnsaved) return;
    this.isSaving.value = true;
    this.error.value = undefined;
    try {
      do {
        this.#isAskedAgain = false;
        const wanted = this.#wanted;
        await this.#options.write([this.#shown, wanted]);
        this.#shown = wanted;
      } while (this.#isAskedAgain && this.isUnsaved);
    } catch (failure) {
      // Saving again replaces theirs.
      if (failure instanceof TextChanged) this.#shown = failure.theirs;
      this.error.value = failure;
    }
    this.isSaving.value = false;
    this.#options.onChange();
    this.#options.onEnd(this.error.peek());
  }
}
