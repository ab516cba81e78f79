/** One fetch that several requests may wait for. */
export interface Flight<Result> {
  readonly promise: Promise<Result>;
  /** Who asks made it; others share. */
  readonly isOwn: boolean;
}

interface Line<Result> {
  readonly running: Promise<Result>;
  queued?: Promise<Result>;
}

/**
 * At most one running and one queued fetch a key. Whoever must see what is there *now* may not share the running
 * one, which may have read the old state already: such requests share the queued one.
 */
export class Flights<Result> {
  readonly #lines = new Map<string, Line<Result>>();

  /** The running fetch of the key, or a new one. */
  any(key: string, run: () => Promise<Result>): Flight<Result> {
    const line = this.#lines.get(key);
    if (line !== undefined) return { promise: line.running, isOwn: false };
    return { promise: this.#start(key, run), isOwn: true };
  }

  /** One that begins from now on. */
  later(key: string, run: () => Promise<Result>): Flight<Result> {
    const line = this.#lines.get(key);
    if (line === undefined) return { promise: this.#start(key, run), isOwn: true };
    if (line.queued !== undefined) return { promise: line.queued, isOwn: false };
    const begin = () => this.#start(key, run);
    line.queued = line.running.then(begin, begin);
    return { promise: line.queued, isOwn: true };
  }

  get size(): number {
    return this.#lines.size;
  }

  #start(key: string, run: () => Promise<Result>): Promise<Result> {
    const running = run();
    const line: Line<Result> = { running };
    this.#lines.set(key, line);
    const done = () => {
      // A queued one takes the place right after this.
      if (this.#lines.get(key) === line && line.queued === undefined) this.#lines.delete(key);
    };
    running.then(done, done);
    return running;
  }
}
