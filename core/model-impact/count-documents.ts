import type { ContentType, Language } from '../model/model.ts';
import type { SqlValue } from '../storage/sql.ts';
import { BEYOND_NAMES, STALE, type StaleKind, USE } from '../storage/stale.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { nameSlots } from './value-counts.ts';

/** Documents that are compiled again after these changes; see `Recompiler`. Each has one entry with the name of its item. */
export async function countStaleDocuments(
  view: ProjectView,
  staleMarks: ProjectTransaction['staleMarks'],
): Promise<number> {
  const marks = [...staleMarks.keys()].map((mark) => mark.split(':') as [StaleKind, string]);
  const targets = (kind: StaleKind) =>
    marks.filter(([one]) => one === kind).map(([, target]) => Number(target));
  const { model } = view;
  if (targets('project').length > 0) return countDocuments(view, model.types, model.languages);
  const types = targets('type');
  if (types.length > 0) {
    const beyondNames = types.filter((type) => staleMarks.get(`type:${type}`) === 'all');
    return countOfTypes(view, types, beyondNames);
  }
  const languages = new Set(targets('language'));
  return countDocuments(
    view,
    model.types,
    model.languages.filter(({ number }) => languages.has(number)),
  );
}

export async function countDocuments(
  view: ProjectView,
  types: readonly ContentType[],
  languages: readonly Language[],
): Promise<number> {
  const slots = nameSlots(view, types, languages);
  return one(view, `SELECT count(*) AS documents FROM entry e WHERE ${slots.text}`, [slots.parameter]);
}

/**
 * Of items of the types, with components of them, and with hyperlinks to items of some.
 * @param linkedTypes those of which more changes than names of elements, which hyperlinks do not show
 */
function countOfTypes(
  view: ProjectView,
  types: readonly number[],
  linkedTypes: readonly number[],
): Promise<number> {
  const { tx } = view;
  const own = tx.among('d.type', types);
  const components = tx.among('u.target', types);
  const linked = tx.among('i.type', linkedTypes);
  return one(
    view,
    `SELECT count(*) AS documents FROM (
       SELECT d.number AS number FROM document d WHERE ${own.text}
       UNION SELECT u.document AS number FROM uses u WHERE u.kind = ${USE.componentType} AND ${components.text}
       UNION SELECT u.document AS number FROM item i JOIN uses u ON u.kind = ${USE.hyperlink} AND u.target = i.number
         WHERE ${linked.text}) s`,
    [own.parameter, components.parameter, linked.parameter],
  );
}

/** Changes that documents are still to be compiled for: until then the index lacks values of elements that are new. */
export async function isRecompiling({ tx, project }: ProjectView): Promise<boolean> {
  const found = await tx.get(
    `SELECT p.kind AS kind FROM pending p WHERE p.project = ? AND p.kind IN (?, ?) AND ${BEYOND_NAMES} LIMIT 1`,
    [project.number, STALE.project, STALE.type],
  );
  return found !== undefined;
}

async function one({ tx }: ProjectView, text: string, parameters: readonly SqlValue[]): Promise<number> {
  const row = await tx.get<{ documents: number }>(text, parameters);
  return row?.documents ?? 0;
}
