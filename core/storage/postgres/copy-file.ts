/**
 * The file of a copy: lines of JSON. The first names the migrations that the data have; a line `{"table","columns"}`
 * begins a table, whose rows follow as arrays; the last has their number.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { StorageStartError } from '../start-error.ts';
import type { PostgresConnection } from './connection.ts';
import { type DataTable, dataTables } from './data-tables.ts';

const FORMAT = 'headwater copy 1';
/** Rows that are read or written at once. */
const ROWS = 1000;
/** Characters after which a batch is complete. */
const BATCH = 4_000_000;

/** Writes one state of all data into a new file, and flushes it. */
export async function writeCopy(connection: PostgresConnection, file: string): Promise<void> {
  // It contains secrets of webhooks.
  const output = createWriteStream(file, { mode: 0o600, flags: 'wx' });
  const write = async (line: string) => {
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  };
  await connection.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const migrations = await connection.all<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id');
    await write(JSON.stringify({ format: FORMAT, migrations: migrations.map(({ name }) => name) }));
    let count = 0;
    for (const table of await dataTables(connection)) {
      await write(JSON.stringify({ table: table.name, columns: table.columns }));
      for await (const row of rowsOf(connection, table)) {
        await write(row);
        count++;
      }
    }
    await write(JSON.stringify({ rows: count }));
  } finally {
    await connection.execute('ROLLBACK');
    output.end();
    await once(output, 'close');
  }
  const handle = await open(file, 'r');
  await handle.sync().finally(() => handle.close());
}

async function* rowsOf(connection: PostgresConnection, { name, columns }: DataTable): AsyncGenerator<string> {
  await connection.run(
    `DECLARE copied CURSOR FOR SELECT json_build_array(${columns.join(', ')})::text AS row FROM ${name}`,
  );
  for (;;) {
    const rows = await connection.all<{ row: string }>(`FETCH ${ROWS} FROM copied`);
    if (rows.length === 0) break;
    for (const { row } of rows) yield row;
  }
  await connection.run('CLOSE copied');
}

export interface CopyContent {
  readonly migrations: readonly string[];
  /** JSON arrays of rows; the file is complete once the last one was read. */
  batches(): AsyncGenerator<{ readonly table: DataTable; readonly rows: string }>;
}

/** @throws StorageStartError for a file that is no copy, or is damaged */
export async function readCopy(file: string): Promise<CopyContent> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  const next = lines[Symbol.asyncIterator]();
  const first = await next.next();
  const head = first.done ? undefined : parsed(first.value);
  if (head?.['format'] !== FORMAT || !Array.isArray(head['migrations'])) {
    lines.close();
    throw new StorageStartError(`${file} is not a copy of data from PostgreSQL.`);
  }
  return { migrations: head['migrations'], batches: () => batches(file, next) };
}

async function* batches(
  file: string,
  lines: AsyncIterator<string>,
): AsyncGenerator<{ readonly table: DataTable; readonly rows: string }> {
  const damaged = () => new StorageStartError(`${file} is damaged; it is not complete.`);
  let table: DataTable | undefined;
  let waiting: string[] = [];
  let length = 0;
  let count = 0;
  const batch = (of: DataTable) => {
    const rows = `[${waiting.join(',')}]`;
    waiting = [];
    length = 0;
    return { table: of, rows };
  };
  for (;;) {
    const { value: line, done } = await lines.next();
    if (done) throw damaged();
    if (line.startsWith('[')) {
      if (!table) throw damaged();
      waiting.push(line);
      length += line.length;
      count++;
      if (waiting.length >= ROWS || length >= BATCH) yield batch(table);
      continue;
    }
    if (table && waiting.length > 0) yield batch(table);
    const mark = parsed(line);
    if (mark?.['rows'] === count) return;
    if (typeof mark?.['table'] !== 'string' || !Array.isArray(mark['columns'])) throw damaged();
    table = { name: mark['table'], columns: mark['columns'] };
    // A table without rows too, so that the caller sees all of them.
    yield batch(table);
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
