import { createHash } from 'node:crypto';
import { IMPORTED } from '../jobs/job-kinds.ts';
import type { Blobs, StoredBlob } from '../storage/blobs/blobs.ts';
import type { Sql } from '../storage/sql.ts';
import { inParallel } from '../turns/in-parallel.ts';

const ASKED_AT_ONCE = 16;
const READ_AT_ONCE = 4;
/** A file is stored before its row, so a new one without a row may still get it. */
const ORPHANED_AFTER_MS = 24 * 60 * 60 * 1000;

export interface CheckedFiles {
  /** Different files of assets. */
  readonly files: number;
  /** Names of assets whose file is missing or has another size. */
  readonly missing: readonly string[];
  /** Names of assets whose file was read and has another hash, or cannot be read. */
  readonly damaged: readonly string[];
  /** Files for a day or longer that no row names. */
  readonly orphaned: readonly StoredBlob[];
}

export interface CheckOptions {
  /** Reads each file and compares it with its hash. */
  readonly read?: boolean;
  readonly now?: number;
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

/** Compares the files of a store with their rows. Changes nothing. */
export async function checkFiles(
  sql: Pick<Sql, 'all'>,
  blobs: Pick<Blobs, 'size' | 'list' | 'openOnce'>,
  { read = false, now = Date.now(), progress = () => {} }: CheckOptions = {},
): Promise<CheckedFiles> {
  const named = await sql.all<{ hash: string; size: number; name: string; stored: number }>(
    `SELECT hash, max(size) AS size, min(name) AS name,
       max(CASE WHEN project IN (${IMPORTED}) THEN 0 ELSE 1 END) AS stored
     FROM file GROUP BY hash ORDER BY hash`,
  );
  const rows = named.filter(({ stored }) => stored === 1);
  const imported = new Set(named.flatMap(({ hash, stored }) => (stored === 1 ? [] : hash)));
  const expected = new Map(rows.map((row) => [row.hash, row]));
  const unseen = new Map(expected);
  const missing = new Set<string>();
  const orphaned: StoredBlob[] = [];
  const total = rows.length * (read ? 2 : 1);
  let done = 0;
  for await (const { hash, size, modified } of blobs.list()) {
    const row = expected.get(hash);
    if (!row) {
      if (now - modified > ORPHANED_AFTER_MS && !imported.has(hash)) orphaned.push({ hash, size });
      continue;
    }
    if (!unseen.delete(hash)) continue;
    if (row.size !== size) missing.add(row.hash);
    progress(++done, total);
  }
  // A list may be older than the newest file.
  await inParallel(unseen.values(), ASKED_AT_ONCE, async ({ hash, size }) => {
    if ((await blobs.size(hash)) !== size) missing.add(hash);
    progress(++done, total);
  });
  const damaged = new Set<string>();
  if (read)
    await inParallel(expected.keys(), READ_AT_ONCE, async (hash) => {
      if (!missing.has(hash) && !(await hasHash(blobs, hash))) damaged.add(hash);
      progress(++done, total);
    });
  const names = (hashes: ReadonlySet<string>) =>
    rows.filter(({ hash }) => hashes.has(hash)).map(({ name }) => name);
  return { files: rows.length, missing: names(missing), damaged: names(damaged), orphaned };
}

/** Whether a stored file can be read and has its hash. */
export async function hasHash(blobs: Pick<Blobs, 'openOnce'>, expected: string): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of blobs.openOnce(expected)) hash.update(chunk as Uint8Array);
  } catch (error) {
    // While the store does not answer, no other file can be read either.
    if ((error as { errorName?: unknown }).errorName === 'unavailable') throw error;
    return false;
  }
  return hash.digest('hex') === expected;
}
