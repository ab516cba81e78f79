import type { DispatchClock } from './dispatch-clock.ts';

/** Pause after a database error, ms. */
const PAUSE = 1000;
/** What fails again within this time was reported, ms. */
const REPORTED = 60_000;

/** Reports errors, and delays the next try after each. */
export class FailurePauses {
  readonly #clock: DispatchClock;
  readonly #failed: (error: unknown) => void;
  readonly #running = new Set<() => void>();
  #last = { message: '', at: Number.NEGATIVE_INFINITY };
  #closed = false;

  constructor(clock: DispatchClock, failed: (error: unknown) => void) {
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Reports an error that many queues share (a full disk) once while it lasts. Resolves when work may be tried again. */
  pause(error: unknown): Promise<void> {
    const { message } = error as Error;
    const at = this.#clock.elapsed();
    if (message !== this.#last.message || at - this.#last.at >= REPORTED) this.#failed(error);
    this.#last = { message, at };
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(PAUSE, () => end());
      const end = () => {
        cancel();
        this.#running.delete(end);
        resolve();
      };
      this.#running.add(end);
    });
  }

  /** Ends all pauses. */
  close(): void {
    this.#closed = true;
    for (const end of this.#running) end();
  }
}
