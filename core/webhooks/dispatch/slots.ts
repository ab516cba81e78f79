/**
 * How many attempts may be under way. Those that were tried before get at most half: endpoints that take their 60 s
 * and give nothing must not keep the others waiting. Who waits longest is next, so that a great backlog of what is new
 * holds no retry up.
 */
export class Slots {
  readonly #most: number;
  readonly #waiting = { fresh: [] as Waiting[], again: [] as Waiting[] };
  #turn = 0;
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
    const turn = this.#turn++;
    return new Promise((resolve) => this.#waiting[again ? 'again' : 'fresh'].push({ turn, resolve }));
  }

  release(again: boolean): void {
    this.#count(again, -1);
    const { fresh, again: tried } = this.#waiting;
    const isRetryNext =
      this.#hasRoom(true) && (tried[0]?.turn ?? this.#turn) < (fresh[0]?.turn ?? this.#turn);
    const next = isRetryNext ? tried.shift() : fresh.shift();
    if (!next) return;
    this.#count(isRetryNext, 1);
    next.resolve();
  }

  #hasRoom(again: boolean): boolean {
    return this.taken < this.#most && (!again || this.#again < this.#most / 2);
  }

  #count(again: boolean, by: 1 | -1): void {
    if (again) this.#again += by;
    else this.#fresh += by;
  }
}

interface Waiting {
  readonly turn: number;
  readonly resolve: () => void;
}
