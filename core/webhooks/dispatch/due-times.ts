import type { DispatchClock } from './dispatch-clock.ts';

/** One timer for any number of waiting keys: the earliest. */
export class DueTimes<Key> {
  readonly #clock: DispatchClock;
  readonly #due: (key: Key) => void;
  readonly #times = new Map<Key, number>();
  #next = Number.POSITIVE_INFINITY;
  #cancel: () => void = () => {};

  constructor(clock: DispatchClock, due: (key: Key) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  get size(): number {
    return this.#times.size;
  }

  /** @param at by `clock.elapsed()` */
  set(key: Key, at: number): void {
    this.#times.set(key, at);
    if (at < this.#next) this.#schedule(at);
  }

  has(key: Key): boolean {
    return this.#times.has(key);
  }

  /** The timer of a deleted key still fires, finds nothing, and sets the next. */
  delete(key: Key): void {
    this.#times.delete(key);
  }

  clear(): void {
    this.#times.clear();
    this.#cancel();
    this.#next = Number.POSITIVE_INFINITY;
  }

  #schedule(at: number): void {
    this.#cancel();
    this.#next = at;
    this.#cancel = this.#clock.after(at - this.#clock.elapsed(), () => this.#fire());
  }

  #fire(): void {
    const now = this.#clock.elapsed();
    const due: Key[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [key, at] of this.#times) {
      if (at <= now) due.push(key);
      else if (at < next) next = at;
    }
    this.#next = Number.POSITIVE_INFINITY;
    for (const key of due) this.#times.delete(key);
    if (next < this.#next) this.#schedule(next);
    for (const key of due) this.#due(key);
  }
}
