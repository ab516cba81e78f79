import { type Age, DailyRetention } from '../jobs/daily-retention.ts';
import type { Transaction } from '../storage/ports.ts';

/** Objects that one transaction removes. */
const BATCH = 2000;

/** Removes acts on many objects: they can no longer be undone. Their jobs and the change log stay. */
export class ActRetention extends DailyRetention {
  protected remove({ before }: Age): Promise<void> {
    return this.inBatches((tx) => removeActs(tx, before));
  }
}

/** @returns whether there may be more */
async function removeActs(tx: Transaction, before: string): Promise<boolean> {
  const act = await tx.get<{ job: string }>(
    `SELECT a.job AS job FROM act a LEFT JOIN job j ON j.id = a.job
     WHERE a.created < ? AND (j.id IS NULL OR j.state <> 'running' AND j.updated < ?) LIMIT 1`,
    [before, before],
  );
  if (!act) return false;
  const { job } = act;
  const objects = await tx.all<{ position: number }>(
    `SELECT position FROM act_object WHERE job = ? ORDER BY position LIMIT ${BATCH}`,
    [job],
  );
  await tx.run('DELETE FROM act_object WHERE job = ? AND position <= ?', [
    job,
    objects.at(-1)?.position ?? -1,
  ]);
  if (objects.length < BATCH) await tx.run('DELETE FROM act WHERE job = ?', [job]);
  return true;
}
