import { endJob, failInterruptedJobs, progressJob, startJob } from '../jobs/jobs.ts';
import { WakeLoop } from '../jobs/wake-loop.ts';
import { loadModel } from '../model/load-model.ts';
import type { ProjectModel } from '../model/model.ts';
import type { Duty } from '../storage/owner.ts';
import type { Reader, Storage, Transaction } from '../storage/ports.ts';
import { listAssets, removeListedAssets } from './list-assets.ts';
import { listItems } from './list-items.ts';

/** Objects in one transaction: some 30 ms, which other writers wait for. */
const BATCH = 100;

const RETRY_MS = 5000;

/** Kind of the job. */
const LISTING = 'listing';

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
 * and after a restore, some after writes of an older version. A duty of its own: an older version that recompiles lists nothing.
 */
export class UnlistedObjects {
  readonly #storage: Storage;
  readonly #closing = new AbortController();
  readonly #reader: Reader;
  readonly #newId: () => string;
  readonly #loop: WakeLoop;

  /** @param failed is called when items could not be listed; they are tried again */
  constructor(storage: Storage, newId: () => string, failed: (error: unknown) => void, duty: Duty) {
    this.#storage = storage;
    this.#reader = storage.reader({ class: 'background', signal: this.#closing.signal });
    this.#newId = newId;
    this.#loop = new WakeLoop({
      work: () => this.#list(),
      next: async () => duty.lookAgain,
      failed: (error) => {
        if (!this.#closing.signal.aborted) failed(error);
      },
      afterFailure: RETRY_MS,
      duty,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Call when there may be some. Returns at once. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves when there are none. */
  idle(): Promise<void> {
    return this.#loop.idle();
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#loop.close();
  }

  async #list(): Promise<void> {
    const storage = this.#storage;
    await failInterruptedJobs(storage, this.#reader, LISTING);
    let job: string | null = null;
    let done = 0;
    for (const { table, column, list, remove } of OUTDATED)
      while (!this.#loop.isStopped) {
        const unlisted = await this.#reader.sql.all<Unlisted & Record<string, string | number | null>>(
          `SELECT u.${column} AS number, p.id AS project FROM ${table} u LEFT JOIN project p ON p.number = u.project
           ORDER BY u.project, u.${column} LIMIT ?`,
          [BATCH],
        );
        if (unlisted.length === 0) break;
        // A single batch is done too soon for a job with progress.
        if (unlisted.length === BATCH && job === null)
          job = await startListing(storage, this.#reader, this.#newId());
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
    if (job !== null && !this.#loop.isStopped) await storage.write((tx) => endJob(tx, job as string, 'done'));
  }
}

async function startListing(storage: Storage, { sql }: Reader, id: string): Promise<string> {
  const counted = await sql.get<{ total: number }>(
    'SELECT (SELECT count(*) FROM unlisted) + (SELECT count(*) FROM unlisted_asset) AS total',
  );
  const { id: owner } = storage.owner;
  const total = counted?.total ?? 0;
  await storage.write((tx) =>
    startJob(tx, { id, kind: LISTING, project: null, subject: 'lists and full text', total, owner }),
  );
  return id;
}
