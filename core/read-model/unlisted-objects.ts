import { ServiceError } from '../errors.ts';
import { BackgroundDuty } from '../jobs/background-duty.ts';
import { LISTING } from '../jobs/job-kinds.ts';
import { endJob, failInterruptedJobs, progressJob, startJob } from '../jobs/jobs.ts';
import { loadModel } from '../model/load-model.ts';
import type { ProjectModel } from '../model/model.ts';
import type { Duty } from '../storage/owner.ts';
import type { Reader, Storage, Transaction } from '../storage/ports.ts';
import { recountBlocks } from './recount-blocks.ts';
import { removeListedAssets, writeListedAssets } from './write-listed-assets.ts';
import { writeListedItems } from './write-listed-items.ts';

/** Objects in one transaction: some 30 ms, which other writers wait for. */
const BATCH = 100;

const RETRY_MS = 5000;
/** Of a project whose model cannot be loaded; each pause is twice the one before. */
const LONGEST_PAUSE_MS = 300_000;

/**
 * Pause between looks at the counts of blocks. While an older version writes, they are counted again at each, and other writers
 * wait: 3.4 s for a million items on PostgreSQL, on a busy machine.
 */
const RECOUNT_MS = 60_000;

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
    list: (tx, model, numbers) => writeListedItems({ tx, model }, numbers),
    async remove(tx, numbers) {
      for (const item of numbers) tx.list(item, { listed: [], searched: [] });
    },
  },
  { table: 'unlisted_asset', column: 'asset', list: writeListedAssets, remove: removeListedAssets },
];

interface Unlisted {
  readonly number: number;
  readonly owner: number;
  /** Null: the project was removed. */
  readonly project: string | null;
}

/** A project whose model cannot be loaded. */
interface Failing {
  /** By the monotonic clock, ms. */
  readonly until: number;
  readonly pause: number;
  readonly reason: string;
}

/**
 * Lists the items and assets that `unlisted` and `unlisted_asset` have: all of them after the migrations that made the lists
 * and after a restore, some after writes of an older version. Before them, counts of blocks that such writes deleted. A duty
 * of its own: an older version that recompiles does neither.
 */
export class UnlistedObjects extends BackgroundDuty {
  readonly #storage: Storage;
  readonly #reader: Reader;
  readonly #newId: () => string;
  readonly #lookAgain: number | undefined;
  readonly #retry: number;
  /** By storage number; those of other projects are listed meanwhile. */
  readonly #failing = new Map<number, Failing>();
  /** By the monotonic clock, ms. */
  #recount = 0;

  /**
   * @param failed is called when items could not be listed, once for each project and reason; they are tried again
   * @param retry milliseconds, the first pause after a failure
   */
  constructor(
    storage: Storage,
    newId: () => string,
    failed: (error: unknown) => void,
    duty: Duty,
    retry = RETRY_MS,
  ) {
    super({ failed, afterFailure: retry, duty });
    this.#storage = storage;
    this.#reader = storage.reader({ class: 'background', signal: this.closing.signal });
    this.#newId = newId;
    this.#lookAgain = duty.lookAgain;
    this.#retry = retry;
  }

  /** Lists all there are, except of projects that fail. */
  protected async work(): Promise<void> {
    const storage = this.#storage;
    const now = performance.now();
    const expired = [...this.#failing].filter(([, { until }]) => until <= now);
    await failInterruptedJobs(storage, this.#reader, LISTING);
    if (now >= this.#recount) {
      this.#recount = now + RECOUNT_MS;
      await recountBlocks(storage, this.#reader, () => this.isStopped);
    }
    let job: string | null = null;
    let done = 0;
    for (const { table, column, list, remove } of OUTDATED)
      while (!this.isStopped) {
        const skipped = this.#reader.sql.among('f.project', this.#skipped());
        const unlisted = await this.#reader.sql.all<Unlisted>(
          `SELECT u.${column} AS number, u.project AS owner, p.id AS project
           FROM ${table} u LEFT JOIN project p ON p.number = u.project
           WHERE u.project = (SELECT f.project FROM ${table} f WHERE NOT (${skipped.text}) ORDER BY f.${column} LIMIT 1)
           ORDER BY u.${column} LIMIT ?`,
          [skipped.parameter, BATCH],
        );
        const [first] = unlisted;
        if (!first) break;
        const { owner, project } = first;
        // A single batch is done too soon for a job with progress.
        if (unlisted.length === BATCH && job === null && !this.#failing.has(owner))
          job = await startListing(storage, this.#reader, this.#newId());
        const numbers = unlisted.map(({ number }) => number);
        try {
          await storage.write(async (tx) => {
            if (project === null) await remove(tx, numbers);
            else await list(tx, await loadModel(tx, project).catch(asUnreadable), numbers);
            if (job !== null) await progressJob(tx, job, done + numbers.length);
          });
          done += numbers.length;
          this.#failing.delete(owner);
        } catch (error) {
          if (!(error instanceof UnreadableModel)) throw error;
          this.#fail(owner, project, error);
        }
      }
    if (this.isStopped) return;
    // Nothing of these is left to list, or it was listed.
    for (const [project, failing] of expired)
      if (this.#failing.get(project) === failing) this.#failing.delete(project);
    // Other writes may have listed some of them meanwhile.
    if (job !== null) await storage.write((tx) => endJob(tx, job, 'done'));
  }

  /** All data were replaced. */
  reset(): void {
    this.#failing.clear();
    this.#recount = 0;
    this.wake();
  }

  /** Projects that are not tried again yet. */
  #skipped(): number[] {
    const now = performance.now();
    return [...this.#failing].flatMap(([project, { until }]) => (until > now ? [project] : []));
  }

  #fail(owner: number, project: string | null, { cause }: UnreadableModel): void {
    const before = this.#failing.get(owner);
    const pause = Math.min((before?.pause ?? this.#retry / 2) * 2, LONGEST_PAUSE_MS);
    const reason = `The model of the project ${project} cannot be loaded: ${(cause as Error).message}`;
    this.#failing.set(owner, { until: performance.now() + pause, pause, reason });
    if (reason !== before?.reason) this.failed(new Error(reason, { cause }));
  }

  protected async next(): Promise<number | undefined> {
    const now = performance.now();
    const pauses = [...this.#failing.values()].map(({ until }) => until - now);
    const next = Math.min(this.#lookAgain ?? Number.POSITIVE_INFINITY, ...pauses);
    return Number.isFinite(next) ? next : undefined;
  }
}

class UnreadableModel extends Error {}

/** Errors of the database, and a project that was removed meanwhile, are no fault of the model. @throws UnreadableModel */
function asUnreadable(cause: unknown): never {
  if (cause instanceof ServiceError || (cause as { code?: unknown }).code !== undefined) throw cause;
  throw new UnreadableModel('The model cannot be loaded.', { cause });
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
