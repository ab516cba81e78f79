/**
 * The interface of the worker tier: tasks by name, plain records in, plain records out. All of it is
 * structured-cloneable, so a task runs the same in this process, in a host process, or on another machine.
 */
import type { ImageTransform, TransformedImage } from './images/image-transform.ts';
import type { PreparedBatch, WebhookBatch } from './webhooks/webhook-batch.ts';

/** The tasks of the tier, by name. */
export interface Tasks {
  'image-transform': { readonly input: ImageTransform; readonly output: TransformedImage };
  'webhook-batch': { readonly input: WebhookBatch; readonly output: PreparedBatch };
}

export type TaskName = keyof Tasks;

export interface RunOptions {
  /** Milliseconds from now after which the caller does not wait any more; the tier's own limit unless given. */
  readonly deadline?: number;
  /** Takes a waiting task from the queue; `run` fails with its reason. A task that a host has begun is finished. */
  readonly signal?: TaskSignal | undefined;
  readonly origin?: TaskOrigin | undefined;
  /**
   * What the task reads, such as the hash of an image. Sources take turns in the queue, and a host decodes a source once
   * for the tasks that wait together.
   */
  readonly source?: string;
  /** The task needs much memory: a host runs fewer of these at a time. */
  readonly isLarge?: boolean | undefined;
}

/** The request that a task is for, as fields of log lines. */
export interface TaskOrigin {
  readonly id?: string | undefined;
  readonly trace?: string | undefined;
}

/** The part of `AbortSignal` that the tier uses. */
export interface TaskSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
}

export interface Workers {
  /** @throws WorkerError */
  run<Name extends TaskName>(
    task: Name,
    input: Tasks[Name]['input'],
    options?: RunOptions,
  ): Promise<Tasks[Name]['output']>;
  /** With what `run` would fail at once, counted as a failure; lets callers check before they do anything else. */
  refusal(task: TaskName): WorkerRefusal | undefined;
  health(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  /** State and totals of each queue. */
  report(): Readonly<Record<string, WorkerQueueReport>>;
  close(): Promise<void>;
}

/** Tasks of one queue never wait for tasks of another. */
export interface WorkerQueueReport {
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  /** Total time of done tasks, waiting included. */
  readonly seconds: number;
  readonly failed: Readonly<Record<WorkerFailure, number>>;
  readonly starts: number;
  /** Hosts that crashed or did not start. */
  readonly crashes: number;
  readonly hosts: readonly HostReport[];
}

export interface HostReport {
  readonly state: 'opening' | 'open' | 'paused';
  /** Null for a worker on another machine. */
  readonly pid: number | null;
  readonly running: number;
  /** Resident bytes as of its last result; 0 before that. */
  readonly resident: number;
}

/**
 * - `busy`: the queue is full; the task did not start.
 * - `late`: the deadline passed.
 * - `refused`: the input cannot be processed (a damaged image, one beyond the limits); a retry gives the same.
 * - `lost`: the host crashed twice under the task, no worker is available, or the source could not be read.
 */
export type WorkerFailure = 'busy' | 'late' | 'refused' | 'lost';

/** What callers need of a `WorkerError`: during overload it is made for each request, so without a stack. */
export type WorkerRefusal = Pick<WorkerError, 'failure' | 'message' | 'retryAfter'>;

export class WorkerError extends Error {
  readonly failure: WorkerFailure;
  /** Whole seconds after which a `busy` tier may accept the task. */
  readonly retryAfter: number | undefined;

  constructor(failure: WorkerFailure, message: string, retryAfter?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WorkerError';
    this.failure = failure;
    this.retryAfter = retryAfter;
  }
}
