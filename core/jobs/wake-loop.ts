import { type Duty, SOLE_DUTY } from '../storage/owner.ts';

/** Shortest pause, ms, so that work that is due already does not keep the thread busy. */
const SHORTEST_PAUSE = 10;

/**
 * Runs `work` after `wake` and when `next` says so, never twice at once. A wake during a run causes one more run.
 * There is no timer while nothing is due. An exclusive duty runs only while this process has it.
 */
export class WakeLoop {
  readonly #work: () => Promise<void>;
  readonly #next: () => Promise<number | undefined>;
  readonly #failed: (error: unknown) => void;
  readonly #afterFailure: number;
  readonly #duty: Duty;
  /** Of the duty, when the run began. */
  #term = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: {
    readonly work: () => Promise<void>;
    /** Milliseconds until the next run; undefined when nothing is due. */
    readonly next: () => Promise<number | undefined>;
    /** Is called when `work` or `next` rejected. The next run is `afterFailure` ms later. */
    readonly failed: (error: unknown) => void;
    readonly afterFailure: number;
    readonly duty?: Duty;
  }) {
    this.#work = options.work;
    this.#next = options.next;
    this.#failed = options.failed;
    this.#afterFailure = options.afterFailure;
    this.#duty = options.duty ?? SOLE_DUTY;
  }

  /** `work` must end: the loop was closed, or another process may have the duty. */
  get isStopped(): boolean {
    return this.#closed || (this.#running !== undefined && this.#duty.term !== this.#term);
  }

  /** Runs `work` as soon as this process has the duty. */
  start(): void {
    this.#duty.onHeld(() => this.wake());
  }

  /** Call when there may be something to do. Returns at once. */
  wake(): void {
    if (this.#closed || this.#duty.term === 0) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Resolves when no run is under way. */
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
      while (this.#again && !this.#closed && this.#duty.term > 0) {
        this.#again = false;
        this.#term = this.#duty.term;
        await this.#work();
      }
      const pause = this.isStopped ? undefined : await this.#next();
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
