import { FairQueue, type Share } from '../fair-queue.ts';
import {
  busy,
  cancelled,
  preempted,
  type ReadFigures,
  type ReadScope,
  shuttingDown,
  WorkEnded,
} from '../read-scope.ts';
import { Connection } from './connection.ts';

/** How often it is looked who has to end; one timer for all, and only while somebody reads. */
const LOOK_MS = 20;
/**
 * A task is long when it is seen for so many looks while so many others ended, or for `always` looks. Compared with
 * others and not timed: on a machine that is busy with something else, all of them take longer.
 */
const LONG = { looks: 3, others: 8, always: 10 };
/** How long its share is one of long tasks. */
const LONG_FOR_MS = 5000;

export interface PoolOptions {
  readonly connections: number;
  /** Of these, left to shares whose tasks are short; tasks may be run again for that. */
  readonly reserved?: number;
  readonly pragmas: string;
  /** What may wait: of one share, in all, and for how long; null = whatever comes. */
  readonly bounds: { readonly share: number; readonly total: number; readonly milliseconds: number } | null;
}

interface Waiting {
  readonly scope: ReadScope;
  readonly since: number;
  readonly start: (connection: Connection, share: Share<Waiting>) => void;
  readonly refuse: (error: Error) => void;
}

/** A task that has a connection. */
interface Lease {
  readonly connection: Connection;
  readonly share: Share<Waiting>;
  /** Tasks of the pool that had ended when it began. */
  readonly endedBefore: number;
  looks: number;
  /** Counted among the long ones, which may not have the reserve. */
  isLong: boolean;
}

/**
 * The read connections of one class, each lent to one task at a time. Shares take turns. A share may only have
 * another connection while more are free than it holds, so that the last ones are left for others however long
 * its statements take: of five connections one share gets three, a second one, a third one. Shares of long tasks,
 * however many, leave the reserve free in the same way; a task that turns out to be long in the reserve is interrupted
 * when somebody waits for it, and waits for another connection.
 */
