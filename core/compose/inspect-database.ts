import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckedContent, checkFiles } from '../assets/check-files.ts';
import { openDiskBlobs } from '../storage/blobs/disk-blobs.ts';
import { type InspectedPostgres, inspectPostgres } from '../storage/postgres/inspect-postgres.ts';
import type { Sql } from '../storage/sql.ts';
import { type InspectedSqlite, inspectSqlite } from '../storage/sqlite/inspect-sqlite.ts';
import type { CoreOptions } from './core-options.ts';

export interface InspectedDatabase {
  readonly schema: InspectedSqlite;
  readonly postgres: InspectedPostgres | undefined;
  /** Undefined where the schema is not up to date. */
  readonly content: CheckedContent | undefined;
}

/**
 * Inspects the database and the files of assets, also while cores use them.
 * @returns undefined where there is no database file yet
 * @throws StorageStartError for a database that cannot be used
 */
export async function inspectDatabase({
  dataDir,
  databaseUrl,
  filesDir,
  filesBucket,
}: Pick<CoreOptions, 'dataDir' | 'databaseUrl' | 'filesDir' | 'filesBucket'>): Promise<
  InspectedDatabase | undefined
> {
  const check = async (sql: Sql) => checkFiles(sql, await sizes());
  const sizes = async () => {
    if (filesBucket) return (await import('../storage/blobs/s3-blobs.ts')).openS3Sizes(filesBucket);
    const folder = filesDir ?? join(dataDir, 'files');
    return existsSync(folder) ? openDiskBlobs(folder, { isShared: true }) : { size: async () => undefined };
  };
  if (databaseUrl) {
    const { result: content, ...postgres } = await inspectPostgres(databaseUrl, check);
    return { schema: postgres, postgres, content };
  }
  const file = join(dataDir, 'headwater.db');
  if (!existsSync(file)) return undefined;
  const { result: content, ...schema } = await inspectSqlite(file, check);
  return { schema, postgres: undefined, content };
}
