import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Sql } from '../storage/sql.ts';

export interface CheckedContent {
  readonly sequence: number;
  readonly projects: number;
  /** Different files of assets. */
  readonly files: number;
  /** Names of assets whose file is missing or has another size. */
  readonly damaged: readonly string[];
}

/** Compares the files of assets with their rows, by size. */
export async function checkFiles(sql: Sql, blobs: Pick<Blobs, 'size'>): Promise<CheckedContent> {
  const row = await sql.get<{ sequence: number; projects: number }>(
    `SELECT max(sequence) AS sequence, (SELECT count(*) FROM project WHERE archived IS NULL) AS projects FROM installation`,
  );
  const files = await sql.all<{ hash: string; size: number; name: string }>(
    'SELECT hash, max(size) AS size, min(name) AS name FROM file GROUP BY hash ORDER BY hash',
  );
  const damaged: string[] = [];
  for (const { hash, size, name } of files) if ((await blobs.size(hash)) !== size) damaged.push(name);
  return { sequence: row?.sequence ?? 0, projects: row?.projects ?? 0, files: files.length, damaged };
}
