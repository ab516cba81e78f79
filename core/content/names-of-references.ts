import type { ContentType } from '../model/model.ts';
import type { StoredElements } from '../model/values.ts';
import { collectReferences, type ReferencedIds } from '../read-model/references-of.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { inPieces } from '../turns/in-pieces.ts';

/** An item or asset that a version refers to. One that does not exist yet, or that the person may not view, has no name. */
export interface NamedReference {
  readonly kind: 'item' | 'asset';
  readonly id: string;
  readonly name: string | null;
}

/** Names of all items and assets that the values refer to, links and components included. */
export async function namesOfReferences(
  view: ProjectView,
  type: ContentType,
  elements: StoredElements,
): Promise<NamedReference[]> {
  const ids: ReferencedIds = { items: new Set(), links: new Set(), assets: new Set() };
  await collectReferences(view.model, type, elements, ids);
  const permitted = visibleWhere(view, { type: 'i.type' });
  const name = permitted.length === 0 ? 'i.name' : `CASE WHEN ${permitted.join(' AND ')} THEN i.name END`;
  const items = await readNames(view, 'item', name, new Set([...ids.items, ...ids.links]));
  const assets = await readNames(view, 'asset', 'coalesce(i.title, f.name)', ids.assets);
  return [...items, ...assets];
}

async function readNames(
  { tx, project }: ProjectView,
  kind: NamedReference['kind'],
  name: string,
  ids: ReadonlySet<string>,
): Promise<NamedReference[]> {
  const file = kind === 'asset' ? 'LEFT JOIN file f ON f.id = i.file' : '';
  const rows = await inPieces(ids, (some) => {
    const among = tx.among('i.id', some);
    return tx.all<{ id: string; name: string | null }>(
      `SELECT i.id AS id, ${name} AS name FROM ${kind} i ${file} WHERE i.project = ? AND ${among.text}`,
      [project.number, among.parameter],
    );
  });
  return rows.map((row) => ({ kind, ...row }));
}
