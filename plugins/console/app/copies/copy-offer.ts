import { type Signal, signal } from '@preact/signals';
import type { LocalCopies, LocalCopy } from './local-copies.ts';

/** What is offered to the person. */
export interface Offered {
  /** When it was typed. */
  readonly at: string;
  /** The object was changed since by others. */
  readonly isOutdated: boolean;
}

/** The form to which copies are offered. */
export interface OfferedForm<T> {
  /** Whether the form has what a copy has: such a copy is not offered. */
  isHere(copied: readonly T[]): boolean;
  isOutdated(copied: readonly T[]): boolean;
  /** What a copy has, in words, a line each. */
  linesOf(copied: readonly T[]): readonly string[];
  /** What a copy would be put in place of, and the form could not bring back. */
  replaced(copied: readonly T[]): readonly T[];
  putIn(copied: readonly T[]): void;
}

/** Offers what a form had that was closed, or ended with its page, before it was saved: its person restores or discards it. */
export class CopyOffer<T> {
  readonly offered: Signal<Offered | undefined> = signal(undefined);
  readonly #copies: LocalCopies<T>;
  readonly #form: OfferedForm<T>;
  #copy: LocalCopy<T> | undefined;

  constructor(copies: LocalCopies<T>, form: OfferedForm<T>) {
    this.#copies = copies;
    this.#form = form;
  }

  /** Finds a copy, unless one is offered. */
  async look(): Promise<void> {
    while (this.#copy === undefined) {
      const copy = await this.#copies.found();
      if (!copy || this.#copy !== undefined) return;
      if (!this.#form.isHere(copy.elements)) {
        this.#copy = copy;
        this.update();
      } else {
        // Until this form has a copy, there is no other one.
        if (!(await this.#copies.write())) return;
        await this.#copies.dropFound();
      }
    }
  }

  /** What the form is made of has changed. */
  update(): void {
    if (!this.#copy) return;
    const { at, elements } = this.#copy;
    this.offered.value = { at, isOutdated: this.#form.isOutdated(elements) };
  }

  /** What is offered, in words of the present language. */
  lines(): readonly string[] {
    return this.#copy ? this.#form.linesOf(this.#copy.elements) : [];
  }

  /** Puts it in. What it is put in place of is offered next. */
  readonly restore = async (): Promise<void> => {
    const copied = this.#copy?.elements;
    if (!copied || !(await this.#copies.writeOther(this.#form.replaced(copied)))) return;
    this.#end();
    this.#form.putIn(copied);
    if (await this.#copies.write()) await this.discard();
  };

  readonly discard = async (): Promise<void> => {
    this.#end();
    await this.#copies.dropFound();
    await this.look();
  };

  /** The page goes on for another person, who has other copies. */
  async moveTo(of: string): Promise<void> {
    this.#end();
    await this.#copies.moveTo(of);
    await this.look();
  }

  #end(): void {
    this.#copy = undefined;
    this.offered.value = undefined;
  }
}
