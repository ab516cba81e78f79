/** Runs work one time after another. All that ask for it while it runs share the next run, which begins after they asked. */
export class CoalescedRun<Result> {
  readonly #work: () => Promise<Result>;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<Result> | undefined;

  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  run(): Promise<Result> {
    if (this.#next) return this.#next;
    const begin = () => {
      this.#next = undefined;
      return this.#work();
    };
    this.#next = this.#last.then(begin, begin);
    this.#last = this.#next.catch(() => {});
    return this.#next;
  }
}
