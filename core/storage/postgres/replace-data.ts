import { randomUUID } from 'node:crypto';
import { NUMBERED_TABLES } from '../ports.ts';
import { busy } from '../read-scope.ts';
import { adoptRows, ownInstallation } from '../restored-data.ts';
import type { Sql } from '../sql.ts';
import { dataTables as copiedTables } from '../sqlite/data-tables.ts';
import { checkFile, startError } from '../sqlite/open-sqlite.ts';
import { checkCopy, withCopy } from '../sqlite/replace-data.ts';
import { StorageStartError } from '../start-error.ts';
import { type DataTable, pagesOf } from '../table-rows.ts';
import type { PostgresConnection } from './connection.ts';
import { dataTables } from './data-tables.ts';
import { codeOf } from './database-error.ts';
import { NOTIFY_COMMIT } from './follower.ts';
import { migrateSchema, refuseNewerSchema } from './migrate.ts';
import type { PostgresWriter } from './postgres-writer.ts';
import { readColumnTypes, recordSet } from './row-sets.ts';

/** Where a copy is checked before it replaces the data. */
export const COPY_SCHEMA = 'headwater_copy';
/** "HDCP": key of the lock of one restore. */
const LOCK = 0x48444350;
/** Its only row is the lock of the writers of all processes. */
const LOCKED = 'installation';

/**
 * Writes the rows of a copy into a schema of their own.
 * @throws StorageStartError for a file that is no copy, is damaged or newer
 */
export async function stageCopy(
  connection: PostgresConnection,
  file: string,
  closing: AbortSignal,
  check?: (copy: Sql) => Promise<void>,
): Promise<void> {
  const locked = await connection.get<{ locked: number }>('SELECT pg_try_advisory_lock(?) AS locked', [LOCK]);
  if (locked?.locked !== 1) throw busy();
  await refuseNewerSchema(connection);
  await checkCopyFile(file, closing);
  await connection.execute(
    `DROP SCHEMA IF EXISTS ${COPY_SCHEMA} CASCADE; CREATE SCHEMA ${COPY_SCHEMA}; SET search_path = ${COPY_SCHEMA}`,
  );
  await migrateSchema(connection, `The copy ${file}`, { schema: COPY_SCHEMA });
  const types = await readColumnTypes(connection);
  const tables = await dataTables(connection);
  await withCopy(file, closing, async (copy) => {
    requireTables(file, tables, await copiedTables(copy));
    await check?.(copy);
    // The migrations themselves may have written rows.
    for (const { name, columns, key } of tables)
      for await (const page of pagesOf(copy, { name, columns, key }, [`json_array(${columns.join(', ')})`]))
        await connection
          .run(
            `INSERT INTO ${name} (${columns.join(', ')}) ${recordSet(types, name, columns, '?')} ON CONFLICT DO NOTHING`,
            [`[${page.join(',')}]`],
          )
          .catch((error: unknown) => {
            throw codeOf(error).startsWith('22') || codeOf(error).startsWith('23')
              ? new StorageStartError(`${file} is damaged; it has rows that cannot be stored.`, error)
              : error;
          });
  });
}

async function checkCopyFile(file: string, closing: AbortSignal): Promise<void> {
  try {
    await checkFile(file);
    await checkCopy(file, null, closing);
  } catch (error) {
    throw startError(error, file);
  }
}

function requireTables(file: string, tables: readonly DataTable[], copied: readonly DataTable[]): void {
  const shape = (of: readonly DataTable[]) =>
    of.map(({ name, columns, key }) => `${name}: ${[...columns].sort()}, ${key}`).sort();
  if (JSON.stringify(shape(tables)) !== JSON.stringify(shape(copied)))
    throw new StorageStartError(`${file} does not have the tables of this version.`);
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
