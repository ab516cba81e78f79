import type { Language } from '../model/model.ts';
import { timestamp } from '../storage/timestamp.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { Item } from './item-rows.ts';
import type { VariantRow } from './variant-rows.ts';

/** The longest time whose drafts become one version, in milliseconds. */
const SITTING = 600_000;

/**
 * The console saves every few seconds; what a person writes in one sitting is one version. Removes the draft that the next one
 * replaces: where the same person wrote it in the console in this sitting, and nothing else was done with the variant or its
 * item since. The change log has every save.
 *
 * @param row with the draft; undefined: there is no variant
 * @returns when the sitting of the next version began
 */
export async function continueSitting(
  { tx, actor, now }: ProjectTransaction,
  item: Pick<Item, 'id'>,
  language: Pick<Language, 'id'>,
  row: Pick<VariantRow, 'draft' | 'published'> | undefined,
): Promise<string> {
  if (!row || row.draft === null || row.draft === row.published) return now;
  const draft = await tx.get<{ sitting: string }>(
    `SELECT n.sitting AS sitting FROM version n WHERE n.number = ? AND n.account = ? AND n.sitting > ?
       AND NOT EXISTS (SELECT 1 FROM change c WHERE c.object IN (?, ?) AND c.sequence > n.sequence)`,
    [row.draft, actor, timestamp(Date.parse(now) - SITTING), item.id, `${item.id}/${language.id}`],
  );
  if (!draft) return now;
  await tx.run('DELETE FROM version WHERE number = ?', [row.draft]);
  return draft.sitting;
}
