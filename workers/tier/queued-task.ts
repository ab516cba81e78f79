import {
  type RunOptions,
  type TaskName,
  type TaskOrigin,
  type TaskSignal,
  type Tasks,
  WorkerError,
  type WorkerFailure,
} from '../contract.ts';

/** One call of `run`. Settles once; later results are ignored. */
export class QueuedTask {
  readonly name: TaskName;
  readonly input: Tasks[TaskName]['input'];
  readonly signal: TaskSignal | undefined;
  readonly origin: TaskOrigin | undefined;
  readonly source: string | undefined;
  readonly isLarge: boolean;
  /** Milliseconds of the monotonic clock. */
  readonly began = performance.now();
  readonly #deadline: number;
  /** Hosts that crashed while they ran it. */
  crashes = 0;
  settled = false;
  readonly result: Promise<unknown>;
  #resolve: (output: unknown) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(
    name: TaskName,
    input: Tasks[TaskName]['input'],
    milliseconds: number,
    { signal, origin, source, isLarge = false }: Pick<RunOptions, 'signal' | 'origin' | 'source' | 'isLarge'>,
  ) {
    this.name = name;
    this.input = input;
    this.signal = signal;
    this.origin = origin;
    this.source = source;
    this.isLarge = isLarge;
    this.#deadline = this.began + milliseconds;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** A host crashed while it ran the task. Such tasks are retried one at a time, to find the one that causes it. */
  get hasCrashed(): boolean {
    return this.crashes > 0;
  }

  readsLike({ source }: QueuedTask): boolean {
    return source !== undefined && source === this.source;
  }

  get millisecondsLeft(): number {
    return Math.max(0, Math.ceil(this.#deadline - performance.now()));
  }

  done(output: unknown): void {
    this.settled = true;
    this.#resolve(output);
  }

  failed(failure: WorkerFailure, message: string, retryAfter?: number): void {
    this.settled = true;
    this.#reject(new WorkerError(failure, message, retryAfter));
  }

  cancelled(): void {
    this.settled = true;
    this.#reject(this.signal?.reason);
  }
}
