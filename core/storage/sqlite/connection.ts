import { LRUCache } from 'lru-cache';
import sqlite3 from 'sqlite3';
import { cancelled, pastDeadline, type ReadScope, type WorkEnded } from '../read-scope.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import { among } from './among.ts';

/** Of the texts of kept statements; a compiled one takes some five times its text. */
const KEPT_CHARACTERS = 2_000_000;

/**
 * One connection of the `sqlite3` driver with its prepared statements, as promises. Used by one task at a
 * time; the driver runs each statement on libuv's pool.
 *
 * Only `all` is used for reading: the driver's `get` leaves the statement un-reset, which would hold the
 * read snapshot (and so the WAL) open.
 */
export class Connection implements Sql {
  readonly #database: sqlite3.Database;
  readonly #statements: LRUCache<string, sqlite3.Statement>;
  /** Of the task that has the connection. */
  #scope: ReadScope | null = null;
  /** Why the task has to end. */
  #reason: WorkEnded | null = null;
  /** Statements under way, and when that was first noticed; 0 = not yet. */
  #running = 0;
  #since = 0;

  private constructor(database: sqlite3.Database) {
    this.#database = database;
    this.#statements = new LRUCache({
      max: 300,
      maxSize: KEPT_CHARACTERS,
      sizeCalculation: (_, text) => text.length,
      dispose: (statement) => statement.finalize(),
    });
  }

  static open(file: string, options: { readonly readOnly: boolean }): Promise<Connection> {
    const mode = options.readOnly
      ? sqlite3.OPEN_READONLY
      : sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE | sqlite3.OPEN_FULLMUTEX;
    return new Promise((resolve, reject) => {
      const database = new sqlite3.Database(file, mode, (error) => {
        if (error) reject(error);
        else resolve(new Connection(database));
      });
    });
  }

  /** The connection is somebody's from now on. */
  acquire(scope: ReadScope): void {
    this.#scope = scope;
    this.#reason = null;
  }

  /**
   * Nobody's any more; no statement runs by then: the driver has COMMIT wait for those before it.
   * @returns why its task was ended early, if it was
   */
  release(): WorkEnded | null {
    const reason = this.#reason;
    this.#scope = null;
    this.#reason = null;
    return reason;
  }

  /** The task has to end: what runs is interrupted, and nothing begins any more. */
  cancel(reason: WorkEnded): void {
    if (this.#scope === null) return;
    this.#reason ??= reason;
    this.#interrupt();
  }

  /**
   * Ends the task if its caller is gone or its statement takes too long. To be called again and again: an interrupt
   * that comes before the statement has begun on libuv's pool has no effect.
   */
  check(now: number): void {
    const scope = this.#scope;
    if (scope === null) return;
    if (this.#reason === null) {
      const { signal, statementMilliseconds: most } = scope;
      if (this.#running > 0 && this.#since === 0) this.#since = now;
      if (signal?.aborted) this.#reason = cancelled();
      else if (most != null && this.#running > 0 && now - this.#since >= most)
        this.#reason = pastDeadline(most);
      else return;
    }
    this.#interrupt();
  }

  /** BEGIN and COMMIT are no statements in this sense: a snapshot whose end was interrupted would stay open. */
  #interrupt(): void {
    if (this.#running > 0) this.#database.interrupt();
  }

  /** Runs a script without results: pragmas, BEGIN, COMMIT. */
  execute(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.exec(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  async all<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T[]> {
    this.#begin();
    const statement = await this.#prepare(text);
    return new Promise((resolve, reject) => {
      statement.all<T>(parameters as SqlValue[], (error, rows) => {
        this.#running--;
        if (error) reject(this.#failure(error));
        else resolve(rows);
      });
    });
  }

  async get<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T | undefined> {
    return (await this.all<T>(text, parameters))[0];
  }

  /** Answers how many rows changed. */
  async run(text: string, parameters: readonly SqlValue[] = []): Promise<number> {
    this.#begin();
    const statement = await this.#prepare(text);
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, changes: number) => {
        this.#running--;
        if (error) reject(this.#failure(error));
        else resolve(changes);
      };
      statement.run(parameters as SqlValue[], function (error) {
        done(error, this.changes);
      });
    });
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  close(): Promise<void> {
    this.#statements.clear();
    return new Promise((resolve, reject) => {
      this.#database.close((error) => (error ? reject(error) : resolve()));
    });
  }

  #begin(): void {
    if (this.#reason !== null) throw this.#reason;
    if (this.#running++ === 0) this.#since = 0;
  }

  #failure(error: Error): Error {
    return this.#reason !== null && (error as { code?: string }).code === 'SQLITE_INTERRUPT'
      ? this.#reason
      : error;
  }

  #prepare(text: string): Promise<sqlite3.Statement> | sqlite3.Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    return new Promise((resolve, reject) => {
      const statement = this.#database.prepare(text, (error: Error | null) => {
        if (error) {
          this.#running--;
          return reject(this.#failure(error));
        }
        this.#statements.set(text, statement);
        resolve(statement);
      });
    });
  }
}
