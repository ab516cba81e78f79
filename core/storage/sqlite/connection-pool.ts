import { FairQueue, type Share } from '../fair-queue.ts';
import { busy, cancelled, type ReadFigures, type ReadScope, shuttingDown } from '../read-scope.ts';
import { Connection } from './connection.ts';

/** How often it is looked who has to end; one timer for all, and only while somebody reads. */
const LOOK_MS = 20;

export interface PoolOptions {
  readonly connections: number;
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

/**
 * The read connections of one class, each lent to one task at a time. Shares take turns. A share may only have
 * another connection while more are free than it holds, so that the last ones are left for others however long
 * its statements take: of five connections one share gets three, a second one, a third one.
 */
export class ConnectionPool {
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #queue = new FairQueue<Waiting>();
  readonly #bounds: PoolOptions['bounds'];
  readonly #mayRun: (share: Share<Waiting>) => boolean;
  readonly #counts = { waited: 0, waitMilliseconds: 0, refused: 0 };
  readonly #interrupted = { cancelled: 0, deadline: 0, shutdown: 0 };
  #timer: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  private constructor({ bounds }: PoolOptions) {
    this.#bounds = bounds;
    // What is not bounded is the service's own, whose parts need no protection from each other.
    this.#mayRun = bounds ? (share) => this.#idle.length > share.running : () => this.#idle.length > 0;
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
    this.#look();
    const began = performance.now();
    try {
      return await task(connection);
    } finally {
      const ended = connection.takeBack();
      if (ended) this.#interrupted[ended.reason]++;
      this.#queue.end(share, performance.now() - began);
      this.#idle.push(connection);
      if (this.#queue.length > 0) this.#next();
      if (this.#closed && this.#idle.length === this.#all.length) this.#closed();
    }
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

  #checkAll(): void {
    const now = performance.now();
    for (const connection of this.#all) connection.check(now);
    if (this.#queue.length > 0) this.#queue.remove((entry) => this.#hasToLeave(entry, now));
    this.#queue.sweep();
    if (this.#idle.length === this.#all.length) this.#timer = undefined;
    else this.#timer?.refresh();
  }
}
