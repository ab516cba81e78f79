import type { Reader, Storage } from '../storage/ports.ts';
import { ALL_TYPES, countBlocks } from '../storage/resolved-blocks.ts';

/**
 * Counts the blocks of each view again whose counts are not as many as its items: after the migration that made the table on
 * PostgreSQL, and after writes of an older version. Deep pages of such a view are read by walking meanwhile.
 */
export async function recountBlocks(
  storage: Storage,
  { sql }: Reader,
  isStopped: () => boolean,
): Promise<void> {
  const wrong = await sql.all<{ view: number }>(
    `SELECT view FROM (SELECT view, count FROM tally
       UNION ALL SELECT view, -count FROM resolved_block WHERE type = ${ALL_TYPES}) c
     GROUP BY view HAVING sum(count) <> 0 ORDER BY view`,
  );
  for (const { view } of wrong) {
    if (isStopped()) return;
    await storage.write((tx) => countBlocks(tx, view));
  }
}
