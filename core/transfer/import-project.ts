import { createProject } from '../access/projects.ts';
import { PROJECTS, projectTag } from '../changes/tags.ts';
import { ServiceError, type ValidationIssue } from '../errors.ts';
import { IMPORT } from '../jobs/job-kinds.ts';
import { endJob, progressJob, startJob, stateOfOwnJob } from '../jobs/jobs.ts';
import { Issues } from '../model/issues.ts';
import type { Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { readAhead } from '../turns/read-ahead.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type ArchiveCounts, damaged, stepsOf } from './archive-rows.ts';
import { lastImport, requireSameArchive } from './earlier-import.ts';
import { IdMap } from './id-map.ts';
import { importAssets } from './import-assets.ts';
import { importItems } from './import-items.ts';
import { importModel } from './import-model.ts';
import { importVariants } from './import-variants.ts';
import { PartOrder } from './part-order.ts';
import { type ArchiveEntry, type Line, readArchive } from './read-archive.ts';
import { type ReadHead, readHead } from './read-head.ts';
import { type ReadRow, readJson, readLongJson } from './read-row.ts';
import { removeImport } from './remove-import.ts';
import { CANCELED, runExclusively } from './running-imports.ts';
import { StagedFiles } from './staged-files.ts';

export interface ImportOptions {
  /** Id of the new project; default: the archive's. */
  readonly project?: string;
  /** Its name; default: the archive's. */
  readonly name?: string;
  readonly actor?: string | null;
  readonly progress?: (done: number, total: number) => void;
  /** Is called when all rows are there and the indexes of the database are written. */
  readonly indexing?: () => void;
  readonly signal?: AbortSignal;
  /** Runs in the transaction that makes the project visible; throws to refuse it. */
  readonly finish?: (tx: Transaction) => Promise<void>;
}

export interface Imported extends ArchiveCounts {
  readonly project: string;
  readonly job: string;
  /** The archive was imported before; nothing changed. */
  readonly repeated: boolean;
  /**
   * The first violations of element limits and of required elements, and the number of the rest. The content is
   * imported as it is and must be corrected before it is published again.
   */
  readonly violations: readonly ValidationIssue[];
}

const TAKEN_OVER =
  'Another process has taken over the import; nothing of it was kept. Import the archive again.';
const INVALID = 'The archive is not valid; nothing was imported. See validation_errors for what to change.';

/** Rows per transaction, and their characters: about 50 ms for which other writers wait. */
const BATCH = 200;
const BATCH_CHARACTERS = 256 * 1024;

/**
 * Creates a project from an untrusted archive: every row passes the checks of the management API. The project is
 * archived until the import is complete; nothing of a refused, damaged or canceled archive remains.
 * @throws conflict if the project exists and does not come from this archive, or is being imported
 * @throws invalidBody with the issues, each with its file, row and path
 */
export async function importProject(
  operations: Operations,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<Imported> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  const entries = readArchive(source, signal);
  try {
    const first = await entries.next();
    if (first.done || first.value.name !== 'headwater.json') throw damaged('it does not begin as one');
    const head = readHead(await first.value.text());
    const project = (options.project ?? head.project.id).toLowerCase();
    return await runExclusively(operations.storage, project, async (canceled) => {
      canceled.addEventListener('abort', () => stop.abort(canceled.reason));
      const before = await lastImport(operations.storage, project);
      if (before) {
        const job = requireSameArchive(before, head.archive, project);
        return { ...head.counts, project, job, repeated: true, violations: [] };
      }
      const importer = await Importer.begin(operations, head, { ...options, project });
      const run = () => importer.run(entries, signal);
      return operations.storage.load(head.counts.variants, run, options.indexing);
    });
  } finally {
    await entries.return(undefined);
  }
}

class Importer {
  readonly #operations: Operations;
  readonly #head: ReadHead;
  readonly #options: ImportOptions;
  readonly #project: string;
  readonly #job: string;
  readonly #ids: IdMap;
  readonly #issues = new Issues(INVALID, true);
  readonly #violations = new Issues(undefined, true);
  readonly #order = new PartOrder();
  readonly #files: StagedFiles;
  readonly #counts = { assets: 0, items: 0, variants: 0 };
  #folders: ReadonlySet<string> = new Set();
  #done = 0;

  private constructor(
    operations: Operations,
    head: ReadHead,
    options: ImportOptions & { readonly project: string },
    job: string,
  ) {
    this.#operations = operations;
    this.#head = head;
    this.#options = options;
    this.#project = options.project;
    this.#job = job;
    this.#ids = new IdMap(head.project.id, options.project);
    this.#files = new StagedFiles(operations.blobs, this.#issues);
  }

  static async begin(
    operations: Operations,
    head: ReadHead,
    options: ImportOptions & { readonly project: string },
  ): Promise<Importer> {
    const actor = options.actor ?? null;
    const { job } = await operations.installation(actor, async (to) => {
      const made = await createProject(to, { id: options.project, name: options.name ?? head.project.name });
      await to.tx.run('UPDATE project SET archived = ? WHERE number = ?', [to.tx.now, made.number]);
      const id = to.options.newId();
      const total = stepsOf(head.counts);
      const subject = `archive ${head.archive}`;
      const owner = operations.storage.owner.id;
      await startJob(to.tx, { id, kind: IMPORT, project: made.number, subject, total, actor, owner });
      return { id: made.id, job: id };
    });
    return new Importer(operations, head, options, job);
  }

  async run(entries: AsyncIterable<ArchiveEntry>, signal: AbortSignal): Promise<Imported> {
    try {
      for await (const entry of entries) {
        signal.throwIfAborted();
        await this.#entry(entry);
      }
      if (!this.#order.isWhole) throw damaged('it ends too early; was it cut off?');
      return await this.#finish(signal);
    } catch (error) {
      const reason =
        signal.reason instanceof ServiceError ? await this.#stopReason(signal.reason) : this.#reason(error);
      await this.#files.drop();
      await removeImport(this.#operations.storage, this.#job, reason.message);
      throw reason;
    }
  }

  /** The project may have been removed by another process that has taken over the job. */
  #stopReason(reason: ServiceError): Promise<Error> {
    return this.#stopped(this.#operations.storage.sql).then(
      (stopped) => stopped ?? reason,
      () => reason,
    );
  }

  /** Reports damage of the archive together with the issues so far. */
  #reason(error: unknown): Error {
    if (!this.#issues.any || !(error instanceof ServiceError) || error.errorName !== 'badRequest')
      return error as Error;
    this.#issues.location = {};
    this.#issues.within = '';
    this.#issues.add(error.message);
    try {
      this.#issues.refuse();
    } catch (refusal) {
      return refusal as Error;
    }
    return error;
  }

  async #entry(entry: ArchiveEntry): Promise<void> {
    const issues = this.#issues;
    const part = this.#order.next(entry.name);
    issues.location = { file: entry.name };
    issues.within = '';
    switch (part) {
      case 'files':
        // An export writes at most one for each asset.
        if (this.#files.count >= this.#head.counts.assets)
          throw damaged('it has more files than assets, by the counts of headwater.json');
        return this.#files.take(entry);
      case 'model.json': {
        const model = await readLongJson(issues, await entry.text());
        return this.#write(1, async (transaction) => {
          this.#folders = await importModel(transaction, issues, model);
        });
      }
      case 'end.json': {
        const counts = readJson(issues, await entry.text());
        const isSame = JSON.stringify(counts) === JSON.stringify(this.#head.counts);
        if (!isSame) issues.add('The counts are not those of headwater.json.');
        return;
      }
      default:
        for await (const rows of batches(entry, issues)) {
          this.#counts[part] += rows.length;
          await this.#write(rows.length, (transaction) => this.#rows(part, transaction, rows));
          if (this.#counts[part] > this.#head.counts[part])
            throw damaged(`it has more ${part} than headwater.json says`);
        }
    }
  }

  #rows(part: keyof ArchiveCounts, transaction: ProjectTransaction, rows: readonly ReadRow[]): Promise<void> {
    const context = { issues: this.#issues, ids: this.#ids };
    switch (part) {
      case 'assets':
        return importAssets(transaction, rows, { ...context, folders: this.#folders, files: this.#files });
      case 'items':
        return importItems(transaction, rows, context);
      case 'variants':
        return importVariants(transaction, rows, { ...context, violations: this.#violations });
    }
  }

  /** Checks the archive as a whole, then makes the project visible. */
  async #finish(signal: AbortSignal): Promise<Imported> {
    const { storage } = this.#operations;
    const issues = this.#issues;
    issues.location = { file: 'headwater.json' };
    for (const [kind, count] of Object.entries(this.#counts))
      if (Reflect.get(this.#head.counts, kind) !== count)
        issues.add(`There are ${count} ${kind} in the archive.`, `counts.${kind}`);
    issues.location = {};
    const mixed = await storage.sql.get(
      `SELECT v.schedule FROM variant v JOIN item i ON i.number = v.item JOIN project p ON p.number = i.project
       WHERE p.id = ? AND v.schedule IS NOT NULL GROUP BY v.schedule
       HAVING min(v.scheduled_to) <> max(v.scheduled_to) LIMIT 1`,
      [this.#project],
    );
    if (mixed) issues.add('Variants of one schedule are scheduled to different times.', 'schedule');
    await this.#files.check();
    issues.refuse();
    signal.throwIfAborted();
    await this.#files.keep();
    await storage.gatherStatistics();
    await this.#operations.installation(this.#options.actor ?? null, async ({ tx, actor }) => {
      await this.#refuseStopped(tx);
      await this.#options.finish?.(tx);
      const project = await tx.get<{ number: number }>('SELECT number FROM project WHERE id = ?', [
        this.#project,
      ]);
      const { number } = project ?? { number: 0 };
      await this.#files.describe(tx, number);
      await tx.run('UPDATE project SET archived = NULL WHERE number = ?', [number]);
      await endJob(tx, this.#job, 'done');
      tx.stamp(number);
      tx.change({
        project: number,
        projectId: this.#project,
        type: 'project',
        operation: 'import',
        object: this.#project,
        tags: [projectTag(this.#project), PROJECTS],
        actor,
      });
    });
    return {
      ...this.#head.counts,
      project: this.#project,
      job: this.#job,
      repeated: false,
      violations: this.#violations.list,
    };
  }

  /** Writes one batch and its progress. */
  async #write(count: number, work: (transaction: ProjectTransaction) => Promise<void>): Promise<void> {
    const { actor = null, progress } = this.#options;
    const total = stepsOf(this.#head.counts);
    this.#done += count;
    await this.#operations.inProject(
      this.#project,
      actor,
      async (transaction) => {
        await this.#refuseStopped(transaction.tx);
        await work(transaction);
        transaction.change('project', 'import', transaction.project.id, [projectTag(transaction.project.id)]);
        // Only `#finish` reports the last step.
        await progressJob(transaction.tx, this.#job, this.#done, total);
      },
      { archived: true },
    );
    progress?.(Math.min(this.#done, total), total);
  }

  /** @throws conflict once the job was canceled, unavailable once another process has taken it over */
  async #refuseStopped(sql: Sql): Promise<void> {
    const stopped = await this.#stopped(sql);
    if (stopped) throw stopped;
  }

  async #stopped(sql: Sql): Promise<ServiceError | undefined> {
    const state = await stateOfOwnJob(sql, this.#job, this.#operations.storage.owner.id);
    if (state === 'running') return undefined;
    if (state === 'canceled') return new ServiceError('conflict', CANCELED);
    return new ServiceError('unavailable', TAKEN_OVER);
  }
}

async function* batches(entry: ArchiveEntry, issues: Issues): AsyncGenerator<readonly ReadRow[]> {
  for await (const lines of readAhead(lineBatches(entry))) {
    const rows: ReadRow[] = [];
    for (const { row, text } of lines) {
      if (isTurnLong()) await nextTurn();
      const location = { file: entry.name, row };
      issues.location = location;
      rows.push({ location, value: await readLongJson(issues, text) });
    }
    yield rows;
  }
}

async function* lineBatches(entry: ArchiveEntry): AsyncGenerator<readonly Line[]> {
  let lines: Line[] = [];
  let size = 0;
  for await (const line of entry.lines()) {
    if (isTurnLong()) await nextTurn();
    lines.push(line);
    size += line.text.length;
    if (lines.length < BATCH && size < BATCH_CHARACTERS) continue;
    yield lines;
    lines = [];
    size = 0;
  }
  if (lines.length > 0) yield lines;
}
