import type { ProjectTransaction } from '../transaction/project-transaction.ts';

/**
 * Removes variants of an item from their schedules, and cancels schedules that become empty.
 * @param language storage number; default: all languages
 * @returns whether a variant was scheduled
 */
export async function unscheduleVariants(
  transaction: ProjectTransaction,
  item: number,
  language?: number,
): Promise<boolean> {
  const { tx } = transaction;
  const own = language === undefined ? 'item = ?' : 'item = ? AND language = ?';
  const parameters = language === undefined ? [item] : [item, language];
  const schedules = await tx.all<{ schedule: string | null }>(
    `SELECT DISTINCT schedule FROM variant WHERE ${own} AND scheduled_to IS NOT NULL`,
    parameters,
  );
  if (schedules.length === 0) return false;
  await tx.run(`UPDATE variant SET scheduled_to = NULL, schedule = NULL WHERE ${own}`, parameters);
  for (const { schedule } of schedules)
    await tx.run(
      `UPDATE job SET state = 'canceled', updated = ? WHERE id = ? AND state = 'waiting'
       AND NOT EXISTS (SELECT 1 FROM variant WHERE schedule = ?)`,
      [tx.now, schedule, schedule],
    );
  return true;
}
