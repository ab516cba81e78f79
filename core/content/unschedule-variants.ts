import type { ProjectTransaction } from '../transaction/project-transaction.ts';

/**
 * Removes variants of an item from their schedules, and cancels schedules that become empty.
 * @param language storage number; default: all languages
 * @returns languages of the variants that were scheduled
 */
export async function unscheduleVariants(
  transaction: ProjectTransaction,
  item: number,
  language?: number,
): Promise<ReadonlySet<number>> {
  const { tx } = transaction;
  const own = language === undefined ? 'item = ?' : 'item = ? AND language = ?';
  const parameters = language === undefined ? [item] : [item, language];
  const scheduled = await tx.all<{ language: number; schedule: string | null }>(
    `SELECT language, schedule FROM variant WHERE ${own} AND scheduled_to IS NOT NULL`,
    parameters,
  );
  if (scheduled.length === 0) return new Set();
  await tx.run(`UPDATE variant SET scheduled_to = NULL, schedule = NULL WHERE ${own}`, parameters);
  for (const schedule of new Set(scheduled.map((one) => one.schedule)))
    await tx.run(
      `UPDATE job SET state = 'canceled', updated = ? WHERE id = ? AND state = 'waiting'
       AND NOT EXISTS (SELECT 1 FROM variant WHERE schedule = ?)`,
      [tx.now, schedule, schedule],
    );
  return new Set(scheduled.map(({ language: one }) => one));
}
