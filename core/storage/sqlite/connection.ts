import { LRUCache } from 'lru-cache';
import sqlite3 from 'sqlite3';
import type { TextMatches, TextPart, TextQuery } from '../full-text.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import { TaskConnection } from '../task-connection.ts';
import { among } from './among.ts';
import { matching } from './full-text.ts';

/** Characters of the texts of cached statements; a compiled statement takes about five times its text. */
const CACHED_CHARACTERS = 2_000_000;

/**
 * One connection of the `sqlite3` driver with its prepared statements, as promises. One task at a time uses it; the
 * driver runs each statement on libuv's pool.
 *
 * Reads use `all` only: the driver's `get` does not reset the statement, which would keep the read snapshot (and so the
 * WAL) open.
 */
export class Connection extends TaskConnection implements Sql {
  readonly #database: sqlite3.Database;
  readonly #statements: LRUCache<string, sqlite3.Statement>;

  private constructor(database: sqlite3.Database) {
    super();
    this.#database = database;
    this.#statements = new LRUCache({
      max: 300,
      maxSize: CACHED_CHARACTERS,
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

  protected interrupt(): void {
    this.#database.interrupt();
  }

  /** Runs a script without results: pragmas, BEGIN, COMMIT. */
  execute(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.exec(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Runs a statement that must not be interrupted, like BEGIN. It is parsed once. */
  async control(text: string): Promise<void> {
    const statement = await this.#prepare(text);
    return new Promise((resolve, reject) => {
      statement.run((error: Error | null) => (error ? reject(error) : resolve()));
    });
  }

  async all<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T[]> {
    const statement = await this.#began(text);
    return new Promise((resolve, reject) => {
      statement.all<T>(parameters as SqlValue[], (error, rows) => {
        this.end();
        if (error) reject(this.#failure(error));
        else resolve(rows);
      });
    });
  }

  async get<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T | undefined> {
    return (await this.all<T>(text, parameters))[0];
  }

  /** @returns the number of changed rows */
  async run(text: string, parameters: readonly SqlValue[] = []): Promise<number> {
    const statement = await this.#began(text);
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, changes: number) => {
        this.end();
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

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return matching(query, language, within);
  }

  close(): Promise<void> {
    this.#statements.clear();
    return new Promise((resolve, reject) => {
      this.#database.close((error) => (error ? reject(error) : resolve()));
    });
  }

  async #began(text: string): Promise<sqlite3.Statement> {
    this.begin();
    try {
      return await this.#prepare(text);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  #failure(error: Error): Error {
    return this.reason !== null && (error as { code?: string }).code === 'SQLITE_INTERRUPT'
      ? this.reason
      : error;
  }

  #prepare(text: string): Promise<sqlite3.Statement> | sqlite3.Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    return new Promise((resolve, reject) => {
      const statement = this.#database.prepare(text, (error: Error | null) => {
        if (error) return reject(this.#failure(error));
        this.#statements.set(text, statement);
        resolve(statement);
      });
    });
  }
}
