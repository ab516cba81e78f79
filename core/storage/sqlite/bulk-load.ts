import { untilClosing } from '../until-closing.ts';
import { Connection } from './connection.ts';
import { sortingBeside } from './sorting-beside.ts';

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

/** Until they are made again, nothing may read values of elements. */
export async function dropIndexes(connection: Connection): Promise<void> {
  for (const name of Object.keys(INDEXES)) await connection.run(`DROP INDEX IF EXISTS ${name}`);
}

export async function lacksIndexes(connection: Connection): Promise<boolean> {
  const names = Object.keys(INDEXES);
  const present = await connection.all(
    `SELECT name FROM sqlite_master WHERE type = 'index' AND name IN ('${names.join(`', '`)}')`,
  );
  return present.length < names.length;
}

/**
 * Makes those that are missing, on a connection of its own, which sorts their rows in files and in 32 MB of memory: of a million
 * items they are 2 GB. The writer sorts in memory: another setting would remove its temporary views and tables.
 */
export async function makeIndexes(file: string, closing: AbortSignal): Promise<void> {
  await untilClosing(await Connection.open(file, { readOnly: false }), closing, async (connection) => {
    await connection.execute(
      `PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA cache_size = -32768;
       PRAGMA temp_store = FILE; PRAGMA journal_size_limit = 67108864`,
    );
    await sortingBeside(file, connection, async () => {
      for (const [name, columns] of Object.entries(INDEXES))
        await connection.run(`CREATE INDEX IF NOT EXISTS ${name} ON ${columns}`);
    });
  });
}
