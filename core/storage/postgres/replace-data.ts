import { randomUUID } from 'node:crypto';
import { StartError } from '../../../config/start-error.ts';
import { DERIVED_TABLES } from '../listed-rows.ts';
import { type CommitState, type Integrity, NUMBERED_TABLES } from '../ports.ts';
import { Busy } from '../read-scope.ts';
import { adoptRows, ownInstallation } from '../restored-data.ts';
import type { Sql } from '../sql.ts';
import { copiedRows } from '../sqlite/copied-rows.ts';
import { type CopiedTable, dataTables as copiedTables } from '../sqlite/data-tables.ts';
import { checkFile, startError } from '../sqlite/open-sqlite.ts';
import { checkCopy, withCopy } from '../sqlite/replace-data.ts';
import { comparedTables, type TableDigests } from '../table-digests.ts';
import type { DataTable } from '../table-rows.ts';
import type { PostgresConnection } from './connection.ts';
import { dataTables } from './data-tables.ts';
import { codeOf } from './database-error.ts';
import { NOTIFY_COMMIT } from './follower.ts';
import { refuseNewerSchema } from './migrate.ts';

/** "HDCP": key of the lock of one restore. */
const LOCK = 0x48444350;
/** Its only row is the lock of the writers of all processes. */
const LOCKED = 'installation';

/**
 * Checks a copy, then runs `work`, while no other restore runs.
 * @throws StartError for a file that is no copy, is damaged or newer
 */
export async function withCheckedCopy(
  connection: PostgresConnection,
  file: string,
  closing: AbortSignal,
  work: (copy: Sql) => Promise<void>,
  integrity?: Integrity,
): Promise<void> {
  const locked = await connection.get<{ locked: number }>('SELECT pg_try_advisory_lock(?) AS locked', [LOCK]);
  if (locked?.locked !== 1) throw new Busy();
  await refuseNewerSchema(connection);
  await checkCopyFile(file, closing, integrity);
  const tables = await dataTables(connection);
  await withCopy(file, closing, async (copy) => {
    // All tables are of one state; the end of the connection ends it.
    await copy.execute('BEGIN');
    requireTables(file, tables, await copiedTables(copy));
    await work(copy);
  });
}

async function checkCopyFile(file: string, closing: AbortSignal, integrity?: Integrity): Promise<void> {
  try {
    await checkFile(file);
    await checkCopy(file, null, closing, integrity);
  } catch (error) {
    throw startError(error, file);
  }
}

function requireTables(file: string, tables: readonly DataTable[], copied: readonly DataTable[]): void {
  const shape = (of: readonly DataTable[]) =>
    of.map(({ name, columns, key }) => `${name}: ${[...columns].sort()}, ${key}`).sort();
  if (JSON.stringify(shape(tables)) !== JSON.stringify(shape(copied)))
    throw new StartError(`${file} does not have the tables of this version.`);
}

/**
 * Replaces all rows by those of a checked copy, in one commit. Writers of all processes wait meanwhile.
 * @param digests gets those of the rows
 * @returns the state after it
 * @throws StartError for rows that cannot be stored
 */
export async function replaceRows(
  connection: PostgresConnection,
  copy: Sql,
  file: string,
  digests?: TableDigests,
): Promise<CommitState> {
  await connection.execute(
    // The copy has the counts of blocks.
    `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = 0;
      SET LOCAL headwater.blocks = on`,
  );
  try {
    const before = await connection.get<{ sequence: number }>(
      'SELECT sequence FROM installation WHERE id = 1 FOR UPDATE',
    );
    const own = await ownInstallation(connection);
    const tables = await dataTables(connection);
    for (const { name } of [...tables].reverse())
      if (name !== LOCKED) await connection.run(`DELETE FROM ${name}`);
    // Triggers mark the items and assets that are inserted, and a job lists them.
    for (const name of DERIVED_TABLES) await connection.run(`DELETE FROM ${name}`);
    const inCopy = await copiedTables(copy);
    for (const { name } of tables) {
      const table = inCopy.find((one) => one.name === name);
      if (table) await copyRows(connection, copy, table, digests).catch(rethrown(file));
    }
    const copied = await connection.get<{ sequence: number }>(`SELECT sequence FROM ${LOCKED}`);
    // Higher than any sequence before, so that everything cached by sequence is out of date.
    const sequence = Math.max(before?.sequence ?? 0, copied?.sequence ?? 0) + 1;
    const epoch = randomUUID();
    await adoptRows(connection, own, { sequence, epoch });
    await raiseNumbers(connection);
    await connection.execute(`${NOTIFY_COMMIT}COMMIT`);
    return { sequence, epoch };
  } catch (error) {
    await connection.execute('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function copyRows(
  connection: PostgresConnection,
  copy: Sql,
  table: CopiedTable,
  digests: TableDigests | undefined,
): Promise<void> {
  const { name } = table;
  const [compared] = digests ? comparedTables([table]) : [];
  const add = compared && digests?.begin(name);
  // Rows that are compared as they are written are read once.
  const isWhole = compared?.columns.length === table.columns.length;
  const { columns } = isWhole ? compared : table;
  if (name === LOCKED) await updateLocked(connection, copy, table);
  else
    await connection.copyFrom(
      `COPY ${name} (${columns.join(', ')}) FROM STDIN`,
      copiedRows(copy, { ...table, columns }, isWhole ? add : undefined),
    );
  if (compared && !isWhole) for await (const _ of copiedRows(copy, compared, add));
}

/** Writers of other processes that wait for the row get the lock of the same row, not of one that was deleted. */
async function updateLocked(
  connection: PostgresConnection,
  copy: Sql,
  { name, columns }: DataTable,
): Promise<void> {
  const row = await copy.get(`SELECT ${columns.join(', ')} FROM ${name}`);
  await connection.run(
    `UPDATE ${name} SET ${columns.map((column) => `${column} = ?`).join(', ')}`,
    columns.map((column) => row?.[column] ?? null),
  );
}

function rethrown(file: string): (error: unknown) => never {
  return (error) => {
    throw codeOf(error).startsWith('22') || codeOf(error).startsWith('23')
      ? new StartError(`${file} is damaged; it has rows that cannot be stored.`, { cause: error })
      : error;
  };
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
