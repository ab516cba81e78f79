import { endJob, progressJob, startJob } from '../jobs/jobs.ts';
import { loadModel } from '../model/load-model.ts';
import type { Reader, Storage } from '../storage/ports.ts';
import { listItems } from './list-items.ts';

/** Items in one transaction: some 30 ms, which other writers wait for. */
const BATCH = 100;

interface Unlisted {
  readonly item: number;
  /** Null: the project was removed. */
  readonly project: string | null;
}

/**
 * Lists the items that the table `unlisted` has: all of them after the migration that made the lists and after a restore, some
 * after writes of an older version. A single batch is done too soon for a job with progress.
 */
export async function listUnlisted(
  storage: Storage,
  reader: Reader,
  newId: () => string,
  isStopped: () => boolean,
): Promise<void> {
  let job: string | null = null;
  for (let done = 0; !isStopped(); ) {
    const unlisted = await reader.sql.all<Unlisted & Record<string, string | number | null>>(
      `SELECT u.item AS item, p.id AS project FROM unlisted u LEFT JOIN project p ON p.number = u.project
       ORDER BY u.project, u.item LIMIT ?`,
      [BATCH],
    );
    if (unlisted.length === 0) break;
    if (unlisted.length === BATCH && job === null) job = await startListing(storage, reader, newId());
    const { project } = unlisted[0] as Unlisted;
    const items = unlisted.filter((one) => one.project === project).map(({ item }) => item);
    done += items.length;
    await storage.write(async (tx) => {
      if (project !== null) await listItems({ tx, model: await loadModel(tx, project) }, items);
      else for (const item of items) tx.list(item, { listed: [], searched: [] });
      if (job !== null) await progressJob(tx, job, done);
    });
  }
  // Other writes may have listed some of the items meanwhile.
  if (job !== null && !isStopped()) await storage.write((tx) => endJob(tx, job as string, 'done'));
}

async function startListing(storage: Storage, { sql }: Reader, id: string): Promise<string> {
  const counted = await sql.get<{ total: number }>('SELECT count(*) AS total FROM unlisted');
  const { id: owner } = storage.owner;
  const total = counted?.total ?? 0;
  await storage.write((tx) =>
    startJob(tx, { id, kind: 'listing', project: null, subject: 'lists and full text', total, owner }),
  );
  return id;
}
