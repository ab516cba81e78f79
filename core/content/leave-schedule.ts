import type { ProjectTransaction } from '../transaction/project-transaction.ts';

/**
 * Takes variants of an item out of their schedules. A schedule that nothing is left in is canceled.
 * @param language storage number; all variants of the item when not given
 * @returns whether there was one in a schedule
 */
export async function leaveSchedule(
  transaction: ProjectTransaction,
  item: number,
  language?: number,
): Promise<boolean> {
  const { tx } = transaction;
  const own = language === undefined ? 'item = ?' : 'item = ? AND language = ?';
  const parameters = language === undefined ? [item] : [item, language];
  const left = await tx.all<{ schedule: string | null }>(
    `SELECT DISTINCT schedule FROM variant WHERE ${own} AND scheduled_to IS NOT NULL`,
    parameters,
  );
  if (left.length === 0) return false;
  await tx.run(`UPDATE variant SET scheduled_to = NULL, schedule = NULL WHERE ${own}`, parameters);
  for (const { schedule } of left)
    await tx.run(
      `UPDATE job SET state = 'canceled', updated = ? WHERE id = ? AND state = 'waiting'
       AND NOT EXISTS (SELECT 1 FROM variant WHERE schedule = ?)`,
      [tx.now, schedule, schedule],
    );
  return true;
}
