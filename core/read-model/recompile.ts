import { projectTag } from '../changes/tags.ts';
import { progressJob, startJob } from '../jobs/jobs.ts';
import { loadModel } from '../model/load-model.ts';
import type { Reader, Storage } from '../storage/ports.ts';
import { STALE, USE } from '../storage/stale.ts';
import {
  type CommitParticipant,
  type OperationOptions,
  ProjectTransaction,
} from '../transaction/project-transaction.ts';
import { type ReadSideSettings, writeItems } from './read-side.ts';

/** Items recompiled in one transaction: some 50 ms, so that other writers are not held up. */
const BATCH = 50;

const RETRY_MS = 5000;

const KINDS: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(STALE).map(([name, kind]) => [kind, name]),
);

interface Pending {
  readonly project: number;
  readonly kind: number;
  readonly target: number;
  readonly sequence: number;
}

/**
 * Moves stale documents to what they were compiled from by now, in the background, batch by batch. What is
 * left to do is in the `pending` table, so it survives a restart; readers never wait for it.
 */
export class Recompiler {
  readonly #storage: Storage;
  readonly #closing = new AbortController();
  readonly #reader: Reader;
  readonly #options: OperationOptions;
  readonly #settings: ReadSideSettings;
  readonly #participants: readonly CommitParticipant[];
  readonly #failed: (error: unknown) => void;
  #running: Promise<void> | null = null;
  #again = false;

  /** @param failed told of a run that broke off; what is pending stays, and the next wake tries again */
  constructor(
    storage: Storage,
    options: OperationOptions,
    settings: ReadSideSettings,
    participants: readonly CommitParticipant[],
    failed: (error: unknown) => void,
  ) {
    this.#storage = storage;
    this.#reader = storage.reader({ class: 'background', signal: this.#closing.signal });
    this.#options = options;
    this.#settings = settings;
    this.#participants = participants;
    this.#failed = failed;
  }

  /** Something may have become stale. Returns at once. */
  wake(): void {
    if (this.#closing.signal.aborted) return;
    this.#again = true;
    this.#running ??= this.#run()
      .catch((error) => this.#retryLater(error))
      .finally(() => {
        this.#running = null;
        if (this.#again) this.wake();
      });
  }

  /** Resolves when nothing is stale. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#closing.signal.aborted) {
      this.#again = false;
      await this.#closeBrokenOff();
      const pending = await this.#reader.sql.all<Pending & Record<string, number>>(
        'SELECT project, kind, target, sequence FROM pending ORDER BY sequence',
      );
      for (const one of pending) {
        if (this.#closing.signal.aborted) return;
        // One that fails stays pending and must not hold up the others.
        await this.#recompile(one).catch((error) => this.#retryLater(error));
      }
    }
  }

  #retryLater(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#failed(error);
    setTimeout(() => this.wake(), RETRY_MS).unref();
  }

  /** Jobs of a run that failed or of a process that died; what they left is taken up by new ones. */
  async #closeBrokenOff(): Promise<void> {
    const left = await this.#reader.sql.get(
      `SELECT id FROM job WHERE state = 'running' AND kind = 'recompile' LIMIT 1`,
    );
    if (!left) return;
    await this.#storage.write((tx) =>
      tx.run(
        `UPDATE job SET state = 'failed', error = 'broken off', updated = ? WHERE state = 'running' AND kind = 'recompile'`,
        [tx.now],
      ),
    );
  }

  async #recompile(pending: Pending): Promise<void> {
    const project = await this.#reader.sql.get<{ id: string }>('SELECT id FROM project WHERE number = ?', [
      pending.project,
    ]);
    const items = await this.#staleItems(pending);
    // A job that one batch finishes is over before anybody could look at it.
    const job = project && items.length > BATCH ? this.#options.newId() : null;
    if (job)
      await this.#storage.write((tx) =>
        startJob(tx, {
          id: job,
          kind: 'recompile',
          project: pending.project,
          subject: `${KINDS[pending.kind] ?? 'project'} ${pending.target}`,
          total: items.length,
        }),
      );
    for (let done = 0; done < items.length && project; done += BATCH) {
      if (this.#closing.signal.aborted) return;
      const batch = items.slice(done, done + BATCH);
      await this.#storage.write(async (tx) => {
        const transaction = new ProjectTransaction(tx, await loadModel(tx, project.id), null, this.#options);
        // Nothing that readers see changes, so this takes no sequence of its own.
        await writeItems(transaction, batch, this.#settings, tx.sequence - 1);
        // Unless an item lost its url slug with the element: documents that link to it are stale in turn.
        if (transaction.staleMarks.size > 0) {
          this.#again = true;
          transaction.change('project', 'recompile', project.id, [projectTag(project.id)]);
          await transaction.finish(this.#participants);
        }
        if (job) await progressJob(tx, job, done + batch.length);
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

  /** Items with a document compiled before the change. */
  async #staleItems({ project, kind, target, sequence }: Pending): Promise<number[]> {
    const old = 'd.compiled_at < ?';
    const using = (use: string) =>
      `SELECT DISTINCT d.item AS item FROM uses u JOIN document d ON d.number = u.document
       WHERE u.kind IN (${use}) AND u.target = ? AND ${old}`;
    const statements: Record<number, string> = {
      [STALE.project]: `SELECT DISTINCT d.item AS item FROM document d WHERE d.project = ? AND ${old}`,
      [STALE.language]: `SELECT DISTINCT d.item AS item FROM document d WHERE d.language = ? AND ${old}`,
      [STALE.type]: `SELECT DISTINCT d.item AS item FROM document d WHERE d.type = ? AND ${old}
        UNION ${using(`${USE.componentType}`)}
        UNION SELECT DISTINCT d.item AS item FROM item i JOIN uses u ON u.kind = ${USE.hyperlink} AND u.target = i.number
          JOIN document d ON d.number = u.document WHERE i.type = ? AND ${old}`,
      [STALE.item]: using(`${USE.linkedItem}, ${USE.hyperlink}`),
      [STALE.asset]: using(`${USE.asset}`),
    };
    const subject = kind === STALE.project ? project : target;
    const once = [subject, sequence];
    const parameters = kind === STALE.type ? [...once, ...once, ...once] : once;
    const rows = await this.#reader.sql.all<{ item: number }>(statements[kind] ?? '', parameters);
    return rows.map((row) => row.item);
  }
}
