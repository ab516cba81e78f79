import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ServiceError } from '../errors.ts';
import { failJobsOfEndedProcesses } from '../jobs/interrupted-jobs.ts';
import { CLONE, EXPORT, type JobKind } from '../jobs/job-kinds.ts';
import { endJob, findJob, type Job, listJobs, progressJob, startJob, stateOfOwnJob } from '../jobs/jobs.ts';
import { isRefusal, reasonOf } from '../jobs/reason-of.ts';
import { untilDone } from '../jobs/until-done.ts';
import { checkName, Issues } from '../model/issues.ts';
import type { Storage, Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { timestamp } from '../storage/timestamp.ts';
import { type Installation, projectRow } from '../transaction/installation.ts';
import type { Operations } from '../transaction/operations.ts';
import { stepsOf } from './archive-rows.ts';
import { countRows, exportProject } from './export-project.ts';
import { importProject } from './import-project.ts';

/** Most jobs of a process at a time. */
const MOST = 2;
const PROGRESS_MS = 250;
const HOUR = 3_600_000;
/** Archives are removed after this time. */
export const ARCHIVE_MS = 24 * HOUR;
const NAME_LIMIT = 100;

/** What an export has made. */
interface Archive {
  readonly hash: string;
  readonly size: number;
}

type Report = (done: number, total: number) => void;

/**
 * Exports and clones projects as jobs. An archive is kept among the files for a day. A job that the end of its process
 * interrupts fails and is started again by hand: nothing of it remains.
 */
export class TransferJobs {
  readonly #operations: Operations;
  readonly #failed: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** @param failed receives internal errors that end a job */
  constructor(operations: Operations, failed: (error: unknown) => void) {
    this.#operations = operations;
    this.#failed = failed;
  }

  /** Removes archives that have expired, now and then. */
  start(): void {
    const remove = () => void this.#removeExpired().catch(this.#failed);
    this.#timer = setInterval(remove, HOUR).unref();
    remove();
  }

  /**
   * Creates the job of an export; `runExport` starts it.
   * @throws unknownProject, conflict while the project is exported, unavailable while the most jobs run
   */
  async createExport(to: Installation, project: string): Promise<string> {
    this.#refuseMany();
    const { number, id } = await projectRow(to.tx, project);
    const running = await listJobs(to.tx, { project: id, kind: EXPORT, state: 'running', limit: 1 });
    if (running.length > 0) throw new ServiceError('conflict', 'The project is being exported already.');
    return this.#create(to, EXPORT, number, 'archive', await totalOf(to.tx, number));
  }

  runExport(job: string, project: string): void {
    this.#run(job, async (report, signal) => {
      const { storage, blobs } = this.#operations;
      const bytes = new PassThrough({ highWaterMark: 2 ** 20 });
      const stored = blobs.put(bytes);
      // What the export writes has no reader then.
      stored.catch((error) => bytes.destroy(error));
      const created = timestamp(storage.now());
      const exported = exportProject(this.#operations, project, bytes, {
        archive: job,
        created,
        progress: report,
        signal,
      });
      await exported.catch(() => {});
      // An error of the export ends the stream, and the storing with the same error.
      const { hash, size } = await stored;
      try {
        await storage.write((tx) => this.#done(tx, job, { hash, size } satisfies Archive));
      } catch (error) {
        await blobs.remove(hash);
        throw error;
      }
    });
  }

  /**
   * Creates the job of a clone; `runClone` starts it.
   * @throws unknownProject, invalidBody, unavailable while the most jobs run
   */
  async createClone(to: Installation, project: string, name: string): Promise<{ job: string; id: string }> {
    this.#refuseMany();
    const issues = new Issues();
    checkName(issues, name, NAME_LIMIT);
    issues.refuse();
    const { number } = await projectRow(to.tx, project);
    const id = to.options.newId();
    const total = 2 * (await totalOf(to.tx, number)) + 1;
    return { job: await this.#create(to, CLONE, number, `${name} ${id}`, total), id };
  }

  runClone(
    job: string,
    project: string,
    into: { readonly id: string; readonly name: string; readonly actor: string | null },
  ): void {
    this.#run(job, async (report, signal) => {
      const folder = await this.#operations.temporary.make('clone');
      const file = join(folder, 'archive.tar');
      try {
        let exported = 0;
        const to = createWriteStream(file, { flags: 'wx', mode: 0o600 });
        await exportProject(this.#operations, project, to, {
          archive: job,
          created: timestamp(this.#operations.storage.now()),
          signal,
          progress: (done, total) => {
            exported = done;
            report(done, 2 * total + 1);
          },
        });
        await importProject(this.#operations, createReadStream(file), {
          project: into.id,
          name: into.name,
          actor: into.actor,
          signal,
          progress: (done, total) => report(exported + done, exported + total),
          finish: (tx) => this.#done(tx, job, { project: into.id }),
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }

  /** @throws objectNotFound where there is no such export, conflict where it has no archive */
  async open(
    project: string,
    job: string,
  ): Promise<{ readonly content: AsyncIterable<Uint8Array>; readonly size: number }> {
    const found = await exportOf(this.#operations.storage.sql, project, job);
    const archive = archiveOf(found);
    // A restored database may name archives that are not there.
    if (archive && (await this.#operations.blobs.size(archive.hash)) !== undefined)
      return { content: this.#opened(archive.hash), size: archive.size };
    throw new ServiceError(
      'conflict',
      found.state === 'done'
        ? 'The archive was removed; archives are kept for a day. Export the project again.'
        : `The export is ${found.state}; it has no archive.`,
    );
  }

  /** Opens the archive when the first piece is read: an answer to HEAD, whose body is not read, keeps no file open. */
  async *#opened(hash: string): AsyncGenerator<Uint8Array> {
    yield* this.#operations.blobs.openOnce(hash);
  }

  /** Cancels an export that runs, and removes the archive of one that is done. */
  async remove(tx: Transaction, project: string, job: string): Promise<() => Promise<void>> {
    const found = await exportOf(tx, project, job);
    if (found.state === 'running') await endJob(tx, job, 'canceled');
    return () => this.#removeArchive(found);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.idle();
  }

  #refuseMany(): void {
    if (this.#running.size >= MOST)
      throw new ServiceError(
        'unavailable',
        `${MOST} projects are being copied just now. Try again when one is done.`,
      );
  }

  async #create(
    { tx, actor, options }: Installation,
    kind: JobKind,
    project: number,
    subject: string,
    total: number,
  ): Promise<string> {
    const id = options.newId();
    const owner = this.#operations.storage.owner.id;
    await startJob(tx, { id, kind, project, subject, total, actor, owner });
    return id;
  }

  /** Runs in the background; writes progress, and stops where the job was canceled. */
  #run(job: string, work: (report: Report, signal: AbortSignal) => Promise<void>): void {
    const { storage } = this.#operations;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closing.signal]);
    let progress: readonly [done: number, total: number] | undefined;
    let isWriting = false;
    const timer = setInterval(async () => {
      if (isWriting) return;
      isWriting = true;
      try {
        const state = await stateOfOwnJob(storage.sql, job, storage.owner.id);
        if (state !== 'running') return stop.abort(new ServiceError('conflict', 'The job was canceled.'));
        const [done, total] = progress ?? [];
        progress = undefined;
        // The project may have grown since the job was made.
        if (done !== undefined && total !== undefined)
          await storage.write((tx) => progressJob(tx, job, done, total));
      } catch (error) {
        this.#failed(error);
      } finally {
        isWriting = false;
      }
    }, PROGRESS_MS);
    const running = work((done, total) => {
      progress = [done, total];
    }, signal)
      .finally(() => clearInterval(timer))
      .catch((error: unknown) => untilDone(() => this.#end(job, error), this.#failed, this.#closing.signal))
      .catch(this.#failed)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #end(job: string, error: unknown): Promise<void> {
    const { storage } = this.#operations;
    if ((await stateOfOwnJob(storage.sql, job, storage.owner.id)) !== 'running') return;
    const isStopping = this.#closing.signal.aborted;
    await storage.write((tx) => endJob(tx, job, 'failed', isStopping ? STOPPED : reasonOf(error)));
    if (!isStopping && !isRefusal(error)) this.#failed(error);
  }

  /** @throws conflict where the job was canceled in the last moment */
  async #done(tx: Transaction, job: string, result: object): Promise<void> {
    const { state } = await findJob(tx, job);
    if (state !== 'running') throw new ServiceError('conflict', 'The job was canceled.');
    await endJob(tx, job, 'done', null, JSON.stringify(result));
  }

  async #removeExpired(): Promise<void> {
    const { storage } = this.#operations;
    const before = timestamp(storage.now().getTime() - ARCHIVE_MS);
    const expired = await storage.sql.all<Pick<Job, 'id' | 'kind' | 'result'>>(
      'SELECT id, kind, result FROM job WHERE kind = ? AND result IS NOT NULL AND updated < ?',
      [EXPORT, before],
    );
    for (const job of expired) await this.#removeArchive(job);
  }

  /** Unless an asset has the same content. */
  async #removeArchive(job: Pick<Job, 'id' | 'kind' | 'result'>): Promise<void> {
    const archive = archiveOf(job);
    if (!archive) return;
    const { storage, blobs } = this.#operations;
    const asset = await storage.sql.get('SELECT hash FROM file WHERE hash = ? LIMIT 1', [archive.hash]);
    // First: nothing else knows of the archive, so that it would stay where this fails.
    if (!asset) await blobs.remove(archive.hash);
    await storage.write((tx) => tx.run('UPDATE job SET result = NULL WHERE id = ?', [job.id]));
  }
}

/** @throws objectNotFound */
async function exportOf(sql: Sql, project: string, job: string): Promise<Job> {
  const found = await findJob(sql, job);
  if (found.kind === EXPORT && found.project === project) return found;
  throw new ServiceError('objectNotFound', `The project has no export with the id '${job}'.`);
}

/** Of the archive that an export has made; undefined without one, or once it was removed. */
export function archiveOf({ kind, result }: Pick<Job, 'kind' | 'result'>): Archive | undefined {
  return kind === EXPORT && result !== null ? (JSON.parse(result) as Archive) : undefined;
}

async function totalOf(tx: Transaction, project: number): Promise<number> {
  return stepsOf(await countRows(tx, project));
}

const STOPPED = 'The service stopped meanwhile; nothing of it was kept. Start it again.';

/** Marks exports and clones as failed that the end of their process interrupted. */
export function failInterruptedTransfers(storage: Storage): Promise<void> {
  return failJobsOfEndedProcesses(storage, [EXPORT, CLONE], STOPPED);
}
