import { DESCRIPTION_LIMIT, readTitle } from '../assets/assets.ts';
import { checkUpload } from '../assets/files.ts';
import { insertRows } from '../content/insert-rows.ts';
import { idOfExternalId } from '../model/external-id.ts';
import { checkExternalId, gather, type Issues } from '../model/issues.ts';
import { isLongerThan } from '../model/text-length.ts';
import type { SqlValue } from '../storage/sql.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ArchiveAsset, ArchiveFile } from './archive-rows.ts';
import type { IdMap } from './id-map.ts';
import type { ReadRow } from './read-row.ts';
import { readJson, readRow } from './read-row.ts';
import { insertPlaceholders, refuseTaken } from './refuse-taken.ts';
import type { StagedFiles } from './staged-files.ts';

export interface AssetContext {
  readonly issues: Issues;
  readonly ids: IdMap;
  /** Ids of the project's folders. */
  readonly folders: ReadonlySet<string>;
  /** Compares the records of files with their content at the end of the archive. */
  readonly files: Pick<StagedFiles, 'expect'>;
}

/** Imports assets with the records of their files. */
export async function importAssets(
  transaction: ProjectTransaction,
  rows: readonly ReadRow[],
  context: AssetContext,
): Promise<void> {
  const { issues, ids } = context;
  const assets: (ArchiveAsset & { readonly location: Issues['location'] })[] = [];
  for (const { location, value } of rows) {
    issues.location = location;
    const asset = readRow<ArchiveAsset>(issues, 'asset', value);
    if (asset) assets.push({ ...readAsset(transaction, asset, context), location });
  }
  const free = await refuseTaken(transaction, issues, 'asset', assets, ids);
  const files = await importFiles(transaction, issues, free);
  const first = await insertRows(
    transaction,
    'asset',
    free.map((asset) => ({
      ...asset,
      id: ids.assign('asset', asset.id, asset.external_id),
      file: asset.file && (files.get(asset.file.id) ?? null),
    })),
  );
  for (const [index, { file, archived }] of free.entries())
    if (file && archived === null) transaction.listAsset(first + index);
  if (free.length < rows.length) await insertPlaceholders(transaction, 'asset', rows);
}

/** Applies the rules of uploads and of the operations on assets. */
function readAsset(
  transaction: ProjectTransaction,
  asset: ArchiveAsset,
  context: AssetContext,
): ArchiveAsset {
  const { issues, ids, folders } = context;
  const { id, external_id, file } = asset;
  checkExternalId(issues, external_id ?? undefined);
  if (external_id !== null && id !== idOfExternalId(ids.archived, 'asset', external_id))
    issues.add('The id is not the one that the external id gives.', 'id');
  if (asset.folder !== null && !folders.has(asset.folder))
    issues.add(`There is no folder with the id '${asset.folder}'.`, 'folder');
  if (file === null && asset.archived !== null)
    issues.add('What is only referred to cannot be archived.', 'archived');
  const title = readTitle(issues, asset.title);
  const descriptions = JSON.stringify(readDescriptions(transaction, issues, asset.descriptions));
  if (file === null) return { ...asset, title, descriptions };
  issues.within = 'file.';
  const record = readRow<ArchiveFile>(issues, 'file', file);
  if (record) {
    if (HASH.test(record.hash)) context.files.expect(record);
    else issues.add('A SHA-256 in lower case is expected.', 'hash');
    gather(issues, () => checkUpload(record));
    if (record.type !== record.type.trim().toLowerCase() || record.type.includes(';'))
      issues.add('A media type in lower case and without parameters is expected.', 'type');
  }
  issues.within = '';
  return { ...asset, title, descriptions, file: record ?? null };
}

const HASH = /^[0-9a-f]{64}$/;

function readDescriptions(
  { model }: ProjectTransaction,
  issues: Issues,
  text: string,
): Record<string, string> {
  const given = readJson(issues, text, 'descriptions');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    issues.add('An object with texts by language id is expected.', 'descriptions');
    return {};
  }
  const kept: [string, string][] = [];
  for (const [language, description] of Object.entries(given)) {
    const isText = typeof description === 'string' && !isLongerThan(description, DESCRIPTION_LIMIT);
    if (!model.languageById.has(language))
      issues.add('There is no language for a description.', 'descriptions');
    else if (!isText)
      issues.add(`A description has at most ${DESCRIPTION_LIMIT} characters.`, 'descriptions');
    else kept.push([language, description]);
  }
  return Object.fromEntries(kept);
}

/** File ids are unique among all projects: a file whose id another project has gets a new id. */
async function importFiles(
  transaction: ProjectTransaction,
  issues: Issues,
  assets: readonly (ArchiveAsset & { readonly location: Issues['location'] })[],
): Promise<Map<string, string>> {
  const { tx, project } = transaction;
  const unique = new Map<string, ArchiveFile>();
  const ids = new Map<string, string>();
  const same = (one: object, other: object) =>
    COLUMNS.every((column) => Reflect.get(one, column) === Reflect.get(other, column));
  const among = tx.among(
    'id',
    assets.flatMap(({ file }) => (file ? [file.id] : [])),
  );
  const taken = await tx.all<{ id: string; project: number }>(
    `SELECT project, ${COLUMNS.join(', ')} FROM file WHERE ${among.text}`,
    [among.parameter],
  );
  const before = new Map(taken.map((row) => [row.id, row]));
  for (const { file, location } of assets) {
    if (!file) continue;
    const own = before.get(file.id);
    const other = unique.get(file.id) ?? (own?.project === project.number ? own : undefined);
    issues.location = location;
    if (other && !same(other, file)) issues.add('Another asset has a different record of the file.', 'file');
    if (other) ids.set(file.id, ids.get(file.id) ?? file.id);
    else {
      unique.set(file.id, file);
      ids.set(file.id, own ? transaction.newId() : file.id);
    }
  }
  await tx.insert(
    'file',
    ['project', ...COLUMNS],
    [...unique.values()].map((file) => [
      project.number,
      ...COLUMNS.map((column) =>
        column === 'id' ? (ids.get(file.id) ?? file.id) : ((file[column] ?? null) as SqlValue),
      ),
    ]),
  );
  return ids;
}

const COLUMNS = ['id', 'name', 'hash', 'size', 'type', 'width', 'height', 'created'] as const;
