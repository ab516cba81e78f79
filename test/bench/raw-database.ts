/** A database without the product: prepared statements, one after another, and nothing else. */
import { join } from 'node:path';
import type pg from 'pg';
import sqlite3 from 'sqlite3';

export type Row = Record<string, string | number | null>;
export type Parameters = readonly (string | number | null | undefined)[];

export interface RawDatabase {
  readonly begin: string;
  /** With `?` for parameters. */
  run(text: string, parameters?: Parameters): Promise<void>;
  all(text: string, parameters?: Parameters): Promise<Row[]>;
  /** Condition with one parameter: the column is one of the numbers of a JSON array. */
  among(column: string): string;
  /** Rows of one table in one statement. */
  insert(table: string, rows: readonly Row[]): Promise<void>;
}

/** The database of a data folder. */
export async function openRawSqlite(folder: string): Promise<RawDatabase> {
  const database = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened = new sqlite3.Database(join(folder, 'headwater.db'), (error) =>
      error ? reject(error) : resolve(opened),
    );
  });
  const statements = new Map<string, sqlite3.Statement>();
  const run = (text: string, parameters: Parameters = []): Promise<void> => {
    let statement = statements.get(text);
    if (!statement) {
      statement = database.prepare(text);
      statements.set(text, statement);
    }
    return new Promise((resolve, reject) => {
      statement.run(parameters, (error) => (error ? reject(error) : resolve()));
    });
  };
  await run('PRAGMA synchronous = FULL');
  await run('PRAGMA cache_size = -65536');
  return {
    begin: 'BEGIN IMMEDIATE',
    run,
    all: (text, parameters = []) =>
      new Promise((resolve, reject) => {
        database.all<Row>(text, parameters, (error, rows) => (error ? reject(error) : resolve(rows)));
      }),
    among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {});
      if (columns.length === 0) return;
      const picks = columns.map((_, index) => `value ->> ${index}`).join(', ');
      await run(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks} FROM json_each(?)`, [
        JSON.stringify(rows.map((row) => columns.map((column) => row[column]))),
      ]);
    },
  };
}

export async function openRawPostgres(url: string): Promise<RawDatabase> {
  const { default: driver } = await import('pg');
  driver.types.setTypeParser(driver.types.builtins.INT8, Number);
  const client = new driver.Client(url);
  await client.connect();
  const names = new Map<string, Pick<pg.QueryConfig, 'name' | 'text'>>();
  const query = (text: string, parameters: Parameters = []) => {
    let statement = names.get(text);
    if (!statement) {
      let count = 0;
      statement = { name: `s${names.size}`, text: text.replaceAll('?', () => `$${++count}`) };
      names.set(text, statement);
    }
    return client.query<Row>({ ...statement, values: [...parameters] });
  };
  return {
    begin: 'BEGIN',
    async run(text, parameters) {
      await query(text, parameters);
    },
    all: async (text, parameters) => (await query(text, parameters)).rows,
    among: (column) => `${column} IN (SELECT value::bigint FROM json_array_elements_text(?::json))`,
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {}).join(', ');
      if (columns === '') return;
      await query(
        `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ?)`,
        [JSON.stringify(rows)],
      );
    },
  };
}
