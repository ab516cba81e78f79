import {
  type RunOptions,
  type TaskName,
  type Tasks,
  WorkerError,
  type WorkerQueueReport,
} from '../contract.ts';
import type { Failure, Result } from '../protocol/messages.ts';
import type { Connection } from './connection.ts';
import { Job } from './job.ts';
import { QueueCounters } from './queue-counters.ts';
import { WorkerSlot } from './worker-slot.ts';

/** A job fails after this many crashed hosts. */
const MAX_LOSSES = 2;
/** After this many failed starts of every slot, tasks are refused at once. */
const UNAVAILABLE_AFTER_FAILURES = 3;
const LONGEST_RETRY_AFTER = 60;

export interface WorkerQueueOptions {
  /** Opens the connection of each slot. */
  readonly slots: readonly (() => Promise<Connection>)[];
  /** Most waiting tasks; one more is `busy`. */
  readonly waiting: number;
  readonly milliseconds: number;
  /** An idle slot is closed after this time if it holds more than `keptBytes`, or another slot is open too. */
  readonly idleMilliseconds: number;
  readonly keptBytes: number;
  /** Called when a host crashed or did not start. */
  readonly onLost: (reason: string, pause: number, jobs: readonly Job[]) => void;
}

/** A bounded queue in front of its slots. Tasks of one queue never wait for tasks of another. */
export class WorkerQueue {
  readonly #options: WorkerQueueOptions;
  readonly #slots: readonly WorkerSlot[];
  readonly #counts = new QueueCounters();
  #waiting: Job[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WorkerQueueOptions) {
    this.#options = options;
    this.#slots = options.slots.map(
      (open) =>
        new WorkerSlot(open, {
          free: () => this.#fill(),
          opened: () => this.#counts.start(),
          ended: (job, answer, value) => this.#ended(job, answer, value),
          lost: (jobs, reason, pause) => this.#lost(jobs, reason, pause),
        }),
    );
  }

  run(task: TaskName, input: Tasks[TaskName]['input'], options: RunOptions = {}): Promise<unknown> {
    const { deadline = Number.POSITIVE_INFINITY, signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const refusal = this.refusal();
    if (refusal) return Promise.reject(refusal);
    const job = new Job(task, input, Math.min(deadline, this.#options.milliseconds), options);
    signal?.addEventListener('abort', () => this.#cancel(job));
    const timer = setTimeout(() => this.#late(job), job.millisecondsLeft);
    this.#waiting.push(job);
    this.#fill();
    return job.result.finally(() => clearTimeout(timer));
  }

  /** The reason to refuse a task now; counted as a failure. */
  refusal(): WorkerError | undefined {
    const refusal = this.#refusal();
    if (refusal) this.#counts.fail(refusal.failure);
    return refusal;
  }

  report(): WorkerQueueReport {
    const hosts = this.#slots.flatMap(({ state, pid, resident, running }) =>
      state === 'closed' ? [] : [{ state, pid, resident, running }],
    );
    return { waiting: this.#waiting.length, running: this.#running, hosts, ...this.#counts.report() };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    for (const job of this.#waiting.splice(0)) job.failed('lost', 'The workers are stopping.');
    for (const slot of this.#slots) slot.stop();
  }

  get #running(): number {
    return this.#slots.reduce((sum, { running }) => sum + running, 0);
  }

  #refusal(): WorkerError | undefined {
    if (this.#closed) return new WorkerError('lost', 'The workers are stopping.');
    if (
      this.#slots.every(({ state, failures }) => state === 'paused' && failures >= UNAVAILABLE_AFTER_FAILURES)
    ) {
      return new WorkerError('lost', 'No worker can be started.');
    }
    if (this.#waiting.length < this.#options.waiting) return undefined;
    return new WorkerError('busy', 'Too many tasks are waiting.', this.#retryAfter());
  }

  /** Whole seconds: the mean time per task, which includes waiting behind a full queue. */
  #retryAfter(): number {
    return Math.min(LONGEST_RETRY_AFTER, Math.max(1, Math.ceil(this.#counts.meanSeconds)));
  }

  #fill(): void {
    if (this.#closed) return;
    for (let job = this.#waiting[0]; job !== undefined; job = this.#waiting[0]) {
      const slot = this.#leastBusy(job);
      if (slot === undefined) {
        this.#openOne();
        break;
      }
      this.#waiting.shift();
      void slot.run(job);
    }
    this.#watchIdle();
  }

  #leastBusy(job: Job): WorkerSlot | undefined {
    let best: WorkerSlot | undefined;
    for (const slot of this.#slots) {
      if (slot.canRun(job) && (best === undefined || slot.running < best.running)) best = slot;
    }
    return best;
  }

  /** Opens one slot at a time: open ones may become free while it starts. */
  #openOne(): void {
    if (this.#slots.some(({ state }) => state === 'opening')) return;
    void this.#slots.find(({ state }) => state === 'closed')?.open();
  }

  #ended(job: Job, answer: Result | Failure, value: unknown): void {
    if (job.settled) return;
    if (answer.kind === 'failure' && answer.failure === 'lost') {
      this.#again(job, answer.message);
      return;
    }
    this.#counts.end(job);
    if (answer.kind === 'result') {
      job.done(value);
      return;
    }
    this.#counts.fail(answer.failure);
    job.failed(answer.failure, answer.message, answer.retryAfter);
  }

  #lost(jobs: readonly Job[], reason: string, pause: number): void {
    if (this.#closed) {
      for (const job of jobs) job.failed('lost', 'The workers are stopping.');
      return;
    }
    this.#counts.crash();
    this.#options.onLost(reason, pause, jobs);
    for (const job of jobs) this.#again(job, reason);
    // The last slot failed to open: waiting jobs count that as a crash.
    if (jobs.length === 0 && this.#slots.every(({ state }) => state === 'paused')) {
      for (const job of this.#waiting.splice(0)) this.#again(job, reason);
    }
    this.#fill();
  }

  #again(job: Job, reason: string): void {
    if (job.settled) return;
    if (job.signal?.aborted) {
      job.cancelled();
      return;
    }
    if (++job.losses < MAX_LOSSES) {
      this.#waiting.unshift(job);
      return;
    }
    this.#counts.fail('lost');
    job.failed('lost', `The worker was lost twice under the task; ${reason}.`);
  }

  #cancel(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    job.cancelled();
    this.#fill();
  }

  #late(job: Job): void {
    if (job.settled) return;
    this.#waiting = this.#waiting.filter((one) => one !== job);
    this.#counts.fail('late');
    job.failed('late', 'The task was not done in time.');
    this.#fill();
  }

  /** Checks idle slots periodically while any is open. */
  #watchIdle(): void {
    if (this.#idleTimer !== undefined) return;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      const now = performance.now();
      for (const slot of this.#slots) {
        if (slot.state !== 'open' || slot.running > 0) continue;
        if (now - slot.idleSince < this.#options.idleMilliseconds) continue;
        const others = this.#slots.some((other) => other !== slot && other.state === 'open');
        if (others || slot.resident > this.#options.keptBytes) slot.stop();
      }
      if (this.#slots.some(({ state }) => state === 'open' || state === 'opening')) this.#watchIdle();
    }, this.#options.idleMilliseconds / 4);
    this.#idleTimer.unref();
  }
}
