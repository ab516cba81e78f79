import { jsonText } from '../../turns/json-bytes.ts';
import type { CompiledRows } from '../compiled-rows.ts';
import { FairQueue } from '../fair-queue.ts';
import type { ChangeEntry, CommittedChanges, Numbered, Transaction, WriteFigures } from '../ports.ts';
import { busy, type ReadScope, shuttingDown } from '../read-scope.ts';
import type { Row, SqlValue } from '../sql.ts';
import { timestamp } from '../timestamp.ts';
import type { Connection } from './connection.ts';
import { replaceDocuments } from './replace-documents.ts';

/** Transactions that may share one commit; a waiting reader of the result never waits for more than these. */
const GROUP = 64;
/** A group takes no more after so long, so that nobody's small change waits for several batches of others. */
const GROUP_MS = 100;
/** Transactions that may wait: of one share, and of all that have one. */
const WAITING_OF_SHARE = 2000;
const WAITING = 10_000;
/** What the store's closing gives the transactions that are queued. */
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
 * The one writer. Transactions run one after another, those of different shares in turns of the same length; those that queue while one runs join its commit, each
 * behind a savepoint of its own, so that under load a sync to disk is shared (group commit) and a failing
 * transaction takes nobody with it.
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
   * Runs `work` on the connection between two commits, outside any transaction. It answers what the queue is
   * to go on from, and the changes to be told.
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
    // The service's own writes have no share, and are few.
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

  /** What is queued has a moment to be done; then the rest is refused, and what runs is undone: a restore at once. */
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

  /** Ends in the same turn in which it finds the queue empty, so that no write falls between the two. */
  async #drain(): Promise<void> {
    try {
      for (;;) {
        const exclusive = this.#exclusive.shift();
        if (exclusive) await exclusive();
        else if (this.#queue.length > 0) await this.#group();
        else break;
      }
    } finally {
      this.#queue.sweep();
      this.#running = null;
    }
  }

  async #group(): Promise<void> {
    const settled: (() => void)[] = [];
    const committed: CommittedChanges[] = [];
    const failAll: ((error: unknown) => void)[] = [];
    const stamps = new Map<number, number>();
    const before = this.#sequence;
    const began = performance.now();
    let now = began;
    this.#connection.acquire(NO_LIMITS);
    try {
      // Each text is one way to libuv's pool and back, so what belongs together goes together.
      await this.#connection.execute('BEGIN IMMEDIATE; SAVEPOINT work');
      let kept = false;
      for (let done = 0; done < GROUP && now - began < GROUP_MS; done++) {
        const next = this.#queue.take(ANY);
        if (!next) break;
        failAll.push(next.entry.reject);
        this.#queue.begin(next.share);
        try {
          if (kept) await this.#connection.execute('RELEASE work; SAVEPOINT work');
          kept = await this.#one(next.entry, settled, committed, stamps);
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
      for (const fail of failAll) fail(error);
      // BEGIN itself may have failed before anything was taken from the queue.
      if (failAll.length === 0) this.#queue.take(ANY)?.entry.reject(error);
      return;
    } finally {
      this.#connection.release();
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
    const values = await jsonText(rows);
    await this.#open().run(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks} FROM json_each(?)`, [
      values,
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
    const text = await jsonText(rows);
    // Without a condition SQLite would take ON for that of a join.
    await this.#open().run(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks} FROM json_each(?) WHERE true
       ON CONFLICT (${key}) DO UPDATE SET ${values}`,
      [text],
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
