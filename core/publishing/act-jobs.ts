import { interruptedJobs, type OwnedJob, takeOverJob } from '../jobs/interrupted-jobs.ts';
import { ACT_ON_MANY } from '../jobs/job-kinds.ts';
import { isRefusal, reasonOf } from '../jobs/reason-of.ts';
import { untilDone } from '../jobs/until-done.ts';
import type { Transaction } from '../storage/ports.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { applyAct, insertObjects } from './act-on-many.ts';
import { type ActedObject, takeBack } from './act-snapshots.ts';
import { type ActObject, readTargets } from './act-targets.ts';
import { ACTS, type ActInput, type ActName } from './acts.ts';
import { checkDrafts, type PlannedTarget } from './plan-act.ts';
import { refuseViolations } from './refuse-invalid.ts';

/** Objects that one transaction enters. */
const ENTERED = 5000;

/** Objects that one statement reads. */
const READ = 1000;

/** Objects that one transaction takes back. */
const TAKEN_BACK = 200;

const INTERRUPTED = 'The service stopped meanwhile; what was done was taken back.';

interface ActJob extends OwnedJob {
  readonly project: string;
  readonly actor: string | null;
  readonly act: ActName;
  readonly input: string;
}

/**
 * Runs acts on more objects than one transaction acts on. All drafts are checked before the first change. Then readers
 * see each transaction at once; when one fails, the act is canceled or its process ends, what was done is taken back. A
 * job with the state `canceled` and objects is being taken back, so that this continues after a kill.
 */
export class ActJobs {
  readonly #operations: Pick<Operations, 'storage' | 'inProject' | 'read'>;
  readonly #allowsInvalid: boolean;
  readonly #failed: (error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  /**
   * @param allowsInvalid see `OperationOptions`
   * @param failed receives internal errors that end an act
   */
  constructor(
    operations: Pick<Operations, 'storage' | 'inProject' | 'read'>,
    allowsInvalid: boolean,
    failed: (error: unknown) => void,
  ) {
    this.#operations = operations;
    this.#allowsInvalid = allowsInvalid;
    this.#failed = failed;
  }

  /**
   * Runs a job of this process, or takes it back if it is canceled. Returns at once.
   * @param objects those of a new job
   */
  run(job: string, objects: readonly ActObject[] = []): void {
    if (this.#closing.signal.aborted || this.#running.has(job)) return;
    const running = this.#work(job, objects)
      .catch(this.#failed)
      .finally(() => this.#running.delete(job));
    this.#running.set(job, running);
  }

  /** Takes back acts whose process has ended; call at the start, when one ends, and after a restore. */
  async takeOver(): Promise<void> {
    const { storage } = this.#operations;
    // Found by their states: every act of the installation is of this kind.
    const jobs = await storage.sql.all<OwnedJob>(
      `SELECT id, owner FROM job WHERE kind || '' = ? AND (state = 'running' OR state = 'canceled' AND EXISTS
         (SELECT 1 FROM act_object o WHERE o.job = job.id))`,
      [ACT_ON_MANY],
    );
    for (const job of await interruptedJobs(storage.owner, jobs)) {
      const isOwn = await storage.write(async (tx) => {
        if (!(await takeOverJob(tx, job, storage.owner))) return false;
        await tx.run(
          `UPDATE job SET error = ?, state = 'canceled', updated = ? WHERE id = ? AND state = 'running'`,
          [INTERRUPTED, tx.now, job.id],
        );
        return true;
      });
      if (!isOwn) continue;
      // After a restore, this process may still run it: that ends at its next transaction.
      await this.#running.get(job.id);
      this.run(job.id);
    }
  }

  /** Resolves when no job runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Interrupts the jobs; the next start takes them back. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  async #work(id: string, objects: readonly ActObject[]): Promise<void> {
    const { storage, inProject } = this.#operations;
    const { signal } = this.#closing;
    const job = await storage.sql.get<ActJob>(
      `SELECT j.id AS id, j.owner AS owner, p.id AS project, j.actor AS actor, a.name AS act, a.input AS input
       FROM job j JOIN act a ON a.job = j.id JOIN project p ON p.number = j.project WHERE j.id = ?`,
      [id],
    );
    if (!job) return;
    try {
      await this.#enter(job, objects);
      await this.#check(job);
      while (!signal.aborted && (await inProject(job.project, job.actor, (to) => this.#advance(to, job)))) {}
    } catch (error) {
      if (!isRefusal(error)) this.#failed(error);
      const cancel = (tx: Transaction) =>
        tx.run(
          `UPDATE job SET state = 'canceled', error = ?, updated = ? WHERE id = ? AND state = 'running'`,
          [reasonOf(error), tx.now, id],
        );
      await untilDone(() => storage.write(cancel), this.#failed, signal);
    }
    // The project may have been archived meanwhile.
    const takeBack = () =>
      inProject(job.project, job.actor, (to) => this.#takeBack(to, job), { archived: true });
    while (!signal.aborted && (await untilDone(takeBack, this.#failed, signal))) {}
  }

  /** In several transactions, because other writers wait for each. */
  async #enter({ id, project, actor }: ActJob, objects: readonly ActObject[]): Promise<void> {
    for (let at = 0; at < objects.length && !this.#closing.signal.aborted; at += ENTERED)
      await this.#operations.inProject(project, actor, async (transaction) => {
        if (await this.#isMine(transaction, id, 'running'))
          await insertObjects(transaction, id, objects.slice(at, at + ENTERED), at);
      });
  }

  /** @throws invalidBody when a draft breaks rules of its type; nothing has changed yet */
  async #check({ id, project, act, input }: ActJob): Promise<void> {
    if (!ACTS[act].needsValid || this.#allowsInvalid) return;
    const parsed: ActInput = JSON.parse(input);
    const { violations } = await this.#operations.read(project, async (view) => {
      const targets: PlannedTarget[] = [];
      for (let after: number | undefined = -1; after !== undefined; ) {
        const objects: readonly (ActObject & { readonly position: number })[] = await view.tx.all(
          `SELECT position, item, language FROM act_object WHERE job = ? AND before IS NULL AND position > ?
           ORDER BY position LIMIT ?`,
          [id, after, READ],
        );
        for (const target of await readTargets(view, objects))
          targets.push({ ...target, change: ACTS[act].changeOf(target, parsed) });
        after = objects.at(-1)?.position;
      }
      return checkDrafts(view, act, targets);
    });
    refuseViolations(violations);
  }

