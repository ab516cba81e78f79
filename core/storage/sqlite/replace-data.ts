import { chmod } from 'node:fs/promises';
import { StartError } from '../../../config/start-error.ts';
import { IS_NOT_DERIVED } from '../listed-rows.ts';
import type { CommitState, Integrity, Numbered } from '../ports.ts';
import { adoptRows, ownInstallation } from '../restored-data.ts';
import { untilClosing } from '../until-closing.ts';
import { Connection } from './connection.ts';
import { dataTables } from './data-tables.ts';
import { applyMigrations } from './migrate.ts';
import { numbersInUse } from './numbers-in-use.ts';

/**
 * Writes a snapshot of the whole database into a new file and checks it. Readers and writers continue meanwhile.
 * @throws the reason of `closing` once it has fired; the new file is incomplete then
 */
export async function copyDatabase(
  from: string,
  to: string,
  closing: AbortSignal,
  integrity?: Integrity,
): Promise<void> {
  await withCopy(from, closing, async (connection) => {
    await connection.execute('PRAGMA busy_timeout = 5000');
    await connection.run(`VACUUM INTO ${quoted(to)}`);
  });
  // It contains secrets of webhooks.
  await chmod(to, 0o600);
  await checkCopy(to, from, closing, integrity);
}

export async function withCopy<T>(
  file: string,
  closing: AbortSignal,
  work: (copy: Connection) => Promise<T>,
  { readOnly = true } = {},
): Promise<T> {
  return untilClosing(await Connection.open(file, { readOnly }), closing, work);
}

/**
 * Migrates a copy and checks that it is complete.
 * @param like the database whose tables it must have; null = the caller compares them
 * @throws StartError
 */
export async function checkCopy(
  file: string,
  like: string | null,
  closing: AbortSignal,
  integrity: Integrity = 'checked',
): Promise<void> {
  const tables = like === null ? null : await withCopy(like, closing, columnsOf);
  await withCopy(
    file,
    closing,
    async (connection) => {
      await applyMigrations(connection, file);
      if (integrity === 'checked') await refuseDamaged(connection, file);
      if (tables !== null && JSON.stringify(await columnsOf(connection)) !== JSON.stringify(tables))
        throw new StartError(`${file} does not have the tables of this version.`);
      const rows = await connection.all<{ sequence: number }>('SELECT sequence FROM installation');
      if (rows.length !== 1 || !Number.isSafeInteger(rows[0]?.sequence))
        throw new StartError(`${file} holds no installation.`);
    },
    { readOnly: false },
  );
}

async function refuseDamaged(connection: Connection, file: string): Promise<void> {
  const found = await connection.all<{ integrity_check: string }>('PRAGMA integrity_check(3)');
  if (found[0]?.integrity_check === 'ok') return;
  throw new StartError(`${file} is damaged: ${found.map((row) => row.integrity_check).join('; ')}.`);
}

function columnsOf(connection: Connection): Promise<object[]> {
  return connection.all(
    `SELECT m.name AS name, c.name AS "column", c.type AS type, c.pk AS pk
     FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'knex_%'
       AND ${IS_NOT_DERIVED('m.name')} ORDER BY m.name, c.cid`,
  );
}

/** Replaces all rows by those of a checked copy, in one commit. @returns the numbers now in use */
export async function replaceRows(
  connection: Connection,
  copy: string,
  state: CommitState,
): Promise<Map<Numbered, number>> {
  await connection.execute(`ATTACH ${quoted(copy)} AS copy; PRAGMA foreign_keys = OFF`);
  try {
    await connection.execute('BEGIN IMMEDIATE');
    const own = await ownInstallation(connection);
    // Triggers mark the items and assets that are inserted, and a job lists them.
    await connection.execute(
      `INSERT INTO full_text (full_text) VALUES ('delete-all');
       DELETE FROM listed; DELETE FROM listed_count; DELETE FROM unlisted;
       DELETE FROM listed_asset; DELETE FROM unlisted_asset`,
    );
    for (const { name, columns } of await dataTables(connection)) {
      await connection.run(`DELETE FROM main.${name}`);
      await connection.run(`INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM copy.${name}`);
    }
    await adoptRows(connection, own, state);
    const broken = await connection.all('PRAGMA foreign_key_check');
    if (broken.length > 0) throw new StartError(`${copy} has rows that refer to nothing.`);
    // Before the commit, because it can be interrupted.
    const numbers = await numbersInUse(connection);
    await connection.execute('COMMIT');
    return numbers;
  } catch (error) {
    await connection.execute('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    await connection.execute('DETACH copy; PRAGMA foreign_keys = ON');
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
