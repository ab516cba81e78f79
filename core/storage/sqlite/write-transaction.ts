import { jsonText } from '../../turns/json-bytes.ts';
import type { CompiledRows } from '../compiled-rows.ts';
import type { ChangeEntry, Numbered, Transaction } from '../ports.ts';
import type { Row, SqlValue } from '../sql.ts';
import type { Connection } from './connection.ts';
import { replaceDocuments } from './replace-documents.ts';

/** One transaction on the writer's connection; unusable once it has ended. */
export class WriteTransaction implements Transaction {
  readonly sequence: number;
  readonly now: string;
  readonly #connection: Connection;
  readonly #numbers: Map<Numbered, number>;
  readonly #entries: ChangeEntry[];
  /** Storage numbers of the projects that get this transaction's sequence. */
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

  /** One JSON parameter instead of thousands of bound values: 1 µs each, any number of them. */
  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.#open().run(insertFrom(table, columns), [await jsonText(rows)]);
  }

  async upsert(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    if (rows.length === 0) return;
    const values = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    // Without WHERE, SQLite would parse ON as that of a join.
    await this.#open().run(
      `${insertFrom(table, columns)} WHERE true ON CONFLICT (${key}) DO UPDATE SET ${values}`,
      [await jsonText(rows)],
    );
  }

  async addCounts(
    table: string,
    key: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.#open().run(
      `${insertFrom(table, [...key, 'count'])} WHERE true ON CONFLICT (${key.join(', ')})
       DO UPDATE SET count = ${table}.count + excluded.count`,
      [await jsonText(rows)],
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

  /** A forgotten `await` in an operation must not write into the next transaction. */
  #open(): Connection {
    if (this.#ended) throw new Error('The transaction has ended.');
    return this.#connection;
  }
}

/** Takes the rows as one JSON parameter. */
function insertFrom(table: string, columns: readonly string[]): string {
  const picks = columns.map((_, index) => `value ->> ${index}`);
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks.join(', ')} FROM json_each(?)`;
}
