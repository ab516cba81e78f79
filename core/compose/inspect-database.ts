import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckedFiles, type CheckOptions, checkFiles } from '../assets/check-files.ts';
import { readBucketClaim } from '../storage/bucket-claim.ts';
import { type InspectedPostgres, inspectPostgres } from '../storage/postgres/inspect-postgres.ts';
import type { Sql } from '../storage/sql.ts';
import { type InspectedSqlite, inspectSqlite } from '../storage/sqlite/inspect-sqlite.ts';
import type { CoreOptions } from './core-options.ts';
import { type FilesOptions, withFiles } from './open-files.ts';

export interface InspectedDatabase {
  readonly schema: InspectedSqlite;
  readonly postgres: InspectedPostgres | undefined;
  /** Undefined where the schema is not up to date. */
  readonly content: InspectedContent | undefined;
}

export interface InspectedContent {
  readonly sequence: number;
  readonly projects: number;
  /** An error where the store of files could not be read. */
  readonly files: InspectedFiles | Error;
}

export interface InspectedFiles extends CheckedFiles {
  /** The bucket is that of another installation. */
  readonly isOfAnother: boolean;
}

/**
 * Inspects the database and the files of assets, also while cores use them.
 * @returns undefined where there is no database file yet
 * @throws StartError for a database that cannot be used
 */
export async function inspectDatabase(
  options: FilesOptions & Pick<CoreOptions, 'databaseUrl' | 'databaseReplicaUrl'>,
  files: Pick<CheckOptions, 'read' | 'progress'> = {},
): Promise<InspectedDatabase | undefined> {
  const check = (sql: Sql) => inspectContent(sql, options, files);
  if (options.databaseUrl) {
    const { result: content, ...postgres } = await inspectPostgres(
      options.databaseUrl,
      options.databaseReplicaUrl ?? null,
      check,
    );
    return { schema: { ...postgres, lacksIndexes: false }, postgres, content };
  }
  const file = join(options.dataDir, 'headwater.db');
  if (!existsSync(file)) return undefined;
  const { result: content, ...schema } = await inspectSqlite(file, check);
  return { schema, postgres: undefined, content };
}

async function inspectContent(
  sql: Sql,
  options: FilesOptions,
  check: CheckOptions,
): Promise<InspectedContent> {
  const row = await sql.get<{ sequence: number; projects: number }>(
    `SELECT max(sequence) AS sequence, (SELECT count(*) FROM project WHERE archived IS NULL) AS projects FROM installation`,
  );
  const files = await withFiles(options, async (blobs) => {
    const owner = await blobs.remote?.owner();
    const isOfAnother = owner !== undefined && owner !== (await readBucketClaim(sql));
    return { ...(await checkFiles(sql, blobs, check)), isOfAnother };
  }).catch((error: Error) => error);
  return { sequence: row?.sequence ?? 0, projects: row?.projects ?? 0, files };
}
