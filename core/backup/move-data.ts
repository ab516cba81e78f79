import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/ports.ts';
import { ownInstallation } from '../storage/restored-data.ts';
import type { TableDigest } from '../storage/table-rows.ts';
import { gatherStatistics } from './gather-statistics.ts';

export interface MoveProgress {
  /** What is done next. */
  readonly step: (text: string) => void;
  readonly rows: (done: number, total?: number) => void;
  readonly files: (done: number, total: number) => void;
  /** What failed although the data is moved. */
  readonly warn?: (text: string) => void;
}

export interface MovedData {
  readonly tables: number;
  readonly rows: number;
  /** An earlier move had done a part of it. */
  readonly isResumed: boolean;
}

/**
 * Copies all data into an empty store, and compares the rows of both. What is copied is the file of the source, or a snapshot
 * in a folder; one of an earlier, interrupted move is used again while it has the rows of the source, and so is a target that
 * has them. Nothing writes to the source meanwhile.
 * @param openCopy opens the snapshot as a store
 * @throws conflict where the target has other projects
 */
export async function moveData(
  source: Storage,
  target: Storage,
  folder: string,
  openCopy: (file: string) => Promise<Storage>,
  progress: MoveProgress,
): Promise<MovedData> {
  const snapshot = join(folder, 'snapshot.db');
  const isEmpty = (await target.sql.get('SELECT id FROM project LIMIT 1')) === undefined;
  let isResumed = !isEmpty;
  let digests: readonly TableDigest[] | undefined;
  if (isEmpty && source.file !== undefined) {
    progress.step('Writing the target');
    digests = await target.replaceWith(source.file, undefined, 'compared', progress.rows);
  } else if (isEmpty) {
    progress.step('Reading the source');
    // Beside the copy, which needs another CPU.
    const reading = source.digests(progress.rows);
    reading.catch(() => {});
    isResumed = await hasSnapshot(snapshot, reading, openCopy, progress);
    if (!isResumed) {
      progress.step('Writing a snapshot of the source');
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await source.copyTo(`${snapshot}.unfinished`, 'compared');
      await rename(`${snapshot}.unfinished`, snapshot);
    }
    progress.step('Writing the target');
    await target.replaceWith(snapshot, undefined, 'compared');
    digests = await reading;
  }
  if (!digests) {
    progress.step('Reading the source');
    digests = await source.digests(progress.rows);
  }
  const rows = digests.reduce((sum, table) => sum + table.rows, 0);
  progress.step('Comparing the target with the source');
  const [written] = await Promise.all([
    target.digests((done) => progress.rows(done, rows)),
    gatherStatistics(target, progress.warn),
  ]);
  const different = differenceOf(digests, written);
  if (different.length > 0)
    throw isEmpty
      ? new ServiceError('internal', `The target differs from the source in ${different.join(', ')}.`)
      : new ServiceError('conflict', 'The target has other projects already; name an empty database.');
  const own = await ownInstallation(source.sql);
  await target.write((tx) =>
    tx.run('UPDATE installation SET admin_token = ?, sample = ?, bucket_claim = ?', [
      own.admin_token,
      own.sample,
      own.bucket_claim,
    ]),
  );
  await rm(folder, { recursive: true, force: true });
  return { tables: digests.length, rows, isResumed };
}

async function hasSnapshot(
  file: string,
  digests: Promise<readonly TableDigest[]>,
  openCopy: (file: string) => Promise<Storage>,
  progress: MoveProgress,
): Promise<boolean> {
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return false;
  progress.step('Checking the snapshot of an earlier move');
  const copy = await openCopy(file);
  try {
    return differenceOf(await digests, await copy.digests(progress.rows)).length === 0;
  } finally {
    await copy.close();
  }
}

/** Names of tables that are not the same. */
function differenceOf(ones: readonly TableDigest[], others: readonly TableDigest[]): string[] {
  const contents = ({ table, rows, digest }: TableDigest) => [table, `${rows} ${digest}`] as const;
  const [one, other] = [new Map(ones.map(contents)), new Map(others.map(contents))];
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
}
