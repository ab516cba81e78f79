import { FairQueue, type Share } from './fair-queue.ts';
import {
  Busy,
  cancelled,
  preempted,
  type ReadFigures,
  type ReadScope,
  shuttingDown,
  WorkEnded,
} from './read-scope.ts';

/** Interval of the checks that end tasks; one timer for all, only while tasks run or wait. */
const CHECK_MS = 20;
/**
 * A task is long after `checks` if `others` ended meanwhile, and after `always` checks in any case. It is compared with
 * other tasks instead of timed, because on a busy machine all of them take longer.
 */
const LONG = { checks: 3, others: 8, always: 10 };
/** Time that a share counts as one with long tasks. */
const LONG_FOR_MS = 5000;

/** A connection as a pool uses it: for one task at a time, which can be ended early. */
export interface PooledConnection {
  /** Starts a task. */
  acquire(scope: ReadScope): void;
  /** Ends the task. @returns why it was ended early, if it was */
  release(): WorkEnded | null;
  /** Ends the task early: interrupts the running statement and refuses further ones. */
  cancel(reason: WorkEnded): void;
  /** Ends the task early if its signal has fired or its statement takes too long. Called every 20 ms. */
  check(now: number): void;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly connections: number;
  /** Of these, reserved for shares with short tasks; long tasks may be preempted and run again for that. */
  readonly reserved?: number;
  /** Tasks that may wait, of one share and in all, and for how long; null = no limits. */
  readonly bounds: { readonly share: number; readonly total: number; readonly milliseconds: number } | null;
}

interface Waiting<C> {
  readonly scope: ReadScope;
  readonly since: number;
  readonly start: (slot: Slot<C>, share: Share<Waiting<C>>) => void;
  readonly refuse: (error: Error) => void;
}

/** A connection and its task. Reused, because nearly every request needs one. */
class Slot<C> {
  readonly connection: C;
  /** Share of the task; null = idle. */
  share: Share<Waiting<C>> | null = null;
  /** Start of the task if tasks were waiting then, else 0: reading the clock takes 0.25 µs. */
  began = 0;
  /** Number of tasks of the pool that had ended when this one started. */
  endedBefore = 0;
  /** Checks since the start of the task. */
  checks = 0;
  /** Counts as a long task, which may not use the reserve. */
  isLong = false;

  constructor(connection: C) {
    this.connection = connection;
  }
}

/**
 * The read connections of one class, each used by one task at a time. Shares get fair turns. A share gets another
 * connection only while more are free than it holds, so that some stay free for other shares: of five connections, one
 * share gets three, a second one, a third one. Long tasks of all shares do not get the reserve. A task that becomes long
 * on the reserve is preempted when a share with short tasks waits, and waits for another connection.
 */
export class ConnectionPool<C extends PooledConnection> {
  readonly #slots: Slot<C>[] = [];
  readonly #idle: Slot<C>[] = [];
  readonly #queue = new FairQueue<Waiting<C>>();
  /** When shares with a long task stop counting as such, by name. */
  readonly #longShares = new Map<string, number>();
  readonly #reserved: number;
  readonly #bounds: PoolOptions['bounds'];
  readonly #mayRun: (share: Share<Waiting<C>>) => boolean;
  #ended = 0;
  /** Long tasks that run. */
  #long = 0;
  readonly #counts = { waited: 0, waitMilliseconds: 0, refused: 0 };
  readonly #interrupted = { cancelled: 0, deadline: 0, shutdown: 0, preempted: 0 };
  #timer: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  private constructor({ bounds, reserved = 0 }: PoolOptions) {
    this.#bounds = bounds;
    this.#reserved = reserved;
    // A pool without limits serves the service's own jobs, which need no protection from each other.
    this.#mayRun = bounds
      ? (share) =>
          this.#idle.length > share.running &&
          (!this.#isLong(share) || this.#long < this.#slots.length - reserved)
      : () => this.#idle.length > 0;
  }

  static async open<C extends PooledConnection>(
    connect: () => Promise<C>,
    options: PoolOptions,
  ): Promise<ConnectionPool<C>> {
    const pool = new ConnectionPool<C>(options);
    for (let index = 0; index < options.connections; index++) {
      const connection = await connect();
      const slot = new Slot(connection);
      pool.#slots.push(slot);
      pool.#idle.push(slot);
    }
    return pool;
  }

  /** @throws unavailable when the queue is full or the signal has fired */
  use<T>(scope: ReadScope, task: (connection: C) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(shuttingDown());
    if (scope.signal?.aborted) return Promise.reject(cancelled());
    const share = this.#queue.share(scope.share ?? '');
    if (share.waiting.length === 0 && this.#mayRun(share)) {
      const slot = this.#idle.pop();
      if (slot) return this.#run(slot, share, scope, task);
    }
    return this.#wait(share, scope, task);
  }

