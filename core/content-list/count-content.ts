import type { Language } from '../model/model.ts';
import { VARIANT_STATES, type VariantState } from '../model/variant-state.ts';
import { ALL_AUTHORS } from '../storage/listed-rows.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';

export interface ContentCount {
  readonly type: { readonly id: string; readonly name: string; readonly codename: string };
  readonly state: VariantState;
  readonly count: number;
}

/** How many items of each type are in each state in the language. */
export async function countContent(view: ProjectView, language: Language): Promise<ContentCount[]> {
  const { tx, model } = view;
  const columns = { type: 'r.type', language: 'r.language' };
  const permitted = visibleWhere(view, columns).map((condition) => `AND ${condition}`);
  const rows = await tx.all<{ type: number; state: number; count: number }>(
    `SELECT r.type AS type, r.state AS state, r.count AS count FROM listed_count r
     WHERE r.language = ? AND r.author = ? AND r.count > 0 ${permitted.join(' ')} ORDER BY r.type, r.state`,
    [language.number, ALL_AUTHORS],
  );
  return rows.flatMap(({ type: number, state: position, count }) => {
    const type = model.typeByNumber.get(number);
    const state = VARIANT_STATES[position];
    if (!type || !state) return [];
    return [{ type: { id: type.id, name: type.name, codename: type.codename }, state, count }];
  });
}

/** Items of the project that lists and full text do not have in their newest form. */
export function countUnlisted(view: ProjectView): Promise<number> {
  return countRows(view, 'unlisted');
}

/** The same of assets. */
export function countUnlistedAssets(view: ProjectView): Promise<number> {
  return countRows(view, 'unlisted_asset');
}

async function countRows({ tx, project }: ProjectView, table: string): Promise<number> {
  const row = await tx.get<{ count: number }>(`SELECT count(*) AS count FROM ${table} WHERE project = ?`, [
    project.number,
  ]);
  return row?.count ?? 0;
}
