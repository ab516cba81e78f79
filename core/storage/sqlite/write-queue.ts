import type { CompiledRows } from '../compiled-rows.ts';
import type { ChangeEntry, CommittedChanges, Numbered, Row, SqlValue, Transaction } from '../ports.ts';
import type { Connection } from './connection.ts';
import { replaceDocuments } from './replace-documents.ts';

/** Transactions that may share one commit; a waiting reader of the result never waits for more than these. */
const GROUP = 64;

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
 * The one writer. Transactions run one after another; those that queue while one runs join its commit, each
 * behind a savepoint of its own, so that under load a sync to disk is shared (group commit) and a failing
 * transaction takes nobody with it.
 */
export class WriteQueue {
  readonly #connection: Connection;
  readonly #clock: () => Date;
  #epoch: string;
  #numbers: Map<Numbered, number>;
  readonly #listeners: ((changes: CommittedChanges) => void)[] = [];
  readonly #queue: Queued[] = [];
  readonly #alone: (() => Promise<void>)[] = [];
  #sequence: number;
  #running: Promise<void> | null = null;
  #closed = false;

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
   * Runs `work` on the connection between two commits, outside any transaction. It answers what the queue is
   * to go on from, and the changes to be told.
   */
  alone(
    work: (
      connection: Connection,
      sequence: number,
    ) => Promise<QueueState & { readonly changes: ChangeEntry[] }>,
  ): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'));
    return new Promise((resolve, reject) => {
      this.#alone.push(() =>
        work(this.#connection, this.#sequence).then(({ sequence, epoch, numbers, changes: entries }) => {
          this.#sequence = sequence;
          this.#epoch = epoch;
          this.#numbers = numbers;
          for (const listener of this.#listeners) listener({ sequence, epoch, entries, announced: [] });
          resolve();
        }, reject),
      );
      this.#running ??= this.#drain();
    });
  }

  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#drain();
    });
  }

  onCommit(listener: (changes: CommittedChanges) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  /** Ends in the same turn in which it finds the queue empty, so that no write falls between the two. */
  async #drain(): Promise<void> {
    try {
      for (;;) {
        const alone = this.#alone.shift();
        if (alone) await alone();
        else if (this.#queue.length > 0) await this.#group();
        else break;
      }
    } finally {
      this.#running = null;
    }
  }

  async #group(): Promise<void> {
    const settled: (() => void)[] = [];
    const committed: CommittedChanges[] = [];
    const failAll: ((error: unknown) => void)[] = [];
    const stamps = new Map<number, number>();
    const before = this.#sequence;
    try {
      // Each text is one way to libuv's pool and back, so what belongs together goes together.
      await this.#connection.execute('BEGIN IMMEDIATE; SAVEPOINT work');
      let kept = false;
      for (let done = 0; done < GROUP; done++) {
        const next = this.#queue.shift();
        if (!next) break;
        failAll.push(next.reject);
        if (kept) await this.#connection.execute('RELEASE work; SAVEPOINT work');
        kept = await this.#one(next, settled, committed, stamps);
      }
      const marks = [...stamps].map(
        ([project, sequence]) => `UPDATE project SET sequence = ${sequence} WHERE number = ${project}; `,
      );
      if (committed.length > 0) marks.push(`UPDATE installation SET sequence = ${this.#sequence}; `);
      await this.#connection.execute(`${marks.join('')}RELEASE work; COMMIT`);
    } catch (error) {
      this.#sequence = before;
      await this.#connection.execute('ROLLBACK').catch(() => {});
      for (const fail of failAll) fail(error);
      // BEGIN itself may have failed before anything was taken from the queue.
      if (failAll.length === 0) this.#queue.shift()?.reject(error);
      return;
    }
    for (const changes of committed) for (const listener of this.#listeners) listener(changes);
    for (const settle of settled) settle();
  }

  /** Behind the open savepoint; false when it was rolled back to, and so can serve the next. */
  async #one(
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
      sevenDigits(this.#clock()),
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
        // SQLite has rolled back the whole group by itself: the disk is full or failing, and that is the news.
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

/** `last_modified` always carries 7 fraction digits, so that strings order as times. */
function sevenDigits(date: Date): string {
  return `${date.toISOString().slice(0, -1)}0000Z`;
}

class WriteTransaction implements Transaction {
  readonly sequence: number;
  readonly now: string;
  readonly #connection: Connection;
  readonly #numbers: Map<Numbered, number>;
  readonly #entries: ChangeEntry[];
  /** Numbers of the projects that get this transaction's sequence. */
  readonly stamped = new Set<number>();
  readonly announced = new Set<number>();
  #ended = false;

  constructor(
    connection: Connection,
    numbers: Map<Numbered, number>,
    sequence: number,
    now: string,
    entries: ChangeEntry[],
  ) {
    this.#connection = connection;
    this.#numbers = numbers;
    this.sequence = sequence;
    this.now = now;
    this.#entries = entries;
  }

  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    return this.#open().all<T>(text, parameters);
  }

  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return this.#open().get<T>(text, parameters);
  }

  run(text: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.#open().run(text, parameters);
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return this.#connection.among(column, values);
  }

  /** One JSON parameter instead of thousands of bound ones: 1 µs a value, and no limit on their number. */
  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const picks = columns.map((_, index) => `value ->> ${index}`).join(', ');
    await this.#open().run(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks} FROM json_each(?)`, [
      JSON.stringify(rows),
    ]);
  }

  async upsert(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const picks = columns.map((_, index) => `value ->> ${index}`).join(', ');
    const values = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    // Without a condition SQLite would take ON for that of a join.
    await this.#open().run(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks} FROM json_each(?) WHERE true
       ON CONFLICT (${key}) DO UPDATE SET ${values}`,
      [JSON.stringify(rows)],
    );
  }

  replaceDocuments(items: readonly number[], views: readonly number[], rows: CompiledRows): Promise<void> {
    return replaceDocuments(this.#open(), items, views, rows);
  }

  async numbers(table: Numbered, count = 1): Promise<number> {
    const last = this.#numbers.get(table) ?? 0;
    this.#numbers.set(table, last + count);
    return last + 1;
  }

  stamp(project: number): void {
    this.#open();
    this.stamped.add(project);
  }

  get logged(): boolean {
    return this.#entries.length > 0;
  }

  change(entry: ChangeEntry): void {
    this.#open();
    this.#entries.push(entry);
  }

  announce(project: number): void {
    this.#open();
    this.announced.add(project);
  }

  async log(entries: readonly ChangeEntry[]): Promise<void> {
    await this.insert(
      'change',
      ['sequence', 'part', 'project', 'type', 'operation', 'object', 'tags', 'actor', 'at'],
      entries.map((entry, part) => [
        this.sequence,
        part,
        entry.project,
        entry.type,
        entry.operation,
        entry.object,
        JSON.stringify(entry.tags),
        entry.actor,
        this.now,
      ]),
    );
  }

  end(): void {
    this.#ended = true;
  }

  /** A forgotten `await` in an operation must not write into somebody else's transaction. */
  #open(): Connection {
    if (this.#ended) throw new Error('The transaction has ended.');
    return this.#connection;
  }
}