  figures(): ReadFigures {
    const { waited, waitMilliseconds, refused } = this.#counts;
    return {
      connections: this.#slots.length,
      running: this.#slots.length - this.#idle.length,
      waiting: this.#queue.length,
      waited,
      waitSeconds: waitMilliseconds / 1000,
      refused,
      interrupted: { ...this.#interrupted },
    };
  }

  /** Ends running tasks and refuses waiting ones. */
  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#queue.remove(({ refuse }) => {
      refuse(shuttingDown());
      return true;
    });
    for (const { connection } of this.#slots) connection.cancel(shuttingDown());
    if (this.#idle.length < this.#slots.length) await ended;
    clearTimeout(this.#timer);
    await Promise.all(this.#slots.map(({ connection }) => connection.close()));
  }

  async #run<T>(
    slot: Slot<C>,
    share: Share<Waiting<C>>,
    scope: ReadScope,
    task: (connection: C) => Promise<T>,
  ): Promise<T> {
    const { connection } = slot;
    const { timing } = scope;
    const began = timing ? performance.now() : 0;
    this.#queue.begin(share);
    connection.acquire(scope);
    slot.share = share;
    slot.began = this.#queue.length > 0 ? performance.now() : 0;
    slot.endedBefore = this.#ended;
    slot.checks = 0;
    slot.isLong = this.#isLong(share);
    if (slot.isLong) this.#long++;
    this.#startChecks();
    try {
      return await task(connection);
    } catch (error) {
      if (!(error instanceof WorkEnded) || error.reason !== 'preempted') throw error;
    } finally {
      if (timing) timing.database += performance.now() - began;
      this.#ended++;
      const ended = connection.release();
      if (ended) this.#interrupted[ended.reason]++;
      this.#queue.end(share, slot.began > 0 ? performance.now() - slot.began : slot.checks * CHECK_MS);
      if (slot.isLong) this.#long--;
      slot.share = null;
      this.#idle.push(slot);
      if (this.#queue.length > 0) this.#next();
      if (this.#closed && this.#idle.length === this.#slots.length) this.#closed();
    }
    return this.use(scope, task);
  }

  #wait<T>(share: Share<Waiting<C>>, scope: ReadScope, task: (connection: C) => Promise<T>): Promise<T> {
    const bounds = this.#bounds;
    if (bounds && (share.waiting.length >= bounds.share || this.#queue.length >= bounds.total)) {
      this.#counts.refused++;
      return Promise.reject(new Busy());
    }
    this.#startChecks();
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(share, {
        scope,
        since: performance.now(),
        start: (slot, from) => this.#run(slot, from, scope, task).then(resolve, reject),
        refuse: reject,
      });
    });
  }

  #next(): void {
    for (;;) {
      const next = this.#idle.length > 0 ? this.#queue.take(this.#mayRun) : undefined;
      if (!next) return;
      const { share, entry } = next;
      const { scope, since, start, refuse } = entry;
      const waited = performance.now() - since;
      this.#counts.waited++;
      this.#counts.waitMilliseconds += waited;
      if (scope.timing) scope.timing.queue += waited;
      if (scope.signal?.aborted) refuse(cancelled());
      else start(this.#idle.pop() as Slot<C>, share);
    }
  }

  /** Refuses an entry whose signal has fired or that has waited too long. */
  #refused({ scope, since, refuse }: Waiting<C>, now: number): boolean {
    if (scope.signal?.aborted) refuse(cancelled());
    else if (this.#bounds && now - since >= this.#bounds.milliseconds) {
      this.#counts.refused++;
      if (scope.timing) scope.timing.queue += now - since;
      refuse(new Busy());
    } else return false;
    return true;
  }

  #startChecks(): void {
    this.#timer ??= setTimeout(() => this.#checkAll(), CHECK_MS).unref();
  }

  #isLong({ name }: Share<Waiting<C>>): boolean {
    return this.#longShares.size > 0 && this.#longShares.has(name);
  }

  #checkAll(): void {
    const now = performance.now();
    for (const slot of this.#slots) {
      if (slot.share === null) continue;
      slot.checks++;
      slot.connection.check(now);
    }
    if (this.#reserved > 0) this.#clearReserve(now);
    if (this.#queue.length > 0) {
      this.#queue.remove((entry) => this.#refused(entry, now));
      this.#next();
    }
    this.#queue.removeIdle();
    if (this.#idle.length === this.#slots.length) this.#timer = undefined;
    else this.#timer?.refresh();
  }

  /** Long tasks keep the connections outside the reserve; further ones are interrupted when short tasks wait. */
  #clearReserve(now: number): void {
    for (const [name, until] of this.#longShares) if (until <= now) this.#longShares.delete(name);
    const foundLong: Slot<C>[] = [];
    for (const slot of this.#slots) {
      if (slot.share === null) continue;
      const { checks, endedBefore } = slot;
      const isLong = checks >= LONG.checks && this.#ended - endedBefore >= LONG.others;
      if (!isLong && checks < LONG.always) continue;
      this.#longShares.set(slot.share.name, now + LONG_FOR_MS);
      if (!slot.isLong) foundLong.push(slot);
    }
    for (const slot of foundLong)
      if (this.#long < this.#slots.length - this.#reserved) {
        slot.isLong = true;
        this.#long++;
      } else if (this.#queue.some((share) => !this.#isLong(share))) slot.connection.cancel(preempted());
  }
}
