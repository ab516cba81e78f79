import type { DispatchClock } from '../../../core/webhooks/dispatch/dispatch-clock.ts';

/** Changes only when advanced; the wall clock can be set independently. */
export class FakeClock implements DispatchClock {
  #elapsed = 0;
  #wall: number;
  readonly #timers = new Map<() => void, number>();

  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(ms: number, listener: () => void): () => void {
    const timer = () => listener();
    this.#timers.set(timer, this.#elapsed + Math.max(0, ms));
    return () => this.#timers.delete(timer);
  }

  /** When the next timer fires, ms from now; undefined when there is none. */
  get next(): number | undefined {
    return this.#timers.size === 0 ? undefined : Math.min(...this.#timers.values()) - this.#elapsed;
  }

  get timers(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    this.#elapsed += ms;
    this.#wall += ms;
    for (const [timer, at] of [...this.#timers].sort(([, one], [, other]) => one - other)) {
      if (at > this.#elapsed || !this.#timers.delete(timer)) continue;
      timer();
    }
  }

  /** Sets the wall clock. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  /** Drops all timers, as the end of a process does. */
  restart(): void {
    this.#timers.clear();
  }
}
