import { dirname } from 'node:path';
import type { Connection } from './connection.ts';

/**
 * Indexes by values, words and ids: the rows of an item go to as many pages of them as there are rows. Of 133 kB that a
 * generated item among 30,000 wrote to the disk, 96 were theirs; written at the end, in order, they are 1.6.
 */
const INDEXES: Readonly<Record<string, string>> = {
  entry_key: 'entry (slot, key, codename, visible, item, document)',
  change_object: 'change (object, sequence)',
};

/** Below that, nothing is gained that a person would notice. */
const LEAST_ITEMS = 1000;
/** Writing the indexes anew takes 50 µs a document, and inserting into them some 500 µs. */
const DOCUMENTS_PER_ITEM = 4;

/** Whether a load of so many items is faster without the indexes. @param documents that there are already */
export function isBulkLoad(items: number, documents: number): boolean {
  return items >= LEAST_ITEMS && documents <= items * DOCUMENTS_PER_ITEM;
}

/** Until `makeIndexes`, nothing may read values of elements. */
export async function dropIndexes(connection: Connection): Promise<void> {
  for (const name of Object.keys(INDEXES)) await connection.run(`DROP INDEX IF EXISTS ${name}`);
}

/**
 * Makes those that a load has dropped. Their rows are sorted in files beside the database, in 32 MB of memory: of a million
 * items they are 2 GB.
 * @param began is called where some are missing
 */
export async function makeIndexes(connection: Connection, file: string, began = () => {}): Promise<void> {
  const present = await connection.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'index'`,
  );
  const names = new Set(present.map(({ name }) => name));
  const missing = Object.entries(INDEXES).filter(([name]) => !names.has(name));
  if (missing.length === 0) return;
  began();
  await sortingInFiles(connection, file, async () => {
    for (const [name, columns] of missing) await connection.run(`CREATE INDEX ${name} ON ${columns}`);
  });
}

/** Not within a transaction. SQLite removes the files as soon as it has opened them, so that a kill leaves none. */
async function sortingInFiles(
  connection: Connection,
  file: string,
  work: () => Promise<void>,
): Promise<void> {
  const folder = dirname(file).replaceAll("'", "''");
  await connection.execute(`PRAGMA temp_store_directory = '${folder}'; PRAGMA temp_store = FILE`);
  try {
    await work();
  } finally {
    await connection.execute(`PRAGMA temp_store = MEMORY; PRAGMA temp_store_directory = ''`);
  }
}
