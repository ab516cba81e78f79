import { dirname } from 'node:path';
import type { Connection } from './connection.ts';

/**
 * Meanwhile all connections of the process that sort in files do it beside the database: the system's folder for temporary files
 * may be small. SQLite removes such a file as soon as it has opened it, so that a kill leaves none.
 */
export async function sortingBeside(
  file: string,
  connection: Connection,
  work: () => Promise<void>,
): Promise<void> {
  const folder = dirname(file).replaceAll("'", "''");
  await connection.execute(`PRAGMA temp_store_directory = '${folder}'`);
  try {
    await work();
  } finally {
    await connection.execute(`PRAGMA temp_store_directory = ''`);
  }
}
