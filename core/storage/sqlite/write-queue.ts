import { FairQueue } from '../fair-queue.ts';
import type { ChangeEntry, CommittedChanges, Numbered, Transaction, WriteFigures } from '../ports.ts';
import { busy, type ReadScope, shuttingDown } from '../read-scope.ts';
import { timestamp } from '../timestamp.ts';
import type { Connection } from './connection.ts';
import { WriteTransaction } from './write-transaction.ts';

/** Transactions that may share one commit: a write waits for no more than these. */
const GROUP = 64;
/** A group takes no more transactions after this time, so that a small change waits for one batch of an import at most. */
const GROUP_MS = 100;
/** Transactions that may wait: of one share, and of all shares. */
const WAITING_OF_SHARE = 2000;
const WAITING = 10_000;
/** Time that queued transactions have when the store closes. */
const LAST_MS = 500;
const INTERRUPT_AGAIN_MS = 20;

const NO_LIMITS: ReadScope = { class: 'background' };
const ANY = () => true;

interface Queued {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface QueueState {
  readonly sequence: number;
  readonly epoch: string;
  /** The highest number in use, by table. */
  readonly numbers: Map<Numbered, number>;
}

/**
 * The one writer. Transactions run one after another, with fair turns between shares. Those that queue while one runs
 * join its commit, each behind its own savepoint (group commit): under load they share a sync to disk, and one that
 * fails undoes only itself.
 */
export class WriteQueue {
  readonly #connection: Connection;
  readonly #clock: () => Date;
  #epoch: string;
  #numbers: Map<Numbered, number>;
  readonly #listeners: ((changes: CommittedChanges) => void)[] = [];
  readonly #queue = new FairQueue<Queued>();
  readonly #exclusive: (() => Promise<void>)[] = [];
  #sequence: number;
  #running: Promise<void> | null = null;
  #closed = false;
  #isExclusive = false;
  #refused = 0;

  constructor(connection: Connection, state: QueueState, clock: () => Date) {
    this.#connection = connection;
    this.#sequence = state.sequence;
    this.#epoch = state.epoch;
    this.#numbers = state.numbers;
    this.#clock = clock;
  }

  get epoch(): string {
    return this.#epoch;
  }

