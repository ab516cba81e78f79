import { LRUCache } from 'lru-cache';
import sqlite3 from 'sqlite3';
import type { Row, Sql, SqlValue } from '../ports.ts';

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

  /** Runs a script without results: pragmas, BEGIN, COMMIT. */
  execute(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.exec(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  async all<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T[]> {
    const statement = await this.#prepare(text);
    return new Promise((resolve, reject) => {
      statement.all<T>(parameters as SqlValue[], (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  }

  async get<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T | undefined> {
    return (await this.all<T>(text, parameters))[0];
  }

  /** Answers how many rows changed. */
  async run(text: string, parameters: readonly SqlValue[] = []): Promise<number> {
    const statement = await this.#prepare(text);
    return new Promise((resolve, reject) => {
      statement.run(parameters as SqlValue[], function (error) {
        if (error) reject(error);
        else resolve(this.changes);
      });
    });
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return { text: `${column} IN (SELECT value FROM json_each(?))`, parameter: JSON.stringify(values) };
  }

  close(): Promise<void> {
    this.#statements.clear();
    return new Promise((resolve, reject) => {
      this.#database.close((error) => (error ? reject(error) : resolve()));
    });
  }

  #prepare(text: string): Promise<sqlite3.Statement> | sqlite3.Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    return new Promise((resolve, reject) => {
      const statement = this.#database.prepare(text, (error: Error | null) => {
        if (error) return reject(error);
        this.#statements.set(text, statement);
        resolve(statement);
      });
    });
  }
}
