import type { Language } from '../model/model.ts';
import { USE } from '../storage/stale.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import type { ActTarget } from './act-targets.ts';
import type { ActChange } from './acts.ts';
import { PUBLIC } from './content-attention.ts';
import { isVisible } from './find-effects.ts';

/** Public variants that refer to items. */
export interface ShownBy {
  /** More than `MOST_COUNTED` are not counted. */
  readonly count: number;
  readonly first: readonly {
    readonly item: Pick<ActTarget['item'], 'id' | 'name' | 'codename'>;
    readonly language: Language;
  }[];
}

const MOST_COUNTED = 10_000;
/** Items whose use is looked up. */
const MOST_ITEMS = 10_000;
const FIRST = 100;

/**
 * Finds public variants that link, embed or point to items that an act changes for readers.
 * @param kinds of USE
 */
export async function findShowing(
  view: ProjectView,
  targets: readonly (ActTarget & { readonly change: ActChange })[],
  kinds: readonly number[] = [USE.linkedItem, USE.hyperlink],
): Promise<ShownBy> {
  const { tx, model } = view;
  const items = new Set<number>();
  await eachInTurns(targets, ({ item, change }) => {
    if (items.size < MOST_ITEMS && isVisible(change)) items.add(item.number);
  });
  if (items.size === 0) return { count: 0, first: [] };
  const among = tx.among('u.target', [...items]);
  const conditions = [
    `u.kind IN (${kinds.join(', ')})`,
    among.text,
    'd.item <> u.target',
    PUBLIC,
    ...visibleWhere(view, { type: 'd.type', language: 'd.language' }),
  ];
  const showing = `SELECT DISTINCT d.item AS item, d.language AS language FROM uses u JOIN document d ON d.number = u.document
    WHERE ${conditions.join(' AND ')} LIMIT ${MOST_COUNTED}`;
  const rows = await tx.all<{ count: number; language: number; id: string; name: string; codename: string }>(
    `SELECT count(*) OVER () AS count, s.language AS language, i.id AS id, i.name AS name, i.codename AS codename
     FROM (${showing}) s JOIN item i ON i.number = s.item ORDER BY i.name, i.number, s.language LIMIT ${FIRST}`,
    [among.parameter],
  );
  const first = rows.flatMap(({ language: number, id, name, codename }) => {
    const language = model.languageByNumber.get(number);
    return language ? [{ item: { id, name, codename }, language }] : [];
  });
  return { count: rows[0]?.count ?? 0, first };
}
