import type { Failure, Result } from '../protocol/messages.ts';
import { pack, unpack } from '../protocol/parcel.ts';
import { travelling } from '../tasks/task-list.ts';
import type { Connection } from './connection.ts';
import type { Job } from './job.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/** A task that has not ended so long after its deadline never will; its host goes with it. */
export const OVERDUE_MS = 3000;

/**
 * - `closed`: may be opened.
 * - `paused`: failed a moment ago, may be opened later.
 */
export type PlaceState = 'closed' | 'opening' | 'open' | 'paused';

/** What a place tells its lane. */
export interface PlaceEvents {
  /** There is room, or a place to open again. */
  free(): void;
  /** A job came to an end here; `settled` says how. */
  ended(job: Job, answer: Result | Failure, value: unknown): void;
  /** The host is gone, and these jobs with it; it will be opened again after so many milliseconds. */
  lost(jobs: readonly Job[], reason: string, pause: number): void;
  opened(): void;
}

/** Where tasks are done: a host process or a worker elsewhere, opened when it is needed, and again when it is lost. */
export class Place {
  readonly #open: () => Promise<Connection>;
  readonly #events: PlaceEvents;
  readonly #running = new Map<number, Job>();
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextId = 1;
  /** Since the last result. */
  #failures = 0;
  /** A lost host was ended on purpose. */
  #dismissed = false;
  state: PlaceState = 'closed';
  /** Resident bytes, as its last answer told. */
  resident = 0;
  /** Milliseconds of the monotonic clock. */
  idleSince = 0;

  constructor(open: () => Promise<Connection>, events: PlaceEvents) {
    this.#open = open;
    this.#events = events;
  }

  get running(): number {
    return this.#running.size;
  }

  get pid(): number | null {
    return this.#connection?.pid ?? null;
  }

  get failures(): number {
    return this.#failures;
  }

  canTake(job: Job): boolean {
    if (this.state !== 'open' || this.#connection === undefined) return false;
    if (job.isSuspect) return this.running === 0;
    for (const one of this.#running.values()) if (one.isSuspect) return false;
    return this.running < this.#connection.slots;
  }

  async open(): Promise<void> {
    this.state = 'opening';
    this.#dismissed = false;
    try {
      const connection = await this.#open();
      this.#connection = connection;
      connection.onAnswer((answer, bytes) => this.#answered(answer, bytes));
      connection.onGone((reason) => {
        if (this.#connection === connection) this.#gone(reason);
      });
      if (this.#dismissed) {
        this.dismiss();
        return;
      }
      this.state = 'open';
      this.idleSince = performance.now();
      this.#events.opened();
    } catch (error) {
      this.#gone((error as Error).message);
      return;
    }
    this.#events.free();
  }

  async take(job: Job): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) throw new Error('The place is not open.');
    const id = this.#nextId++;
    this.#running.set(id, job);
    let input: unknown = job.input;
    if (connection.isRemote) {
      try {
        input = await travelling(job.task, job.input);
      } catch (error) {
        this.#release(id);
        job.failed('lost', `The source cannot be read: ${(error as Error).message}`);
        this.#events.free();
        return;
      }
      if (!this.#running.has(id)) return;
    }
    const { bytes, ...parcel } = pack(input);
    const milliseconds = job.millisecondsLeft;
    connection.send({ kind: 'request', id, task: job.task, milliseconds, ...parcel }, bytes);
    setTimeout(() => this.#overdue(id), milliseconds + OVERDUE_MS).unref();
  }

  /** Ends it on purpose; what runs here is lost. */
  dismiss(): void {
    clearTimeout(this.#timer);
    this.#dismissed = true;
    this.state = 'closed';
    this.resident = 0;
    const connection = this.#connection;
    this.#connection = undefined;
    const jobs = this.#takeRunning();
    connection?.end();
    if (jobs.length > 0) this.#events.lost(jobs, 'it was dismissed', 0);
  }

  #release(id: number): Job | undefined {
    const job = this.#running.get(id);
    this.#running.delete(id);
    if (this.running === 0) this.idleSince = performance.now();
    return job;
  }

  #takeRunning(): Job[] {
    const jobs = [...this.#running.values()];
    this.#running.clear();
    return jobs;
  }

  #answered(answer: Result | Failure, bytes: Uint8Array): void {
    // First, because what does not fit together ends the connection, and the job is then one that was lost.
    const value = answer.kind === 'result' ? unpack(answer, bytes) : undefined;
    const job = this.#release(answer.id);
    if (job === undefined) return;
    this.resident = answer.resident;
    this.#failures = 0;
    this.#events.ended(job, answer, value);
    this.#events.free();
  }

  #overdue(id: number): void {
    if (this.#running.has(id)) this.#connection?.end();
  }

  #gone(reason: string): void {
    const jobs = this.#takeRunning();
    this.#connection = undefined;
    this.resident = 0;
    if (this.#dismissed) return;
    this.state = 'paused';
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    this.#timer = setTimeout(() => {
      this.state = 'closed';
      this.#events.free();
    }, pause);
    this.#timer.unref();
    this.#events.lost(jobs, reason, pause);
  }
}