  /**
   * Runs `work` on the connection between two commits, outside any transaction. It returns the state that the queue
   * continues from, and the changes for the commit listeners.
   */
  runExclusive(
    work: (
      connection: Connection,
      sequence: number,
    ) => Promise<QueueState & { readonly changes: ChangeEntry[] }>,
  ): Promise<void> {
    if (this.#closed) return Promise.reject(shuttingDown());
    return new Promise((resolve, reject) => {
      this.#exclusive.push(async () => {
        if (this.#closed) return reject(shuttingDown());
        this.#connection.acquire(NO_LIMITS);
        this.#isExclusive = true;
        try {
          const { sequence, epoch, numbers, changes: entries } = await work(this.#connection, this.#sequence);
          this.#sequence = sequence;
          this.#epoch = epoch;
          this.#numbers = numbers;
          for (const listener of this.#listeners) listener({ sequence, epoch, entries, announced: [] });
          resolve();
        } catch (error) {
          reject(error);
        } finally {
          this.#isExclusive = false;
          this.#connection.release();
        }
      });
      this.#running ??= this.#drain();
    });
  }

  write<T>(work: (tx: Transaction) => Promise<T>, name = ''): Promise<T> {
    if (this.#closed) return Promise.reject(shuttingDown());
    const share = this.#queue.share(name);
    // The service's own writes are few; they have no share and no limit.
    if (name !== '' && (share.waiting.length >= WAITING_OF_SHARE || this.#queue.length >= WAITING)) {
      this.#refused++;
      return Promise.reject(busy());
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(share, { work, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#drain();
    });
  }

  onCommit(listener: (changes: CommittedChanges) => void): void {
    this.#listeners.push(listener);
  }

  figures(): WriteFigures {
    return { waiting: this.#queue.length, refused: this.#refused };
  }

  /** Queued transactions have LAST_MS; then the rest is refused and the running one is undone. A restore is undone at once. */
  async close(): Promise<void> {
    this.#closed = true;
    let again: NodeJS.Timeout | undefined;
    const last = setTimeout(
      () => {
        this.#queue.remove(({ reject }) => {
          reject(shuttingDown());
          return true;
        });
        again = setInterval(() => this.#connection.cancel(shuttingDown()), INTERRUPT_AGAIN_MS);
      },
      this.#isExclusive ? 0 : LAST_MS,
    );
    await this.#running;
    clearTimeout(last);
    clearInterval(again);
  }

  /** Ends in the turn in which it finds the queue empty, so that no write is missed in between. */
  async #drain(): Promise<void> {
    try {
      for (;;) {
        const exclusive = this.#exclusive.shift();
        if (exclusive) await exclusive();
        else if (this.#queue.length > 0) await this.#group();
        else break;
      }
    } finally {
      this.#queue.removeIdle();
      this.#running = null;
    }
  }

  async #group(): Promise<void> {
    const settled: (() => void)[] = [];
    const committed: CommittedChanges[] = [];
    const rejects: ((error: unknown) => void)[] = [];
    /** Sequence by storage number of the project. */
    const stamps = new Map<number, number>();
    const before = this.#sequence;
    const began = performance.now();
    let now = began;
    this.#connection.acquire(NO_LIMITS);
    try {
      // Each text is one round trip to libuv's pool, so statements are combined.
      await this.#connection.execute('BEGIN IMMEDIATE; SAVEPOINT work');
      let isUsed = false;
      for (let done = 0; done < GROUP && now - began < GROUP_MS; done++) {
        const next = this.#queue.take(ANY);
        if (!next) break;
        rejects.push(next.entry.reject);
        this.#queue.begin(next.share);
        try {
          if (isUsed) await this.#connection.execute('RELEASE work; SAVEPOINT work');
          isUsed = await this.#run(next.entry, settled, committed, stamps);
        } finally {
          const from = now;
          now = performance.now();
          this.#queue.end(next.share, now - from);
        }
      }
      const marks = [...stamps].map(
        ([project, sequence]) => `UPDATE project SET sequence = ${sequence} WHERE number = ${project}; `,
      );
      if (committed.length > 0) marks.push(`UPDATE installation SET sequence = ${this.#sequence}; `);
      await this.#connection.execute(`${marks.join('')}RELEASE work; COMMIT`);
    } catch (error) {
      this.#sequence = before;
      await this.#connection.execute('ROLLBACK').catch(() => {});
      for (const reject of rejects) reject(error);
      // BEGIN itself may have failed, before a transaction was taken from the queue.
      if (rejects.length === 0) this.#queue.take(ANY)?.entry.reject(error);
      return;
    } finally {
      this.#connection.release();
    }
    for (const changes of committed) for (const listener of this.#listeners) listener(changes);
    for (const settle of settled) settle();
  }

  /** Runs behind the open savepoint. @returns false after a rollback to it: the next one can use it */
  async #run(
    queued: Queued,
    settled: (() => void)[],
    committed: CommittedChanges[],
    stamps: Map<number, number>,
  ): Promise<boolean> {
    const entries: ChangeEntry[] = [];
    const tx = new WriteTransaction(
      this.#connection,
      this.#numbers,
      this.#sequence + 1,
      timestamp(this.#clock()),
      entries,
    );
    let value: unknown;
    try {
      value = await queued.work(tx);
      if (entries.length > 0) await tx.log(entries);
    } catch (error) {
      try {
        await this.#connection.execute('ROLLBACK TO work');
      } catch {
        // SQLite itself has rolled back the whole group because the disk is full or failing: report that error.
        throw error;
      }
      settled.push(() => queued.reject(error));
      return false;
    } finally {
      tx.end();
    }
    if (entries.length > 0) {
      this.#sequence = tx.sequence;
      for (const project of tx.stamped) stamps.set(project, tx.sequence);
      committed.push({
        sequence: tx.sequence,
        epoch: this.#epoch,
        entries,
        announced: [...tx.announced],
      });
    }
    settled.push(() => queued.resolve(value));
    return true;
  }
}
