import { ServiceError } from '../errors.ts';
import { IMPORTED } from '../jobs/job-kinds.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Sql } from '../storage/sql.ts';
import { inParallel } from '../turns/in-parallel.ts';

/** Files that are copied at once. */
const AT_ONCE = 4;

export interface MovedFiles {
  /** Files that rows name. */
  readonly files: number;
  /** Those that the target did not have yet, and their bytes. */
  readonly copied: number;
  readonly bytes: number;
  /** Hashes of files that the source does not have, or whose content is damaged or cannot be read. */
  readonly missing: readonly string[];
}

/** Copies every file that a row names to another store, unless it has it. Checks the content of each by its hash. */
export async function moveFiles(
  sql: Pick<Sql, 'all'>,
  source: Blobs,
  target: Blobs,
  progress: (done: number, total: number) => void = () => {},
): Promise<MovedFiles> {
  const rows = await sql.all<{ hash: string; size: number }>(
    // The target removes what an interrupted import has left, as the source would.
    `SELECT hash, max(size) AS size FROM file WHERE project NOT IN (${IMPORTED}) GROUP BY hash ORDER BY hash`,
  );
  const missing: string[] = [];
  let [done, copied, bytes] = [0, 0, 0];
  await inParallel(rows, AT_ONCE, async ({ hash, size }) => {
    if ((await target.size(hash)) !== size) {
      if (await copyFile(hash, source, target)) {
        copied++;
        bytes += size;
      } else missing.push(hash);
    }
    progress(++done, rows.length);
  });
  return { files: rows.length, copied, bytes, missing: missing.sort() };
}

/** @returns false where the source does not have the file, has other bytes or cannot read them */
async function copyFile(hash: string, source: Blobs, target: Blobs): Promise<boolean> {
  if ((await source.size(hash)) === undefined) return false;
  let isUnreadable = false;
  const content = source.openOnce(hash).once('error', () => {
    isUnreadable = true;
  });
  const staged = await target.stage(content).catch((error: unknown) => {
    // While the source is unavailable, no other file can be read either.
    if (isUnreadable && !(error instanceof ServiceError)) return undefined;
    throw error;
  });
  if (!staged) return false;
  try {
    if (staged.hash !== hash) return false;
    await staged.keep();
    return true;
  } finally {
    await staged.drop();
  }
}
