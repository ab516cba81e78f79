import { projectTag } from '../changes/tags.ts';
import { BackgroundDuty } from '../jobs/background-duty.ts';
import { RECOMPILE } from '../jobs/job-kinds.ts';
import { failInterruptedJobs, progressJob, startJob } from '../jobs/jobs.ts';
import { loadModel } from '../model/load-model.ts';
import type { ProjectModel } from '../model/model.ts';
import { readNumbers } from '../storage/listings/numbers-in-rows.ts';
import type { Duty } from '../storage/owner.ts';
import type { Reader, Storage } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { BEYOND_NAMES, STALE, USE } from '../storage/stale.ts';
import {
  type CommitParticipant,
  type OperationOptions,
  ProjectTransaction,
} from '../transaction/project-transaction.ts';
import { compileItems } from './compile-items.ts';
import type { CompiledSettings } from './compiled-settings.ts';
import { readRenamed, writeRenamed } from './rename-documents.ts';

/**
 * Items recompiled in one transaction, which other writers wait for, as for a batch of an import. One half is compiled while
 * the other is written, and there are half as many commits: 0.38 instead of 0.44 ms of CPU an item with 100.
 */
const BATCH = 200;

const RETRY_MS = 5000;

const KINDS: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(STALE).map(([name, kind]) => [kind, name]),
);

interface Pending {
  readonly project: number;
  readonly kind: number;
  readonly target: number;
  readonly sequence: number;
  /** 1: nothing but names of elements. */
  readonly is_names: number;
}

/**
 * Compiles stale documents in the background, batch by batch. The remaining work is in the table `pending`, so it survives
 * a restart. Readers never wait for it.
 */
export class Recompiler extends BackgroundDuty {
  readonly #storage: Storage;
  readonly #reader: Reader;
  readonly #options: OperationOptions;
  readonly #settings: CompiledSettings;
  readonly #participants: readonly CommitParticipant[];
  readonly #lookAgain: number | undefined;
  /** A change could not be recompiled in the last run. */
  #hasFailed = false;

  /** @param failed is called when a change could not be recompiled; it stays pending and is tried again */
  constructor(
    storage: Storage,
    options: OperationOptions,
    settings: CompiledSettings,
    participants: readonly CommitParticipant[],
    failed: (error: unknown) => void,
    duty: Duty,
  ) {
    super({ failed, afterFailure: RETRY_MS, duty });
    this.#storage = storage;
    this.#reader = storage.reader({ class: 'background', signal: this.closing.signal });
    this.#options = options;
    this.#settings = settings;
    this.#participants = participants;
    this.#lookAgain = duty.lookAgain;
  }

  protected async next(): Promise<number | undefined> {
    return this.#hasFailed ? RETRY_MS : this.#lookAgain;
  }

