import {
  type RunOptions,
  type TaskName,
  type Tasks,
  WorkerError,
  type WorkerQueueReport,
  type WorkerRefusal,
} from '../contract.ts';
import type { Failure, Result } from '../protocol/messages.ts';
import type { Connection } from './connection.ts';
import { QueueCounters } from './queue-counters.ts';
import { QueuedTask } from './queued-task.ts';
import { WorkerSlot } from './worker-slot.ts';

/** A task fails after this many crashed hosts. */
const MAX_CRASHES = 2;
/** After this many failed starts of every slot, tasks are refused at once. */
const UNAVAILABLE_AFTER_FAILURES = 3;
const LONGEST_RETRY_AFTER = 60;
/** Waiting tasks of one source that run before those of others. */
const TASKS_PER_TURN = 4;

export interface WorkerQueueOptions {
  /** Opens the connection of each slot. */
  readonly slots: readonly (() => Promise<Connection>)[];
  /** Most waiting tasks; one more is `busy`. */
  readonly waiting: number;
  readonly milliseconds: number;
  /** An idle slot is closed after this time if it holds more than `keptBytes`, or another slot is open too. */
  readonly idleMilliseconds: number;
  readonly keptBytes: number;
  /** Longest pause before a slot is opened again, in milliseconds. */
  readonly longestPause: number;
  /** For so long after a slot was lost, tasks wait until one can be opened again; in milliseconds. */
  readonly awaitedMilliseconds: number;
  /** Called when a host crashed or did not start. */
  readonly onLost: (reason: string, pause: number, tasks: readonly QueuedTask[]) => void;
  /** Called when one was opened after that. */
  readonly onBack?: () => void;
}

/** A bounded queue in front of its slots. Tasks of one queue never wait for tasks of another. */
export class WorkerQueue {
  readonly #options: WorkerQueueOptions;
  readonly #slots: readonly WorkerSlot[];
  readonly #counts = new QueueCounters();
  /** In the order in which they will run. */
  #waiting: QueuedTask[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  /** Since when no slot is open, after a failure; milliseconds of the monotonic clock. Until a slot was opened, long ago. */
  #failingSince: number | undefined = Number.NEGATIVE_INFINITY;
  /** Why slots were lost or could not be opened, since one was opened. */
  readonly #reasons = new Set<string>();
  #closed = false;

  constructor(options: WorkerQueueOptions) {
    this.#options = options;
    this.#slots = options.slots.map(
      (open) =>
        new WorkerSlot(open, options.longestPause, {
          free: () => this.#fill(),
          opened: () => {
            this.#failingSince = undefined;
            if (this.#reasons.size > 0) this.#options.onBack?.();
            this.#reasons.clear();
            this.#counts.start();
          },
          ended: (task, answer, value) => this.#ended(task, answer, value),
          lost: (tasks, reason, pause) => this.#lost(tasks, reason, pause),
        }),
    );
  }

