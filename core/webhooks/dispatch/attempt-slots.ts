/**
 * Limits parallel attempts. Retries get at most half of the slots: endpoints that time out after 60 s must not delay
 * the others. The longest waiting attempt is next, so a large backlog of new notifications does not delay retries.
 */
export class AttemptSlots {
  readonly #max: number;
  readonly #waiting = { fresh: [] as WaitingAttempt[], retries: [] as WaitingAttempt[] };
  #nextNumber = 0;
  #fresh = 0;
  #retries = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get inUse(): number {
    return this.#fresh + this.#retries;
  }

  /** Takes a slot. Returns undefined when one is free; otherwise the promise resolves when the slot is taken. */
  take(isRetry: boolean): Promise<void> | undefined {
    if (this.#hasFreeSlot(isRetry)) {
      this.#count(isRetry, 1);
      return undefined;
    }
    const number = this.#nextNumber++;
    return new Promise((resolve) => this.#waiting[isRetry ? 'retries' : 'fresh'].push({ number, resolve }));
  }

  release(isRetry: boolean): void {
    this.#count(isRetry, -1);
    const { fresh, retries } = this.#waiting;
    const isRetryNext =
      this.#hasFreeSlot(true) &&
      (retries[0]?.number ?? this.#nextNumber) < (fresh[0]?.number ?? this.#nextNumber);
    const next = isRetryNext ? retries.shift() : fresh.shift();
    if (!next) return;
    this.#count(isRetryNext, 1);
    next.resolve();
  }

  #hasFreeSlot(isRetry: boolean): boolean {
    return this.inUse < this.#max && (!isRetry || this.#retries < this.#max / 2);
  }

  #count(isRetry: boolean, by: 1 | -1): void {
    if (isRetry) this.#retries += by;
    else this.#fresh += by;
  }
}

interface WaitingAttempt {
  readonly number: number;
  readonly resolve: () => void;
}
