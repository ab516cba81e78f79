import { type LaneReport, type TaskName, type Tasks, WorkerError } from '../contract.ts';
import type { Failure, Result } from '../protocol/messages.ts';
import type { Connection } from './connection.ts';
import { Job } from './job.ts';
import { LaneCounts } from './lane-counts.ts';
import { Place } from './place.ts';

/** A job that two hosts died under is not given to a third. */
const MOST_LOSSES = 2;
/** From here on nobody waits for a place that does not open. */
const HOPELESS_FAILURES = 3;
const LONGEST_RETRY_AFTER = 60;

export interface LaneOptions {
  /** One for each place: opens it. */
  readonly places: readonly (() => Promise<Connection>)[];
  /** Tasks that may wait; one more is `busy`. */
  readonly waiting: number;
  readonly milliseconds: number;
  /** An idle place is closed after so long if it holds more than `keptBytes`, or another one is open too. */
  readonly idleMilliseconds: number;
  readonly keptBytes: number;
  /** A host was lost or could not be started. */
  readonly onLost: (reason: string, pause: number) => void;
}

/** A bounded queue in front of its places. Tasks of one lane never wait for those of another. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #places: readonly Place[];
  readonly #counts = new LaneCounts();
  #waiting: Job[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#places = options.places.map(
      (open) =>
        new Place(open, {
          free: () => this.#fill(),
          opened: () => this.#counts.start(),
          ended: (job, answer, value) => this.#ended(job, answer, value),
          lost: (jobs, reason, pause) => this.#lost(jobs, reason, pause),
        }),
    );
  }

  run(task: TaskName, input: Tasks[TaskName]['input'], milliseconds?: number): Promise<unknown> {
    const refusal = this.refusal();
    if (refusal) return Promise.reject(refusal);
    const job = new Job(
      task,
      input,
      Math.min(milliseconds ?? Number.POSITIVE_INFINITY, this.#options.milliseconds),
    );
    const timer = setTimeout(() => this.#late(job), job.millisecondsLeft);
    this.#waiting.push(job);
    this.#fill();
    return job.result.finally(() => clearTimeout(timer));
  }

  /** Why no task can be taken now; counted as one that was not. */
  refusal(): WorkerError | undefined {
    const refusal = this.#refusal();
    if (refusal) this.#counts.fail(refusal.failure);
    return refusal;
  }

  report(): LaneReport {
    const hosts = this.#places.flatMap(({ state, pid, resident, running }) =>
      state === 'closed' ? [] : [{ state, pid, resident, running }],
    );
    return { waiting: this.#waiting.length, running: this.#running, hosts, ...this.#counts.report() };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#idleTimer);
    for (const job of this.#waiting.splice(0)) job.failed('lost', 'The workers are stopping.');
    for (const place of this.#places) place.dismiss();
  }

  get #running(): number {
    return this.#places.reduce((sum, { running }) => sum + running, 0);
  }

  #refusal(): WorkerError | undefined {
    if (this.#closed) return new WorkerError('lost', 'The workers are stopping.');
    if (this.#places.every(({ state, failures }) => state === 'paused' && failures >= HOPELESS_FAILURES)) {
      return new WorkerError('lost', 'No worker can be started.');
    }
    if (this.#waiting.length < this.#options.waiting) return undefined;
    return new WorkerError('busy', 'Too many tasks are waiting.', this.#retryAfter());
  }

  /** Whole seconds: as long as the last ones took, which waited behind a full queue too. */
  #retryAfter(): number {
    return Math.min(LONGEST_RETRY_AFTER, Math.max(1, Math.ceil(this.#counts.meanSeconds)));
  }

  #fill(): void {
    if (this.#closed) return;
    for (let job = this.#waiting[0]; job !== undefined; job = this.#waiting[0]) {
      const place = this.#roomiest(job);
      if (place === undefined) {
        this.#openOne();
        break;
      }
      this.#waiting.shift();
      void place.take(job);
    }
    this.#watchIdle();
  }

  #roomiest(job: Job): Place | undefined {
    let best: Place | undefined;
    for (const place of this.#places) {
      if (place.canTake(job) && (best === undefined || place.running < best.running)) best = place;
    }
    return best;
  }

  /** One at a time: while it starts, those that are open may get room. */
  #openOne(): void {
    if (this.#places.some(({ state }) => state === 'opening')) return;
    void this.#places.find(({ state }) => state === 'closed')?.open();
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
    this.#options.onLost(reason, pause);
    for (const job of jobs) this.#again(job, reason);
    // Nothing is open and the one that was to open did not: those that wait for it have lost a host too.
    if (jobs.length === 0 && this.#places.every(({ state }) => state === 'paused')) {
      for (const job of this.#waiting.splice(0)) this.#again(job, reason);
    }
    this.#fill();
  }

  #again(job: Job, reason: string): void {
    if (job.settled) return;
    if (++job.losses < MOST_LOSSES) {
      this.#waiting.unshift(job);
      return;
    }
    this.#counts.fail('lost');
    job.failed('lost', `The worker was lost twice under the task; ${reason}.`);
  }

  #late(job: Job): void {
    if (job.settled) return;
    this.#waiting = this.#waiting.filter((one) => one !== job);
    this.#counts.fail('late');
    job.failed('late', 'The task was not done in time.');
    this.#fill();
  }

  /** Looks again when the first idle place has been so for long enough. */
  #watchIdle(): void {
    if (this.#idleTimer !== undefined) return;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      const now = performance.now();
      for (const place of this.#places) {
        if (place.state !== 'open' || place.running > 0) continue;
        if (now - place.idleSince < this.#options.idleMilliseconds) continue;
        const others = this.#places.some((other) => other !== place && other.state === 'open');
        if (others || place.resident > this.#options.keptBytes) place.dismiss();
      }
      if (this.#places.some(({ state }) => state === 'open' || state === 'opening')) this.#watchIdle();
    }, this.#options.idleMilliseconds / 4);
    this.#idleTimer.unref();
  }
}