  run(name: TaskName, input: Tasks[TaskName]['input'], options: RunOptions = {}): Promise<unknown> {
    const { deadline = Number.POSITIVE_INFINITY, signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const refusal = this.refusal();
    if (refusal) return Promise.reject(new WorkerError(refusal.failure, refusal.message, refusal.retryAfter));
    const task = new QueuedTask(name, input, Math.min(deadline, this.#options.milliseconds), options);
    signal?.addEventListener('abort', () => this.#cancel(task));
    const timer = setTimeout(() => this.#late(task), task.millisecondsLeft);
    this.#enqueue(task);
    this.#fill();
    return task.result
      .catch((error: unknown) => {
        if (error instanceof WorkerError) this.#counts.fail(error.failure);
        throw error;
      })
      .finally(() => clearTimeout(timer));
  }

  /** The reason to refuse a task now; counted as a failure. */
  refusal(): WorkerRefusal | undefined {
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

  /**
   * Opens a slot where none is open: nothing else shows whether a remote worker answers.
   * @returns false after a failure, until a slot is open again
   */
  reach(): boolean {
    if (!this.#closed && this.#slots.every(({ state }) => state !== 'open')) this.#openOne();
    return this.#failingSince === undefined || this.#slots.every(({ failures }) => failures === 0);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    for (const task of this.#waiting.splice(0)) task.failed('lost', 'The workers are stopping.');
    for (const slot of this.#slots) slot.stop();
  }

  get #running(): number {
    return this.#slots.reduce((sum, { running }) => sum + running, 0);
  }

  #refusal(): WorkerRefusal | undefined {
    if (this.#closed) return lost('The workers are stopping.');
    if (
      !this.#isAwaited &&
      this.#slots.every(({ state, failures }) => state === 'paused' && failures >= UNAVAILABLE_AFTER_FAILURES)
    ) {
      return lost('No worker can be started.');
    }
    if (this.#waiting.length < this.#options.waiting) return undefined;
    return { failure: 'busy', message: 'Too many tasks are waiting.', retryAfter: this.#retryAfter() };
  }

  /** A worker that is started again is there in a moment. */
  get #isAwaited(): boolean {
    const { awaitedMilliseconds } = this.#options;
    return this.#failingSince !== undefined && performance.now() - this.#failingSince < awaitedMilliseconds;
  }

  /** Whole seconds: the mean time per task, which includes waiting behind a full queue. */
  #retryAfter(): number {
    return Math.min(LONGEST_RETRY_AFTER, Math.max(1, Math.ceil(this.#counts.meanSeconds)));
  }

  /**
   * Sources take turns of a few tasks: a page with a hundred widths of one image does not keep others waiting, and
   * those of a turn share what a host has decoded. A new source waits for the next turn of every other, so that sources
   * that keep arriving do not keep one of them waiting either.
   */
  #enqueue(task: QueuedTask): void {
    const counts = new Map<string, number>();
    const turnOf = ({ source }: QueuedTask) => {
      if (source === undefined) return 0;
      const before = counts.get(source) ?? 0;
      counts.set(source, before + 1);
      return Math.floor(before / TASKS_PER_TURN);
    };
    const turns = this.#waiting.map(turnOf);
    const own = turnOf(task);
    this.#waiting.splice(turns.findLastIndex((turn) => turn <= own) + 1, 0, task);
  }

  #fill(): void {
    if (this.#closed) return;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { task, slot } = next;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      const sharesSource = slot.reads(task) || this.#waiting.some((other) => other.readsLike(task));
      void slot.run(task, sharesSource);
    }
    if (this.#waiting.length > 0) this.#openOne();
    this.#watchIdle();
  }

  /** The first task that can run now. None passes one that has to run alone: it would wait for ever. */
  #next(): { readonly task: QueuedTask; readonly slot: WorkerSlot } | undefined {
    for (const task of this.#waiting) {
      const slot = this.#leastBusy(task);
      if (slot !== undefined) return { task, slot };
      if (!task.isLarge || task.hasCrashed) return undefined;
    }
    return undefined;
  }

  #leastBusy(task: QueuedTask): WorkerSlot | undefined {
    let best: WorkerSlot | undefined;
    for (const slot of this.#slots) {
      if (slot.canRun(task) && (best === undefined || slot.running < best.running)) best = slot;
    }
    return best;
  }

  /** Opens one slot at a time, of those that failed least: open ones may become free while it starts. */
  #openOne(): void {
    if (this.#slots.some(({ state }) => state === 'opening')) return;
    const closed = this.#slots.filter(({ state }) => state === 'closed');
    const [best] = closed.sort((one, other) => one.failures - other.failures);
    void best?.open();
  }

  #ended(task: QueuedTask, answer: Result | Failure, value: unknown): void {
    if (task.settled) return;
    if (answer.kind === 'failure' && answer.failure === 'lost') {
      this.#again(task, answer.message);
      return;
    }
    this.#counts.end(task, answer.kind === 'result');
    if (answer.kind === 'result') task.done(value);
    else task.failed(answer.failure, answer.message, answer.retryAfter);
  }

  #lost(tasks: readonly QueuedTask[], reason: string, pause: number): void {
    if (this.#closed) {
      for (const task of tasks) task.failed('lost', 'The workers are stopping.');
      return;
    }
    const isNews = tasks.length > 0 || !this.#reasons.has(reason);
    this.#reasons.add(reason);
    if (isNews || this.#waiting.length > 0) this.#counts.crash();
    const isOpen = this.#slots.some(({ state }) => state === 'open');
    this.#failingSince = isOpen ? undefined : (this.#failingSince ?? performance.now());
    // A worker that stays away is reported once.
    if (isNews) this.#options.onLost(reason, pause, tasks);
    // Each goes to the front.
    for (const task of tasks.toReversed()) this.#again(task, reason);
    // The last slot failed to open: waiting tasks count that as a crash.
    if (tasks.length === 0 && !this.#isAwaited && this.#slots.every(({ state }) => state === 'paused')) {
      for (const task of this.#waiting.splice(0).reverse()) this.#again(task, reason);
    }
    this.#fill();
  }

  #again(task: QueuedTask, reason: string): void {
    if (task.settled) return;
    if (task.signal?.aborted) {
      task.cancelled();
      return;
    }
    if (++task.crashes < MAX_CRASHES) {
      this.#waiting.unshift(task);
      return;
    }
    task.failed('lost', `The worker was lost twice while it ran the task; ${reason}.`);
  }

  #cancel(task: QueuedTask): void {
    const at = this.#waiting.indexOf(task);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    task.cancelled();
    this.#fill();
  }

  #late(task: QueuedTask): void {
    if (task.settled) return;
    this.#waiting = this.#waiting.filter((one) => one !== task);
    task.failed('late', 'The task was not done in time.');
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

function lost(message: string): WorkerRefusal {
  return { failure: 'lost', message, retryAfter: undefined };
}