  /** Acts on some objects. @returns whether there are more */
  async #advance(transaction: ProjectTransaction, { id, act, input }: ActJob): Promise<boolean> {
    if (!(await this.#isMine(transaction, id, 'running'))) return false;
    const { tx } = transaction;
    const { batch, changeOf } = ACTS[act];
    const parsed: ActInput = JSON.parse(input);
    const found = await tx.all<ActObject & { position: number }>(
      'SELECT position, item, language FROM act_object WHERE job = ? AND before IS NULL ORDER BY position LIMIT ?',
      [id, batch + mostOfItem(transaction)],
    );
    const rows = ofWholeItems(found, batch);
    const positions = new Map<string, number>();
    for (const { item, language, position } of rows) {
      positions.set(`${item}:${language}`, position);
      // The act may have changed the whole item.
      if (!positions.has(`${item}:null`)) positions.set(`${item}:null`, position);
    }
    // Someone may have changed them since the plan.
    const targets = (await readTargets(transaction, rows)).filter(
      (target) => changeOf(target, parsed) !== 'none',
    );
    if (transaction.options.allowInvalid !== true) {
      const planned = targets.map((target) => ({ ...target, change: changeOf(target, parsed) }));
      refuseViolations((await checkDrafts(transaction, act, planned)).violations);
    }
    const acted = await applyAct(transaction, act, parsed, targets);
    const among = tx.among(
      'position',
      rows.map(({ position }) => position),
    );
    await tx.run(`DELETE FROM act_object WHERE job = ? AND ${among.text}`, [id, among.parameter]);
    await tx.insert(
      'act_object',
      ['job', 'position', 'item', 'language', 'before', 'after'],
      acted.map(({ item, language, before, after }) => [
        id,
        positions.get(`${item}:${language}`) ?? 0,
        item,
        language,
        before,
        after,
      ]),
    );
    const isDone = rows.length === found.length;
    await tx.run(
      `UPDATE job SET done = done + ?, updated = ?, total = CASE WHEN ? = 1 THEN done + ? ELSE total END, state = ? WHERE id = ?`,
      [acted.length, tx.now, isDone ? 1 : 0, acted.length, isDone ? 'done' : 'running', id],
    );
    return !isDone;
  }

  /** Takes some objects back, the last ones first. @returns whether there are more */
  async #takeBack(transaction: ProjectTransaction, { id }: ActJob): Promise<boolean> {
    if (!(await this.#isMine(transaction, id, 'canceled'))) return false;
    const { tx } = transaction;
    const found = await tx.all<ActedObject & { position: number }>(
      `SELECT position, item, language, before, after FROM act_object WHERE job = ? AND before IS NOT NULL
       ORDER BY position DESC LIMIT ?`,
      [id, TAKEN_BACK + mostOfItem(transaction)],
    );
    const rows = ofWholeItems(found, TAKEN_BACK);
    const kept = await takeBack(transaction, rows.toReversed());
    const among = tx.among(
      'position',
      rows.map(({ position }) => position),
    );
    await tx.run(`DELETE FROM act_object WHERE job = ? AND ${among.text}`, [id, among.parameter]);
    await tx.run('UPDATE job SET done = done - ?, updated = ? WHERE id = ?', [
      rows.length - kept,
      tx.now,
      id,
    ]);
    if (rows.length < found.length) return true;
    await tx.run('DELETE FROM act_object WHERE job = ?', [id]);
    await tx.run(
      `UPDATE job SET state = CASE WHEN error IS NULL THEN 'canceled' ELSE 'failed' END WHERE id = ?`,
      [id],
    );
    return false;
  }

  async #isMine({ tx }: ProjectTransaction, id: string, state: 'running' | 'canceled'): Promise<boolean> {
    const row = await tx.get<{ state: string; owner: string | null }>(
      'SELECT state, owner FROM job WHERE id = ?',
      [id],
    );
    return row?.state === state && row.owner === this.#operations.storage.owner.id;
  }
}

/** Most objects of one item: itself and its variants. */
function mostOfItem({ model }: ProjectTransaction): number {
  return model.languages.length + 1;
}

/** The first objects, and those behind them that belong to the last item: a transaction acts on all variants of an item. */
function ofWholeItems<T extends ActObject>(objects: readonly T[], count: number): T[] {
  const last = objects[count - 1]?.item;
  return objects.filter(({ item }, index) => index < count || item === last);
}
