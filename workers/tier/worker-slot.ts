import type { Failure, Result } from '../protocol/messages.ts';
import { pack, unpack } from '../protocol/packed-record.ts';
import { makePortable } from '../tasks/task-list.ts';
import type { Connection } from './connection.ts';
import type { QueuedTask } from './queued-task.ts';

const FIRST_PAUSE_MS = 100;

/** A host whose task runs this long past its deadline is killed, with the task. */
const OVERDUE_MS = 3000;

/**
 * Most large tasks at a time, of all that a host runs: two of three. A progressive JPEG of 8480 × 8480 takes some 0.4 GB while
 * it is decoded: with two of them a host had 0.94 GB at most, with three 1.37.
 */
const LARGE_SHARE = 2 / 3;

/**
 * - `closed`: may be opened.
 * - `paused`: failed recently, may be opened after a pause.
 */
export type WorkerSlotState = 'closed' | 'opening' | 'open' | 'paused';

/** Events of a slot, for its queue. */
export interface WorkerSlotEvents {
  /** The slot can run a task, or can be opened again. */
  free(): void;
  /** A task ended; `answer` has its result. */
  ended(task: QueuedTask, answer: Result | Failure, value: unknown): void;
  /** The host and these tasks are lost; the slot can be opened again after `pause` milliseconds. */
  lost(tasks: readonly QueuedTask[], reason: string, pause: number): void;
  opened(): void;
}

/** One host process or remote worker, opened when needed and reopened after a crash. */
export class WorkerSlot {
  readonly #open: () => Promise<Connection>;
  readonly #events: WorkerSlotEvents;
  readonly #longestPause: number;
  readonly #running = new Map<number, QueuedTask>();
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextId = 1;
  /** Failures since the last result. */
  #failures = 0;
  /** The host is being stopped on purpose. */
  #stopped = false;
  state: WorkerSlotState = 'closed';
  /** Resident bytes as of its last answer. */
  resident = 0;
  /** Milliseconds of the monotonic clock. */
  idleSince = 0;

  /** @param longestPause after failures, in milliseconds */
  constructor(open: () => Promise<Connection>, longestPause: number, events: WorkerSlotEvents) {
    this.#open = open;
    this.#longestPause = longestPause;
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

  canRun(task: QueuedTask): boolean {
    if (this.state !== 'open' || this.#connection === undefined) return false;
    if (task.hasCrashed) return this.running === 0;
    for (const one of this.#running.values()) if (one.hasCrashed) return false;
    const { concurrency } = this.#connection;
    if (task.isLarge && this.#large >= Math.max(1, Math.floor(concurrency * LARGE_SHARE))) return false;
    return this.running < concurrency;
  }

  get #large(): number {
    let large = 0;
    for (const { isLarge } of this.#running.values()) if (isLarge) large += 1;
    return large;
  }

  /** Runs another task that reads the same. */
  reads(task: QueuedTask): boolean {
    for (const one of this.#running.values()) if (one.readsLike(task)) return true;
    return false;
  }

  async open(): Promise<void> {
    this.state = 'opening';
    this.#stopped = false;
    try {
      const connection = await this.#open();
      this.#connection = connection;
      connection.onAnswer((answer, bytes) => this.#answered(answer, bytes));
      connection.onClose((reason) => {
        if (this.#connection === connection) this.#closed(reason);
      });
      if (this.#stopped) {
        this.stop();
        return;
      }
      this.state = 'open';
      this.idleSince = performance.now();
      this.#events.opened();
    } catch (error) {
      this.#closed((error as Error).message);
      return;
    }
    this.#events.free();
  }

  /** @param sharesSource other tasks that read the same run here or will */
  async run(task: QueuedTask, sharesSource: boolean): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) throw new Error('The slot is not open.');
    const id = this.#nextId++;
    this.#running.set(id, task);
    let input: unknown = task.input;
    if (connection.isRemote) {
      try {
        input = await makePortable(task.name, task.input);
      } catch (error) {
        this.#release(id);
        task.failed('lost', `The source cannot be read: ${(error as Error).message}`);
        this.#events.free();
        return;
      }
      if (!this.#running.has(id)) return;
    }
    const { bytes, ...packed } = pack(input);
    const { millisecondsLeft: milliseconds, name, origin, isLarge } = task;
    connection.send(
      { kind: 'request', id, task: name, milliseconds, origin, sharesSource, isLarge, ...packed },
      bytes,
    );
    setTimeout(() => this.#overdue(id), milliseconds + OVERDUE_MS).unref();
  }

  /** Stops the host; its running tasks are lost. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped = true;
    this.state = 'closed';
    this.resident = 0;
    const connection = this.#connection;
    this.#connection = undefined;
    const tasks = this.#takeRunning();
    connection?.end();
    if (tasks.length > 0) this.#events.lost(tasks, 'it was stopped', 0);
  }

  #release(id: number): QueuedTask | undefined {
    const task = this.#running.get(id);
    this.#running.delete(id);
    if (this.running === 0) this.idleSince = performance.now();
    return task;
  }

  #takeRunning(): QueuedTask[] {
    const tasks = [...this.#running.values()];
    this.#running.clear();
    return tasks;
  }

  #answered(answer: Result | Failure, bytes: Uint8Array): void {
    // Unpack first: an invalid answer ends the connection, and the task then counts as lost.
    const value = answer.kind === 'result' ? unpack(answer, bytes) : undefined;
    const task = this.#release(answer.id);
    if (task === undefined) return;
    this.resident = answer.resident;
    this.#failures = 0;
    this.#events.ended(task, answer, value);
    this.#events.free();
  }

  #overdue(id: number): void {
    if (this.#running.has(id)) this.#connection?.end();
  }

  #closed(reason: string): void {
    const tasks = this.#takeRunning();
    this.#connection = undefined;
    this.resident = 0;
    if (this.#stopped) return;
    this.state = 'paused';
    const pause = Math.min(this.#longestPause, FIRST_PAUSE_MS * 2 ** this.#failures++);
    this.#timer = setTimeout(() => {
      this.state = 'closed';
      this.#events.free();
    }, pause);
    this.#timer.unref();
    this.#events.lost(tasks, reason, pause);
  }
}
