import { randomUUID } from 'node:crypto';
import { NUMBERED_TABLES } from '../ports.ts';
import { busy } from '../read-scope.ts';
import { adoptRows, ownInstallation } from '../restored-data.ts';
import type { Sql } from '../sql.ts';
import { StorageStartError } from '../start-error.ts';
import type { PostgresConnection } from './connection.ts';
import { readCopy } from './copy-file.ts';
import { type DataTable, dataTables } from './data-tables.ts';
import { codeOf } from './database-error.ts';
import { NOTIFY_COMMIT } from './follower.ts';
import { migrateSchema } from './migrate.ts';
import type { PostgresWriter } from './postgres-writer.ts';
import { readColumnTypes, recordSet } from './row-sets.ts';

/** Where a copy is checked before it replaces the data. */
export const COPY_SCHEMA = 'headwater_copy';
/** "HDCP": key of the lock of one restore. */
const LOCK = 0x48444350;
/** Its only row is the lock of the writers of all processes. */
const LOCKED = 'installation';

/**
 * Writes the rows of a copy into a schema of their own and migrates them.
 * @throws StorageStartError for a file that is no copy, is damaged or newer
 */
export async function stageCopy(
  connection: PostgresConnection,
  file: string,
  check?: (copy: Sql) => Promise<void>,
): Promise<void> {
  const locked = await connection.get<{ locked: number }>('SELECT pg_try_advisory_lock(?) AS locked', [LOCK]);
  if (locked?.locked !== 1) throw busy();
  const copy = await readCopy(file);
  await connection.execute(
    `DROP SCHEMA IF EXISTS ${COPY_SCHEMA} CASCADE; CREATE SCHEMA ${COPY_SCHEMA}; SET search_path = ${COPY_SCHEMA}`,
  );
  await migrateSchema(connection, `The copy ${file}`, { schema: COPY_SCHEMA, upTo: copy.migrations });
  const types = await readColumnTypes(connection);
  const missing = new Set((await dataTables(connection)).map(({ name }) => name));
  for await (const { table, rows } of copy.batches()) {
    const { name, columns } = table;
    missing.delete(name);
    if (!columns.every((column) => types.has(`${name}.${column}`)))
      throw new StorageStartError(`${file} does not have the tables of this version.`);
    // The migrations themselves may have written rows.
    await connection
      .run(
        `INSERT INTO ${name} (${columns.join(', ')}) ${recordSet(types, name, columns, '?')} ON CONFLICT DO NOTHING`,
        [rows],
      )
      .catch((error: unknown) => {
        throw codeOf(error).startsWith('22') || codeOf(error).startsWith('23')
          ? new StorageStartError(`${file} is damaged; it has rows that cannot be stored.`, error)
          : error;
      });
  }
  if (missing.size > 0) throw new StorageStartError(`${file} does not have the tables of this version.`);
  await migrateSchema(connection, `The copy ${file}`, { schema: COPY_SCHEMA });
  const rows = await connection.all('SELECT sequence FROM installation');
  if (rows.length !== 1) throw new StorageStartError(`${file} holds no installation.`);
  await check?.(connection);
}

/** Replaces all rows by those of the staged copy, in one commit. @returns the state after it */
export async function replaceRows({ connection: writer }: PostgresWriter) {
  await writer.execute('BEGIN');
  try {
    const before = await writer.get<{ sequence: number }>(
      'SELECT sequence FROM installation WHERE id = 1 FOR UPDATE',
    );
    const own = await ownInstallation(writer);
    const copied = await writer.get<{ sequence: number }>(`SELECT sequence FROM ${COPY_SCHEMA}.installation`);
    const tables = await dataTables(writer);
    for (const { name } of [...tables].reverse())
      if (name !== LOCKED) await writer.run(`DELETE FROM ${name}`);
    for (const table of tables)
      await writer.run(table.name === LOCKED ? updateLocked(table) : insertCopied(table));
    // Higher than any sequence before, so that everything cached by sequence is out of date.
    const sequence = Math.max(before?.sequence ?? 0, copied?.sequence ?? 0) + 1;
    const epoch = randomUUID();
    await adoptRows(writer, own, { sequence, epoch });
    await raiseNumbers(writer);
    await writer.execute(`${NOTIFY_COMMIT}COMMIT`);
    return { sequence, epoch };
  } catch (error) {
    await writer.execute('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Writers of other processes that wait for the row get the lock of the same row, not of one that was deleted. */
function updateLocked({ name, columns }: DataTable): string {
  const list = columns.join(', ');
  return `UPDATE ${name} SET (${list}) = (SELECT ${list} FROM ${COPY_SCHEMA}.${name})`;
}

function insertCopied({ name, columns }: DataTable): string {
  const list = columns.join(', ');
  return `INSERT INTO ${name} (${list}) SELECT ${list} FROM ${COPY_SCHEMA}.${name}`;
}

/** Lets the sequences continue after the highest number in use. */
async function raiseNumbers(writer: PostgresConnection): Promise<void> {
  for (const table of NUMBERED_TABLES) await raise(writer, table, `SELECT max(number) AS top FROM ${table}`);
  await raise(
    writer,
    'field',
    'SELECT max(f.value::bigint) AS top FROM content_type t, json_each_text(t.fields::json) f',
  );
}

async function raise(writer: PostgresConnection, name: string, top: string): Promise<void> {
  await writer.run(
    `SELECT setval('number_of_${name}', greatest(n.last_value, t.top)) FROM number_of_${name} n, (${top}) t`,
  );
}
