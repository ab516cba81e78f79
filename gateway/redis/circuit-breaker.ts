/** Failures in a row after which calls are refused at once. */
const FAILURES = 5;
const PROBE_MS = 1000;

/**
 * Bounds what a server costs that does not answer: a call fails after a deadline, and after some failures calls fail at
 * once until a probe, which delays no call, succeeds. The client library has a limit for neither: a command that was
 * sent to a stalled server waits for ever.
 */
export class CircuitBreaker {
  readonly #deadline: number;
  readonly #probe: () => Promise<unknown>;
  readonly #onChange: (isOpen: boolean, reason: string) => void;
  readonly #onFailedProbe: (error: Error) => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isProbing = false;
  #isClosed = false;

  /**
   * @param deadline milliseconds
   * @param onChange calls are refused from now on, or made again
   * @param onFailedProbe they are refused for another reason, perhaps
   */
  constructor(options: {
    readonly deadline: number;
    readonly probe: () => Promise<unknown>;
    readonly onChange: (isOpen: boolean, reason: string) => void;
    readonly onFailedProbe: (error: Error) => void;
  }) {
    this.#deadline = options.deadline;
    this.#probe = options.probe;
    this.#onChange = options.onChange;
    this.#onFailedProbe = options.onFailedProbe;
  }

  get isOpen(): boolean {
    return this.#timer !== undefined;
  }

  /** @throws Error of the call, or because it took too long, or at once */
  async call<T>(make: () => Promise<T>): Promise<T> {
    if (this.isOpen) throw new Error('It did not answer the last calls.');
    try {
      const value = await this.#within(make());
      this.#failures = 0;
      return value;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures >= FAILURES) this.open((error as Error).message);
      throw error;
    }
  }

  /** Probes at once, for example after a reconnection. */
  async probe(): Promise<void> {
    if (!this.isOpen || this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#within(this.#probe());
      this.#close();
    } catch (error) {
      // The timer tries again.
      this.#onFailedProbe(error as Error);
    } finally {
      this.#isProbing = false;
    }
  }

  /** Calls fail at once from now on, until a probe succeeds. */
  open(reason: string): void {
    if (this.isOpen || this.#isClosed) return;
    // Gateways probe at different moments.
    const interval = PROBE_MS * (0.75 + Math.random() / 2);
    this.#timer = setInterval(() => this.probe(), interval).unref();
    this.#onChange(true, reason);
  }

  end(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  #close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#failures = 0;
    this.#onChange(false, '');
  }

  /**
   * The time is that of the server: it begins behind this turn of the event loop, when the client has sent the command, and an
   * answer that arrived while this process was busy or stopped is read before the call fails.
   */
  #within<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let isSettled = false;
      const late = () => reject(new Error(`It did not answer within ${this.#deadline} ms.`));
      setImmediate(() => {
        if (!isSettled) timer = setTimeout(() => setImmediate(late), this.#deadline);
      });
      promise.then(resolve, reject).finally(() => {
        isSettled = true;
        clearTimeout(timer);
      });
    });
  }
}
