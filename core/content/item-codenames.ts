import { itemIdTag } from '../changes/tags.ts';
import { isCodename, uniqueCodename } from '../model/codename.ts';
import type { Issues } from '../model/issues.ts';
import { markStale } from '../read-model/mark-stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { ITEM_COLUMNS, type ItemRow } from './item-rows.ts';

export function checkItemCodename(issues: Issues, codename: unknown): void {
  if (typeof codename === 'string' && isCodename(codename)) return;
  issues.add(
    'A codename has up to 60 lower-case letters, digits and underscores and does not start with a digit.',
    'codename',
  );
}

/** Items with one of some codenames or ids, as they are and as a transaction adds them. */
export class KnownNames {
  readonly byId = new Map<string, ItemRow>();
  readonly byCodename = new Map<string, ItemRow>();

  static async read(
    { tx, project }: ProjectTransaction,
    wanted: readonly Pick<ItemRow, 'id' | 'codename'>[],
  ): Promise<KnownNames> {
    const known = new KnownNames();
    const rows = await inPieces(wanted, (some) => {
      const codenames = tx.among(
        'codename',
        some.flatMap(({ codename }) => codename ?? []),
      );
      const ids = tx.among(
        'id',
        some.map(({ id }) => id),
      );
      return tx.all<ItemRow>(
        `SELECT ${ITEM_COLUMNS} FROM item i WHERE project = ? AND ${codenames.text}
         UNION SELECT ${ITEM_COLUMNS} FROM item i WHERE project = ? AND ${ids.text}`,
        [project.number, codenames.parameter, project.number, ids.parameter],
      );
    });
    for (const row of rows) known.add(row);
    return known;
  }

  add(row: ItemRow): void {
    const former = this.byId.get(row.id)?.codename;
    if (former != null && this.byCodename.get(former)?.id === row.id) this.byCodename.delete(former);
    this.byId.set(row.id, row);
    if (row.codename !== null) this.byCodename.set(row.codename, row);
  }
}

/** Makes the codename unique. An archived item that has it gets another one. */
export async function freeCodename(
  transaction: ProjectTransaction,
  issues: Issues,
  wanted: string,
  id: string,
  known: KnownNames,
  given: boolean,
): Promise<string> {
  const holder = known.byCodename.get(wanted);
  if (!holder || holder.id === id) return wanted;
  if (holder.archived !== null) {
    const other = await suffixed(transaction, wanted, holder.id, known);
    await transaction.tx.run('UPDATE item SET codename = ? WHERE number = ?', [other, holder.number]);
    await markStale(transaction, 'item', holder.number);
    transaction.tag(itemIdTag(holder.id));
    known.add({ ...holder, codename: other });
    return wanted;
  }
  if (given) {
    issues.add(`The codename '${wanted}' is taken by another item.`, 'codename');
    return wanted;
  }
  return suffixed(transaction, wanted, id, known);
}

/** Appends the start of the id to the codename, or the whole id if that is taken too. */
async function suffixed(
  transaction: ProjectTransaction,
  wanted: string,
  id: string,
  { byCodename }: KnownNames,
): Promise<string> {
  const made = uniqueCodename(wanted, (codename) => codename === wanted, id);
  const isKnown = byCodename.has(made) && byCodename.get(made)?.id !== id;
  const clash =
    isKnown ||
    (await transaction.tx.get('SELECT number FROM item WHERE project = ? AND codename = ? AND id <> ?', [
      transaction.project.number,
      made,
      id,
    ]));
  return clash ? uniqueCodename(wanted, () => true, id) : made;
}