export class ConnectionPool {
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #leases = new Set<Lease>();
  readonly #queue = new FairQueue<Waiting>();
  /** Names of shares that had a long task, and until when that counts. */
  readonly #longShares = new Map<string, number>();
  readonly #reserved: number;
  readonly #bounds: PoolOptions['bounds'];
  readonly #mayRun: (share: Share<Waiting>) => boolean;
  #ended = 0;
  readonly #counts = { waited: 0, waitMilliseconds: 0, refused: 0 };
  readonly #interrupted = { cancelled: 0, deadline: 0, shutdown: 0, preempted: 0 };
  #timer: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  private constructor({ bounds, reserved = 0 }: PoolOptions) {
    this.#bounds = bounds;
    this.#reserved = reserved;
    // What is not bounded is the service's own, whose parts need no protection from each other.
    this.#mayRun = bounds
      ? (share) => this.#idle.length > share.running + (this.#isLong(share) ? reserved : 0)
      : () => this.#idle.length > 0;
  }

  static async open(file: string, options: PoolOptions): Promise<ConnectionPool> {
    const pool = new ConnectionPool(options);
    for (let index = 0; index < options.connections; index++) {
      const connection = await Connection.open(file, { readOnly: true });
      await connection.execute(options.pragmas);
      pool.#all.push(connection);
      pool.#idle.push(connection);
    }
    return pool;
  }

  /** @throws unavailable when the queue is full or its reason to read is gone */
  use<T>(scope: ReadScope, task: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(shuttingDown());
    if (scope.signal?.aborted) return Promise.reject(cancelled());
    const share = this.#queue.share(scope.share ?? '');
    if (share.waiting.length === 0 && this.#mayRun(share)) {
      const connection = this.#idle.pop();
      if (connection) return this.#run(connection, share, scope, task);
    }
    return this.#wait(share, scope, task);
  }

  figures(): ReadFigures {
    const { waited, waitMilliseconds, refused } = this.#counts;
    return {
      connections: this.#all.length,
      running: this.#all.length - this.#idle.length,
      waiting: this.#queue.length,
      waited,
      waitSeconds: waitMilliseconds / 1000,
      refused,
      interrupted: { ...this.#interrupted },
    };
  }

  /** Ends what runs and refuses what waits. */
  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#queue.remove(({ refuse }) => {
      refuse(shuttingDown());
      return true;
    });
    for (const connection of this.#all) connection.cancel(shuttingDown());
    if (this.#idle.length < this.#all.length) await ended;
    clearTimeout(this.#timer);
    await Promise.all(this.#all.map((connection) => connection.close()));
  }

  async #run<T>(
    connection: Connection,
    share: Share<Waiting>,
    scope: ReadScope,
    task: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    this.#queue.begin(share);
    connection.lend(scope);
    const lease: Lease = {
      connection,
      share,
      endedBefore: this.#ended,
      looks: 0,
      isLong: this.#isLong(share),
    };
    this.#leases.add(lease);
    this.#look();
    const began = performance.now();
    try {
      return await task(connection);
    } catch (error) {
      if (!(error instanceof WorkEnded) || error.reason !== 'preempted') throw error;
    } finally {
      this.#leases.delete(lease);
      this.#ended++;
      const ended = connection.takeBack();
      if (ended) this.#interrupted[ended.reason]++;
      this.#queue.end(share, performance.now() - began);
      this.#idle.push(connection);
      if (this.#queue.length > 0) this.#next();
      if (this.#closed && this.#leases.size === 0) this.#closed();
    }
    return this.use(scope, task);
  }

  #wait<T>(
    share: Share<Waiting>,
    scope: ReadScope,
    task: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const bounds = this.#bounds;
    if (bounds && (share.waiting.length >= bounds.share || this.#queue.length >= bounds.total)) {
      this.#counts.refused++;
      return Promise.reject(busy());
    }
    this.#look();
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(share, {
        scope,
        since: performance.now(),
        start: (connection, from) => this.#run(connection, from, scope, task).then(resolve, reject),
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
      this.#counts.waited++;
      this.#counts.waitMilliseconds += performance.now() - since;
      if (scope.signal?.aborted) refuse(cancelled());
      else start(this.#idle.pop() as Connection, share);
    }
  }

  /** Their callers are gone, or have waited as long as anybody should. */
  #hasToLeave({ scope, since, refuse }: Waiting, now: number): boolean {
    if (scope.signal?.aborted) refuse(cancelled());
    else if (this.#bounds && now - since >= this.#bounds.milliseconds) {
      this.#counts.refused++;
      refuse(busy());
    } else return false;
    return true;
  }

  #look(): void {
    this.#timer ??= setTimeout(() => this.#checkAll(), LOOK_MS).unref();
  }

  #isLong({ name }: Share<Waiting>): boolean {
    return this.#longShares.size > 0 && this.#longShares.has(name);
  }

  #checkAll(): void {
    const now = performance.now();
    for (const { connection } of this.#leases) connection.check(now);
    if (this.#reserved > 0) this.#clearReserve(now);
    if (this.#queue.length > 0) {
      this.#queue.remove((entry) => this.#hasToLeave(entry, now));
      this.#next();
    }
    this.#queue.sweep();
    if (this.#idle.length === this.#all.length) this.#timer = undefined;
    else this.#timer?.refresh();
  }
  /** Long tasks go on where such tasks may be; those that are too many give way to whoever waits with short ones. */
  #clearReserve(now: number): void {
    for (const [name, until] of this.#longShares) if (until <= now) this.#longShares.delete(name);
    const late: Lease[] = [];
    let room = this.#all.length - this.#reserved;
    for (const lease of this.#leases) {
      if (lease.isLong) room--;
      lease.looks++;
      const isLong = lease.looks >= LONG.looks && this.#ended - lease.endedBefore >= LONG.others;
      if (!isLong && lease.looks < LONG.always) continue;
      this.#longShares.set(lease.share.name, now + LONG_FOR_MS);
      if (!lease.isLong) late.push(lease);
    }
    for (const lease of late)
      if (room-- > 0) lease.isLong = true;
      else if (this.#queue.some((share) => !this.#isLong(share))) lease.connection.cancel(preempted());
  }
}