  protected async work(): Promise<void> {
    this.#hasFailed = false;
    await failInterruptedJobs(this.#storage, this.#reader, RECOMPILE);
    const pending = await this.#reader.sql.all<Pending>(
      `SELECT p.project AS project, p.kind AS kind, p.target AS target, p.sequence AS sequence,
         CASE WHEN ${BEYOND_NAMES} THEN 0 ELSE 1 END AS is_names FROM pending p ORDER BY p.sequence`,
    );
    for (const change of pending) {
      if (this.isStopped) return;
      // A change that fails stays pending and does not delay the next one.
      await this.#recompile(change).catch((error) => {
        this.#hasFailed = true;
        this.failed(error);
      });
    }
  }

  async #recompile(pending: Pending): Promise<void> {
    const project = await this.#reader.sql.get<{ id: string }>('SELECT id FROM project WHERE number = ?', [
      pending.project,
    ]);
    const items = await this.#staleItems(pending);
    // A single batch is done too soon for a job with progress.
    const job = project && items.length > BATCH ? await this.#startJob(pending, items.length) : null;
    let model: ProjectModel | undefined;
    // A core of another version may show what it has read of a document as long as that has its number.
    const isRenamed = pending.is_names === 1 && !(await this.#storage.registry?.hasOtherVersions());
    // Beside the transaction of the batch before. A batch that cannot be read is reported and compiled.
    const readBatch = async (from: number) => {
      if (!isRenamed || from >= items.length || !project) return undefined;
      return this.#reader
        .snapshot(async (reads) => {
          const present = await currentModel(reads, project.id, model);
          return readRenamed(reads, present, items.slice(from, from + BATCH), pending.sequence);
        })
        .catch((error: unknown) => {
          this.failed(error);
          return undefined;
        });
    };
    let next = readBatch(0);
    for (let done = 0; done < items.length && project; done += BATCH) {
      if (this.isStopped) return;
      const batch = items.slice(done, done + BATCH);
      const renamed = await next;
      next = readBatch(done + BATCH);
      await this.#storage.write(async (tx) => {
        if (job) await progressJob(tx, job, done + batch.length);
        model = await currentModel(tx, project.id, model);
        if (renamed && (await writeRenamed(tx, model, renamed, tx.sequence - 1))) return;
        const transaction = new ProjectTransaction(tx, model, null, this.#options);
        // Readers see no change, so this takes no sequence of its own.
        await compileItems(transaction, batch, this.#settings, tx.sequence - 1);
        // Except where an item lost its url slug with the element: documents that link to it become stale.
        if (transaction.staleMarks.size > 0) {
          this.wake();
          transaction.change('project', 'recompile', project.id, [projectTag(project.id)]);
          await transaction.finish(this.#participants);
        }
      });
    }
    await this.#storage.write((tx) =>
      tx.run('DELETE FROM pending WHERE project = ? AND kind = ? AND target = ? AND sequence = ?', [
        pending.project,
        pending.kind,
        pending.target,
        pending.sequence,
      ]),
    );
  }

  /** @returns its id */
  async #startJob({ project, kind, target }: Pending, total: number): Promise<string> {
    const id = this.#options.newId();
    const subject = `${KINDS[kind] ?? 'project'} ${target}`;
    const owner = this.#storage.owner.id;
    await this.#storage.write((tx) => startJob(tx, { id, kind: RECOMPILE, project, subject, total, owner }));
    return id;
  }

  /** Items with a document that was compiled before the change. */
  async #staleItems({ project, kind, target, sequence, is_names }: Pending): Promise<number[]> {
    const old = 'd.compiled_at < ?';
    const using = (use: string) =>
      `SELECT DISTINCT d.item AS item FROM uses u JOIN document d ON d.number = u.document
       WHERE u.kind IN (${use}) AND u.target = ? AND ${old}`;
    // Hyperlinks show no names of elements.
    const linkingToType = `SELECT DISTINCT d.item AS item FROM item i JOIN uses u ON u.kind = ${USE.hyperlink} AND u.target = i.number
      JOIN document d ON d.number = u.document WHERE i.type = ? AND ${old}`;
    const statements: Record<number, string> = {
      [STALE.project]: `SELECT DISTINCT d.item AS item FROM document d WHERE d.project = ? AND ${old}`,
      [STALE.language]: `SELECT DISTINCT d.item AS item FROM document d WHERE d.language = ? AND ${old}`,
      [STALE.type]: `SELECT DISTINCT d.item AS item FROM document d WHERE d.type = ? AND ${old}
        UNION ${using(`${USE.componentType}`)}
        ${is_names === 1 ? '' : `UNION ${linkingToType}`}`,
      [STALE.item]: using(`${USE.linkedItem}, ${USE.hyperlink}`),
      [STALE.asset]: using(`${USE.asset}`),
    };
    const subject = kind === STALE.project ? project : target;
    const once = [subject, sequence];
    const parameters = kind === STALE.type ? [...once, ...once, ...(is_names === 1 ? [] : once)] : once;
    const from = { text: `FROM (${statements[kind] ?? ''}) d`, parameters };
    return readNumbers(this.#reader.sql, 'd.item', 'd.item', from);
  }
}

/** The model as it is in a transaction. @param before that of the transaction before it, which saves 1 ms where it is the same */
async function currentModel(
  tx: Sql,
  project: string,
  before: ProjectModel | undefined,
): Promise<ProjectModel> {
  if (before) {
    const row = await tx.get<{ sequence: number }>(
      'SELECT model_sequence AS sequence FROM project WHERE id = ?',
      [project],
    );
    if (row?.sequence === before.sequence) return before;
  }
  return loadModel(tx, project);
}
