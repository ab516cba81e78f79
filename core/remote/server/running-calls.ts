/** Counts the calls that core works on. */
export class RunningCalls {
  #running = 0;
  #ended: (() => void) | undefined;

  begin(): void {
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#ended?.();
  }

  /** Resolves when no call runs, or after the time. */
  async allEnded(milliseconds: number): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#ended = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
