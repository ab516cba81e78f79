interface Waiting<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/** Of one group; what is more waits for the next. */
const MOST = 256;

/**
 * Does together what comes in while it is busy: one commit for the results of many lanes. The first that finds it
 * idle starts at once, unless `isMoreOnTheWay` says that waiting up to `linger` ms gathers more.
 */
export class GroupWork<Input, Output> {
  readonly #work: (inputs: readonly Input[]) => Promise<readonly Output[]>;
  readonly #isMoreOnTheWay: (waiting: number) => boolean;
  readonly #linger: number;
  #waiting: Waiting<Input, Output>[] = [];
  #running = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param work answers in the order of its inputs */
  constructor(
    work: (inputs: readonly Input[]) => Promise<readonly Output[]>,
    isMoreOnTheWay: (waiting: number) => boolean = () => false,
    linger = 0,
  ) {
    this.#work = work;
    this.#isMoreOnTheWay = isMoreOnTheWay;
    this.#linger = linger;
  }

  add(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      this.#consider();
    });
  }

  #consider(): void {
    if (this.#running || this.#waiting.length === 0) return;
    if (this.#waiting.length < MOST && this.#isMoreOnTheWay(this.#waiting.length)) {
      this.#timer ??= setTimeout(() => void this.#run(), this.#linger);
    } else void this.#run();
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = true;
    // What else happens in this turn belongs to the same group.
    await null;
    const group = this.#waiting.splice(0, MOST);
    try {
      const outputs = await this.#work(group.map(({ input }) => input));
      for (const [index, { resolve, reject }] of group.entries()) {
        const output = outputs[index];
        if (output === undefined) reject(new Error('No result for one of a group.'));
        else resolve(output);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.#running = false;
    // Those that were resolved come first: what they add is part of the next group.
    await null;
    this.#consider();
  }
}
