import type { CompiledRows } from './compiled-rows.ts';
import type { TextMatches, TextPart, TextQuery, TextRow } from './full-text.ts';
import { type ListedRows, listedPieces } from './listed-rows.ts';
import { refuseNullCharacters } from './null-character.ts';
import type { ChangeEntry, Numbered, Transaction } from './ports.ts';
import { type Block, type BlockChange, fitBlock } from './resolved-blocks.ts';
import type { Row, Sql, SqlValue } from './sql.ts';

export const LOG_COLUMNS = [
  'sequence',
  'part',
  'project',
  'type',
  'operation',
  'object',
  'tags',
  'actor',
  'at',
] as const;

/** The statements of an adapter's writer. */
export interface Writer extends Sql {
  /** May resolve before the statement ended, like the ones below: an error is that of a later statement, or of `answered`. */
  run(text: string, parameters?: readonly SqlValue[]): Promise<unknown>;
  runCounted(text: string, parameters?: readonly SqlValue[]): Promise<number>;
  rowsAsText: Transaction['rowsAsText'];
  /** Inserts rows; `conflict` is an `ON CONFLICT` clause. */
  insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict?: string,
  ): Promise<void>;
  replaceDocuments(items: readonly number[], views: readonly number[], rows: CompiledRows): Promise<void>;
  /** Replaces the rows of items in lists, and appends rows to the change log. */
  replaceListed(
    items: readonly number[],
    rows: ListedRows,
    changes: readonly (readonly SqlValue[])[],
  ): Promise<void>;
  replaceText(rows: readonly TextRow[]): Promise<void>;
  /** @returns the blocks with their new counts */
  changeBlocks(rows: readonly BlockChange[]): Promise<readonly Block[]>;
  numbers(table: Numbered, count: number): Promise<number>;
  /** Resolves when all statements of the transaction have ended. @throws the error of the first that failed */
  answered(): Promise<void>;
}

/** One transaction on the writer's connection; unusable once it has ended. */
export class WriteTransaction implements Transaction {
  readonly sequence: number;
  readonly now: string;
  readonly #writer: Writer;
  /** Rows of the change log, which the group writes. */
  readonly logRows: SqlValue[][] = [];
  readonly entries: ChangeEntry[] = [];
  /** Storage numbers of the projects that get this transaction's sequence. */
  readonly stamped = new Set<number>();
  readonly announced = new Set<number>();
  /** By item, which the group writes; null: written. */
  readonly listed = new Map<number, ListedRows | null>();
  /** Storage numbers of the projects whose items a job lists. */
  readonly listedAgain = new Set<number>();
  #ended = false;
  /** Of the first statement that failed. */
  #failure: { readonly error: unknown } | null = null;

  constructor(writer: Writer, sequence: number, now: string) {
    this.#writer = writer;
    this.sequence = sequence;
    this.now = now;
  }

  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    return this.#run((writer) => {
      refuseNullCharacters(parameters);
      return writer.all<T>(text, parameters);
    });
  }

  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return this.#run((writer) => {
      refuseNullCharacters(parameters);
      return writer.get<T>(text, parameters);
    });
  }

  run(text: string, parameters?: readonly SqlValue[]): Promise<unknown> {
    return this.#run((writer) => {
      refuseNullCharacters(parameters);
      return writer.run(text, parameters);
    });
  }

  runCounted(text: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.#run((writer) => {
      refuseNullCharacters(parameters);
      return writer.runCounted(text, parameters);
    });
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return this.#writer.among(column, values);
  }

  rowsAsText(columns: readonly string[], from: string): string {
    return this.#writer.rowsAsText(columns, from);
  }

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return this.#writer.matching(query, language, within);
  }

  insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict?: string,
  ): Promise<void> {
    return this.#run(async (writer) => {
      if (rows.length === 0) return;
      for (const row of rows) refuseNullCharacters(row);
      await writer.insert(table, columns, rows, conflict);
    });
  }

  upsert(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    changed = columns.filter((column) => !key.split(', ').includes(column)),
  ): Promise<void> {
    const values = changed.map((column) => `${column} = excluded.${column}`).join(', ');
    return this.insert(table, columns, rows, `ON CONFLICT (${key}) DO UPDATE SET ${values}`);
  }

  addCounts(table: string, key: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void> {
    return this.insert(
      table,
      [...key, 'count'],
      rows,
      `ON CONFLICT (${key.join(', ')}) DO UPDATE SET count = ${table}.count + excluded.count`,
    );
  }

  replaceDocuments(items: readonly number[], views: readonly number[], rows: CompiledRows): Promise<void> {
    return this.#run((writer) => writer.replaceDocuments(items, views, rows));
  }

  async changeBlocks(rows: readonly BlockChange[]): Promise<void> {
    if (rows.length === 0) return;
    for (const block of await this.#run((writer) => writer.changeBlocks(rows))) await fitBlock(this, block);
  }

  list(item: number, rows: ListedRows): void {
    this.#open();
    this.listed.set(item, rows);
  }

  async writeListed(): Promise<void> {
    for (const { items, rows } of listedPieces(this.listed)) {
      await this.#run((writer) => writer.replaceListed(items, rows, []));
      for (const item of items) this.listed.set(item, null);
    }
  }

  replaceText(rows: readonly TextRow[]): Promise<void> {
    return this.#run((writer) => writer.replaceText(rows));
  }

  listAgain(project: number): void {
    this.#open();
    this.listedAgain.add(project);
  }

  numbers(table: Numbered, count = 1): Promise<number> {
    return this.#run((writer) => writer.numbers(table, count));
  }

  stamp(project: number): void {
    this.#open();
    this.stamped.add(project);
  }

  get logged(): boolean {
    return this.entries.length > 0;
  }

  change(entry: ChangeEntry): void {
    this.#open();
    const { project, type, operation, object, tags, actor } = entry;
    const part = this.entries.push(entry) - 1;
    this.logRows.push([
      this.sequence,
      part,
      project,
      type,
      operation,
      object,
      JSON.stringify(tags),
      actor,
      this.now,
    ]);
  }

  announce(project: number): void {
    this.#open();
    this.announced.add(project);
  }

  /** @throws the error of a statement that failed, also if the operation caught it */
  async finish(): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    for (const row of this.logRows) refuseNullCharacters(row);
    await this.#writer.answered();
  }

  end(): void {
    this.#ended = true;
  }

  async #run<T>(statement: (writer: Writer) => Promise<T>): Promise<T> {
    const writer = this.#open();
    try {
      return await statement(writer);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /**
   * A forgotten `await` in an operation must not write into the next transaction, and an operation must not continue
   * after a statement that failed: PostgreSQL refuses that, and SQLite would keep the rest.
   */
  #open(): Writer {
    if (this.#ended) throw new Error('The transaction has ended.');
    if (this.#failure) throw this.#failure.error;
    return this.#writer;
  }
}
