/**
 * How many attempts may be under way. Those that were tried before get at most half: endpoints that take their 60 s
 * and give nothing must not keep the others waiting.
 */
export class Slots {
  readonly #most: number;
  readonly #waiting = { fresh: [] as (() => void)[], again: [] as (() => void)[] };
  #fresh = 0;
  #again = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#fresh + this.#again;
  }

  /** Undefined when there is room now; else resolves when there is. Either way a slot is taken. */
  take(again: boolean): Promise<void> | undefined {
    if (this.#hasRoom(again)) {
      this.#count(again, 1);
      return undefined;
    }
    return new Promise((resolve) => this.#waiting[again ? 'again' : 'fresh'].push(resolve));
  }

  release(again: boolean): void {
    this.#count(again, -1);
    for (const kind of [false, true]) {
      const next = this.#hasRoom(kind) ? this.#waiting[kind ? 'again' : 'fresh'].shift() : undefined;
      if (!next) continue;
      this.#count(kind, 1);
      next();
    }
  }

  #hasRoom(again: boolean): boolean {
    return this.taken < this.#most && (!again || this.#again < this.#most / 2);
  }

  #count(again: boolean, by: 1 | -1): void {
    if (again) this.#again += by;
    else this.#fresh += by;
  }
}
