import { type ReadonlySignal, signal } from '@preact/signals';

const MOST = 200;

/** A value that is edited, with what it was before. */
export class History<T> {
  readonly #value;
  readonly #past = signal<readonly T[]>([]);
  readonly #future = signal<readonly T[]>([]);
  #lastField: string | undefined;

  constructor(value: T) {
    this.#value = signal(value);
  }

  get value(): ReadonlySignal<T> {
    return this.#value;
  }

  get canUndo(): boolean {
    return this.#past.value.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.value.length > 0;
  }

  /** @param field edits of the same field, one after the other, are undone together */
  edit(value: T, field?: string): void {
    if (field === undefined || field !== this.#lastField)
      this.#past.value = [...this.#past.value.slice(1 - MOST), this.#value.value];
    this.#lastField = field;
    this.#future.value = [];
    this.#value.value = value;
  }

  undo(): void {
    const before = this.#past.value.at(-1);
    if (before === undefined) return;
    this.#past.value = this.#past.value.slice(0, -1);
    this.#future.value = [...this.#future.value, this.#value.value];
    this.#show(before);
  }

  redo(): void {
    const next = this.#future.value.at(-1);
    if (next === undefined) return;
    this.#future.value = this.#future.value.slice(0, -1);
    this.#past.value = [...this.#past.value, this.#value.value];
    this.#show(next);
  }

  #show(value: T): void {
    this.#lastField = undefined;
    this.#value.value = value;
  }
}
