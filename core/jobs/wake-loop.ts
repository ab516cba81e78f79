/** Shortest pause, ms: what is due already is not waited for, nor is the clock asked without a break. */
const SHORTEST_PAUSE = 10;

/**
 * Work that is done when somebody wakes it and when its time comes, never twice at once. Woken while it works,
 * it works once more; with nothing to come there is no timer.
 */
export class WakeLoop {
  readonly #work: () => Promise<void>;
  readonly #next: () => Promise<number | undefined>;
  readonly #failed: (error: unknown) => void;
  readonly #afterFailure: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: {
    readonly work: () => Promise<void>;
    /** Milliseconds until there is something to do; undefined when nothing waits. */
    readonly next: () => Promise<number | undefined>;
    /** Told when one of the two rejected; it is tried again `afterFailure` ms later. */
    readonly failed: (error: unknown) => void;
    readonly afterFailure: number;
  }) {
    this.#work = options.work;
    this.#next = options.next;
    this.#failed = options.failed;
    this.#afterFailure = options.afterFailure;
  }

  /** The work is to end early. */
  get closed(): boolean {
    return this.#closed;
  }

  /** There may be something to do. Returns at once. */
  wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Resolves when it rests. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        await this.#work();
      }
      const pause = await this.#next();
      if (pause !== undefined) this.#sleep(pause);
    } catch (error) {
      this.#again = false;
      this.#failed(error);
      this.#sleep(this.#afterFailure);
    }
  }

  #sleep(pause: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), Math.max(pause, SHORTEST_PAUSE)).unref();
  }
}
