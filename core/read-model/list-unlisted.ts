import { endJob, progressJob, startJob } from '../jobs/jobs.ts';
import { loadModel } from '../model/load-model.ts';
import type { ProjectModel } from '../model/model.ts';
import type { Reader, Storage, Transaction } from '../storage/ports.ts';
import { listAssets, removeListedAssets } from './list-assets.ts';
import { listItems } from './list-items.ts';

/** Objects in one transaction: some 30 ms, which other writers wait for. */
const BATCH = 100;

/** What lists are out of date of. */
interface Outdated {
  readonly table: 'unlisted' | 'unlisted_asset';
  readonly column: 'item' | 'asset';
  list(tx: Transaction, model: ProjectModel, numbers: readonly number[]): Promise<void>;
  /** Of a project that was removed. */
  remove(tx: Transaction, numbers: readonly number[]): Promise<void>;
}

const OUTDATED: readonly Outdated[] = [
  {
    table: 'unlisted',
    column: 'item',
    list: (tx, model, numbers) => listItems({ tx, model }, numbers),
    async remove(tx, numbers) {
      for (const item of numbers) tx.list(item, { listed: [], searched: [] });
    },
  },
  { table: 'unlisted_asset', column: 'asset', list: listAssets, remove: removeListedAssets },
];

interface Unlisted {
  readonly number: number;
  /** Null: the project was removed. */
  readonly project: string | null;
}

/**
 * Lists the items and assets that `unlisted` and `unlisted_asset` have: all of them after the migrations that made the lists
 * and after a restore, some after writes of an older version. A single batch is done too soon for a job with progress.
 */
export async function listUnlisted(
  storage: Storage,
  reader: Reader,
  newId: () => string,
  isStopped: () => boolean,
): Promise<void> {
  let job: string | null = null;
  let done = 0;
  for (const { table, column, list, remove } of OUTDATED)
    while (!isStopped()) {
      const unlisted = await reader.sql.all<Unlisted & Record<string, string | number | null>>(
        `SELECT u.${column} AS number, p.id AS project FROM ${table} u LEFT JOIN project p ON p.number = u.project
         ORDER BY u.project, u.${column} LIMIT ?`,
        [BATCH],
      );
      if (unlisted.length === 0) break;
      if (unlisted.length === BATCH && job === null) job = await startListing(storage, reader, newId());
      const { project } = unlisted[0] as Unlisted;
      const numbers = unlisted.filter((one) => one.project === project).map(({ number }) => number);
      done += numbers.length;
      await storage.write(async (tx) => {
        if (project === null) await remove(tx, numbers);
        else await list(tx, await loadModel(tx, project), numbers);
        if (job !== null) await progressJob(tx, job, done);
      });
    }
  // Other writes may have listed some of them meanwhile.
  if (job !== null && !isStopped()) await storage.write((tx) => endJob(tx, job as string, 'done'));
}

async function startListing(storage: Storage, { sql }: Reader, id: string): Promise<string> {
  const counted = await sql.get<{ total: number }>(
    'SELECT (SELECT count(*) FROM unlisted) + (SELECT count(*) FROM unlisted_asset) AS total',
  );
  const { id: owner } = storage.owner;
  const total = counted?.total ?? 0;
  await storage.write((tx) =>
    startJob(tx, { id, kind: 'listing', project: null, subject: 'lists and full text', total, owner }),
  );
  return id;
}
