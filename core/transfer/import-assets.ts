import type { Session } from '../session.ts';
import type { ArchiveAsset, ArchiveFile } from './archive-rows.ts';
import type { IdMap } from './id-map.ts';

/** Assets with the records of their files; those that are there stay as they are. */
export async function importAssets(
  session: Session,
  assets: readonly ArchiveAsset[],
  ids: IdMap,
): Promise<void> {
  const { tx, project } = session;
  const given = assets.map((asset) => ({ ...asset, id: ids.give('asset', asset.id, asset.external_id) }));
  const there = await present(session, 'asset', given);
  const rows = given.filter(({ id }) => !there.has(id));
  const files = await importFiles(
    session,
    rows.flatMap(({ file }) => (file ? [file] : [])),
  );
  const first = await tx.numbers('asset', rows.length);
  await tx.insert(
    'asset',
    [
      'number',
      'project',
      'id',
      'external_id',
      'title',
      'file',
      'descriptions',
      'folder',
      'created',
      'last_modified',
      'archived',
    ],
    rows.map((asset, index) => [
      first + index,
      project.number,
      asset.id,
      asset.external_id,
      asset.title,
      asset.file && (files.get(asset.file.id) ?? null),
      asset.descriptions,
      asset.folder,
      asset.created,
      asset.last_modified,
      asset.archived,
    ]),
  );
}

/** Ids of files are one namespace for all projects: where one is taken by another project, it gets a new one. */
async function importFiles(session: Session, files: readonly ArchiveFile[]): Promise<Map<string, string>> {
  const { tx, project } = session;
  const unique = [...new Map(files.map((file) => [file.id, file])).values()];
  const among = tx.among(
    'id',
    unique.map(({ id }) => id),
  );
  const taken = await tx.all<{ id: string; project: number }>(
    `SELECT id, project FROM file WHERE ${among.text}`,
    [among.parameter],
  );
  const owner = new Map(taken.map((row) => [row.id, row.project]));
  const ids = new Map<string, string>();
  for (const { id } of unique)
    ids.set(id, owner.has(id) && owner.get(id) !== project.number ? session.newId() : id);
  await tx.insert(
    'file',
    ['id', 'project', 'name', 'hash', 'size', 'type', 'width', 'height', 'created'],
    unique
      .filter(({ id }) => owner.get(id) !== project.number)
      .map((file) => [
        ids.get(file.id) ?? file.id,
        project.number,
        file.name,
        file.hash,
        file.size,
        file.type,
        file.width,
        file.height,
        file.created,
      ]),
  );
  return ids;
}

/** Those of the rows that the project has, from an import that broke off. */
export async function present(
  { tx, project }: Session,
  table: 'asset' | 'item',
  rows: readonly { readonly id: string }[],
): Promise<Set<string>> {
  const among = tx.among(
    'id',
    rows.map(({ id }) => id),
  );
  const found = await tx.all<{ id: string }>(`SELECT id FROM ${table} WHERE project = ? AND ${among.text}`, [
    project.number,
    among.parameter,
  ]);
  return new Set(found.map(({ id }) => id));
}
