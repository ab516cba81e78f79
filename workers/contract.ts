/**
 * All that core and the composition roots see of the worker tier: tasks by name, plain records in, plain
 * records out. Everything that crosses is structured-cloneable, so that a task runs the same in this process,
 * in a host process beside it, or on another machine.
 */
import type { ImageTransform, TransformedImage } from './images/image-transform.ts';
import type { PreparedBatch, WebhookBatch } from './webhooks/webhook-batch.ts';

/** Every task of the tier, by name. */
export interface Tasks {
  'image-transform': { readonly input: ImageTransform; readonly output: TransformedImage };
  'webhook-batch': { readonly input: WebhookBatch; readonly output: PreparedBatch };
}

export type TaskName = keyof Tasks;

export interface RunOptions {
  /** Milliseconds from now after which nobody wants the result any more; the tier's own bound unless given. */
  readonly deadline?: number;
}

export interface Workers {
  /** @throws WorkerError */
  run<Name extends TaskName>(
    task: Name,
    input: Tasks[Name]['input'],
    options?: RunOptions,
  ): Promise<Tasks[Name]['output']>;
  /** What `run` would fail with at once, counted as if it had; for those who can ask before they do anything else. */
  refusal(task: TaskName): WorkerError | undefined;
  health(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  /** What each lane does now and has done since the start. */
  report(): Readonly<Record<string, LaneReport>>;
  close(): Promise<void>;
}

/** Tasks of one lane wait for each other, never for those of another lane. */
export interface LaneReport {
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  /** Of those that were done, all together, waiting included. */
  readonly seconds: number;
  readonly failed: Readonly<Record<WorkerFailure, number>>;
  readonly starts: number;
  /** Hosts that were lost, or did not start. */
  readonly crashes: number;
  readonly hosts: readonly HostReport[];
}

export interface HostReport {
  readonly state: 'opening' | 'open' | 'paused';
  /** Null for a worker on another machine. */
  readonly pid: number | null;
  readonly running: number;
  /** Resident bytes as of its last answer; 0 before that. */
  readonly resident: number;
}

/**
 * - `busy`: the queue is full; nothing was begun.
 * - `late`: the deadline passed.
 * - `refused`: the input itself cannot be worked on (a damaged picture, one beyond the limits); trying again
 *   gives the same.
 * - `lost`: the tier died under the task, also the second time, or is not there, or the source could not be read.
 */
export type WorkerFailure = 'busy' | 'late' | 'refused' | 'lost';

export class WorkerError extends Error {
  readonly failure: WorkerFailure;
  /** Whole seconds after which a `busy` tier may have room. */
  readonly retryAfter: number | undefined;

  constructor(failure: WorkerFailure, message: string, retryAfter?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkerError';
    this.failure = failure;
    this.retryAfter = retryAfter;
  }
}
