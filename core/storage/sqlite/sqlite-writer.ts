import { jsonText } from '../../turns/json-bytes.ts';
import type { CompiledRows } from '../compiled-rows.ts';
import type { TextMatches, TextPart, TextQuery, TextRow } from '../full-text.ts';
import type { ListedRows } from '../listed-rows.ts';
import type { Numbered } from '../ports.ts';
import { type Block, type BlockChange, changeBlocksSql } from '../resolved-blocks.ts';
import type { Row, SqlValue } from '../sql.ts';
import { type GroupMarks, markSql } from '../write-group.ts';
import type { WriteEngine } from '../write-queue.ts';
import { among, rowsAsText } from './among.ts';
import type { Connection } from './connection.ts';
import { matching } from './full-text.ts';
import { replaceDocuments } from './replace-documents.ts';
import { replaceListed } from './replace-listed.ts';
import { replaceText } from './replace-text.ts';
import { rowsParameters, rowsSql } from './rows-parameters.ts';

/** Characters, and bytes, of parameters that wait for their statements. */
const MOST_BACKLOG = 4_000_000;

/**
 * The one writer of a file. Each text is one round trip to libuv's pool, so statements are combined. One without a result
 * runs beside the main thread, which prepares the next one meanwhile.
 */
export class SqliteWriter implements WriteEngine {
  readonly connection: Connection;
  /** The highest number in use, by table. */
  inUse: Map<Numbered, number>;
  /** Ends with the last statement whose result is not waited for. */
  #last: Promise<void> = Promise.resolve();
  #backlog = 0;
  /** Of the open transaction; the first one of a group is undone with the group. */
  #hasSavepoint = false;
  /** Of the first such statement of the transaction that failed; those after it do not run. */
  #failure: { readonly error: unknown } | null = null;

  constructor(connection: Connection, inUse: Map<Numbered, number>) {
    this.connection = connection;
    this.inUse = inUse;
  }

  async all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    await this.answered();
    return this.connection.all<T>(text, parameters);
  }

  async get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return (await this.all<T>(text, parameters))[0];
  }

  run(text: string, parameters?: readonly SqlValue[]): Promise<void> {
    return this.#send(() => this.connection.run(text, parameters), parameters);
  }

  async runCounted(text: string, parameters?: readonly SqlValue[]): Promise<number> {
    await this.answered();
    return this.connection.run(text, parameters);
  }

  async answered(): Promise<void> {
    await this.#last;
    if (this.#failure) throw this.#failure.error;
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  rowsAsText(columns: readonly string[], from: string): string {
    return rowsAsText(columns, from);
  }

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return matching(query, language, within);
  }

  /**
   * A JSON parameter, and one of long texts, instead of thousands of bound values: 1 µs each, any number of them. `jsonb_each`
   * reads a row without writing it as text again: 21 instead of 35 µs for the index rows of an item.
   */
  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict = '',
  ): Promise<void> {
    // Without WHERE, SQLite would parse ON as that of a join.
    await this.run(
      `INSERT INTO ${table} (${columns.join(', ')}) ${rowsSql(table, columns, '?1', '?2')} WHERE true ${conflict}`,
      await rowsParameters(table, columns, rows),
    );
  }

  replaceDocuments(items: readonly number[], views: readonly number[], rows: CompiledRows): Promise<void> {
    return replaceDocuments(this, items, views, rows);
  }

  async changeBlocks(rows: readonly BlockChange[]): Promise<Block[]> {
    const picks = ['view', 'type', 'codename', 'change'].map(
      (name, index) => `value ->> ${index} AS ${name}`,
    );
    return this.all(changeBlocksSql(`SELECT ${picks.join(', ')} FROM jsonb_each(?)`), [await jsonText(rows)]);
  }

  replaceListed(
    items: readonly number[],
    rows: ListedRows,
    changes: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    return replaceListed(this, items, rows, changes);
  }

  replaceText(rows: readonly TextRow[]): Promise<void> {
    return replaceText(this, rows);
  }

  async numbers(table: Numbered, count: number): Promise<number> {
    const last = this.inUse.get(table) ?? 0;
    this.inUse.set(table, last + count);
    return last + 1;
  }

  /**
   * The first transaction of a group, mostly the only one, has no savepoint: SQLite would copy each page that it changes, which
   * was 5 % of the time of its thread.
   */
  async beginGroup(): Promise<undefined> {
    this.#hasSavepoint = false;
    await this.connection.control('BEGIN IMMEDIATE');
  }

  keepWork(): Promise<void> {
    const text = this.#hasSavepoint ? 'RELEASE work; SAVEPOINT work' : 'SAVEPOINT work';
    this.#hasSavepoint = true;
    return this.#send(() => this.connection.execute(text));
  }

  async undoWork(): Promise<void> {
    await this.#last;
    this.#failure = null;
    await this.connection.execute(this.#hasSavepoint ? 'ROLLBACK TO work' : 'ROLLBACK; BEGIN IMMEDIATE');
  }

  async commitGroup(marks: GroupMarks): Promise<void> {
    await this.answered();
    await this.connection.execute(`${markSql(marks)}COMMIT`);
  }

  async undoGroup(): Promise<void> {
    await this.#last;
    this.#failure = null;
    await this.connection.execute('ROLLBACK').catch(() => {});
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Runs a statement after those before it. Waits for it only where much is under way. */
  async #send(statement: () => Promise<unknown>, parameters: readonly SqlValue[] = []): Promise<void> {
    const size = parameters.reduce<number>(
      (sum, value) => sum + (value === null || typeof value === 'number' ? 0 : value.length),
      0,
    );
    this.#backlog += size;
    this.#last = this.#after(this.#last, statement, size);
    if (this.#backlog > MOST_BACKLOG) await this.answered();
  }

  async #after(before: Promise<void>, statement: () => Promise<unknown>, size: number): Promise<void> {
    await before;
    try {
      if (this.#failure === null) await statement();
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#backlog -= size;
    }
  }
}
