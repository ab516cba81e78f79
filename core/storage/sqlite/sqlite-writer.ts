import { jsonText } from '../../turns/json-bytes.ts';
import type { CompiledRows } from '../compiled-rows.ts';
import type { TextMatches, TextPart, TextQuery, TextRow } from '../full-text.ts';
import type { ListedRows } from '../listed-rows.ts';
import type { Numbered } from '../ports.ts';
import type { Row, SqlValue } from '../sql.ts';
import { type GroupMarks, markSql, type WriteEngine } from '../write-queue.ts';
import { among } from './among.ts';
import type { Connection } from './connection.ts';
import { matching } from './full-text.ts';
import { replaceDocuments } from './replace-documents.ts';
import { replaceListed } from './replace-listed.ts';
import { replaceText } from './replace-text.ts';

/** The one writer of a file. Each text is one round trip to libuv's pool, so statements are combined. */
export class SqliteWriter implements WriteEngine {
  readonly connection: Connection;
  /** The highest number in use, by table. */
  inUse: Map<Numbered, number>;

  constructor(connection: Connection, inUse: Map<Numbered, number>) {
    this.connection = connection;
    this.inUse = inUse;
  }

  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    return this.connection.all<T>(text, parameters);
  }

  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return this.connection.get<T>(text, parameters);
  }

  run(text: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.connection.run(text, parameters);
  }

  runCounted(text: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.run(text, parameters);
  }

  async answered(): Promise<void> {}

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return matching(query, language, within);
  }

  /** One JSON parameter instead of thousands of bound values: 1 µs each, any number of them. */
  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict = '',
  ): Promise<void> {
    const picks = columns.map((_, index) => `value ->> ${index}`);
    // Without WHERE, SQLite would parse ON as that of a join.
    await this.connection.run(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks.join(', ')} FROM json_each(?) WHERE true ${conflict}`,
      [await jsonText(rows)],
    );
  }

  replaceDocuments(items: readonly number[], views: readonly number[], rows: CompiledRows): Promise<void> {
    return replaceDocuments(this.connection, items, views, rows);
  }

  replaceListed(
    items: readonly number[],
    rows: ListedRows,
    changes: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    return replaceListed(this.connection, items, rows, changes);
  }

  replaceText(rows: readonly TextRow[]): Promise<void> {
    return replaceText(this.connection, rows);
  }

  async numbers(table: Numbered, count: number): Promise<number> {
    const last = this.inUse.get(table) ?? 0;
    this.inUse.set(table, last + count);
    return last + 1;
  }

  async beginGroup(): Promise<undefined> {
    await this.connection.execute('BEGIN IMMEDIATE; SAVEPOINT work');
  }

  keepWork(): Promise<void> {
    return this.connection.execute('RELEASE work; SAVEPOINT work');
  }

  undoWork(): Promise<void> {
    return this.connection.execute('ROLLBACK TO work');
  }

  commitGroup(marks: GroupMarks): Promise<void> {
    return this.connection.execute(`${markSql(marks)}RELEASE work; COMMIT`);
  }

  undoGroup(): Promise<void> {
    return this.connection.execute('ROLLBACK').catch(() => {});
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
