/** Keys that were used are reported together after this time. */
const REPORT_MS = 1000;
/** Further keys wait for the next report: core notes the use of a key coarsely. */
const MOST_KEYS = 1000;

/** Collects the ids of the keys that were used, for core. */
export class UsedKeys {
  readonly #report: (keys: readonly string[]) => Promise<unknown>;
  readonly #timer = setInterval(() => this.flush(), REPORT_MS).unref();
  #keys = new Set<string>();

  constructor(report: (keys: readonly string[]) => Promise<unknown>) {
    this.#report = report;
  }

  add(key: string): void {
    if (this.#keys.size < MOST_KEYS) this.#keys.add(key);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** Reports the keys that were used so far; they wait for the next report if core cannot be reached. */
  async flush(): Promise<void> {
    if (this.#keys.size === 0) return;
    const keys = [...this.#keys];
    this.#keys.clear();
    await this.#report(keys).catch(() => {
      for (const key of keys) this.add(key);
    });
  }
}
