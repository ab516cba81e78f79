import { assetFileTag } from '../changes/tags.ts';
import { insertRows } from '../content/insert-rows.ts';
import { ServiceError } from '../errors.ts';
import { idOfExternalId } from '../model/external-id.ts';
import type { AssetInput, Reference } from '../model/inputs.ts';
import { checkExternalId, forbid, Issues } from '../model/issues.ts';
import { describe, findReferred, formOf, shorten } from '../model/reference.ts';
import { isLongerThan } from '../model/text-length.ts';
import { markStale } from '../read-model/mark-stale.ts';
import type { Sql } from '../storage/sql.ts';
import { USE } from '../storage/stale.ts';
import { requireContent, seesItemsOf } from '../transaction/content-access.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { fileOf, findFile, type StoredFile } from './files.ts';
import { findFolder, loadFolders, TOP_LEVEL } from './folders.ts';
import { deleteFormerFiles, recordFormerFile } from './former-files.ts';

const TITLE_LIMIT = 50;
export const DESCRIPTION_LIMIT = 500;

export interface Asset {
  /** Storage number. */
  readonly number: number;
  readonly id: string;
  readonly externalId: string | null;
  readonly title: string | null;
  readonly file: StoredFile;
  /** Id of its folder; null = top level. */
  readonly folder: string | null;
  /** By language id. */
  readonly descriptions: Readonly<Record<string, string>>;
  readonly lastModified: string;
}

interface AssetRow {
  readonly number: number;
  readonly id: string;
  readonly external_id: string | null;
  readonly title: string | null;
  /** Null: a placeholder. */
  readonly file: string | null;
  readonly folder: string | null;
  readonly descriptions: string;
  readonly last_modified: string;
  readonly archived: string | null;
}

/** Columns of an `AssetRow`. */
const ASSET_COLUMNS = 'number, id, external_id, title, file, folder, descriptions, last_modified, archived';

type AssetDescriptions = NonNullable<AssetInput['descriptions']>;

export async function createAsset(transaction: ProjectTransaction, input: AssetInput): Promise<Asset> {
  const issues = new Issues();
  checkExternalId(issues, input.external_id);
  const title = readTitle(issues, input.title ?? null);
  const descriptions = readDescriptions(transaction, issues, input.descriptions ?? [], {});
  const folder = await readFolder(transaction, issues, input.folder ?? null);
  const file = await readFile(transaction, issues, input.file);
  issues.refuse();
  requireLanguages(transaction, Object.keys(descriptions));
  const id = input.external_id
    ? idOfExternalId(transaction.project.id, 'asset', input.external_id)
    : transaction.newId();
  const own = input.external_id === undefined ? undefined : await rowOf(transaction, { id });
  if (own && own.file !== null && own.archived === null) {
    issues.add(`The external id '${input.external_id}' is taken by another asset.`, 'external_id');
    issues.refuse();
  }
  // A deleted one is restored, with another file, title and descriptions.
  if (own && own.file !== null) requireContent(transaction, 'edit-content', { type: 'all', language: 'all' });
  const { tx } = transaction;
  const externalId = input.external_id ?? null;
  const text = JSON.stringify(descriptions);
  if (own) {
    await tx.run(
      `UPDATE asset SET title = ?, file = ?, folder = ?, descriptions = ?, created = ?, last_modified = ?,
         archived = NULL WHERE number = ?`,
      [title, file.id, folder, text, transaction.now, transaction.now, own.number],
    );
    if (own.file !== null && own.file !== file.id)
      await recordFormerFile(tx, own.file, own.number, { deleted: true });
    // Documents that refer to it were compiled without it.
    await markStale(transaction, 'asset', own.number);
    await touchDependents(transaction, own.number);
  }
  const number =
    own?.number ??
    (await insertRows(transaction, 'asset', [
      {
        id,
        external_id: externalId,
        title,
        file: file.id,
        folder,
        descriptions: text,
        created: transaction.now,
        last_modified: transaction.now,
        archived: null,
      },
    ]));
  transaction.listAsset(number);
  transaction.change('asset', 'create', id, [`asset:${id}`]);
  return { number, id, externalId, title, file, folder, descriptions, lastModified: transaction.now };
}

/** @param languages ids of those whose descriptions are written */
function requireLanguages(transaction: ProjectTransaction, languages: readonly string[]): void {
  for (const language of transaction.model.languages)
    if (languages.includes(language.id))
      requireContent(transaction, 'edit-content', { type: 'some', language });
}

export interface AssetChanges {
  readonly title?: string | null;
  readonly folder?: Reference | null;
  /** Descriptions of other languages stay; null removes one. */
  readonly descriptions?: AssetDescriptions;
  /** Id of another uploaded file. */
  readonly file?: string;
}

/**
 * Changes the given fields. Identical content changes nothing. A person needs to be permitted to edit the languages of the
 * descriptions, and for the rest all content.
 */
export async function updateAsset(
  transaction: ProjectTransaction,
  reference: Reference,
  changes: AssetChanges,
): Promise<Asset> {
  const asset = await findAsset(transaction, reference);
  const issues = new Issues();
  const title = changes.title === undefined ? asset.title : readTitle(issues, changes.title);
  const descriptions = readDescriptions(transaction, issues, changes.descriptions ?? [], asset.descriptions);
  const folder =
    changes.folder === undefined ? asset.folder : await readFolder(transaction, issues, changes.folder);
  const file = changes.file === undefined ? asset.file : await readFile(transaction, issues, changes.file);
  issues.refuse();
  const text = JSON.stringify(descriptions);
  const isVisible = file.id !== asset.file.id || text !== JSON.stringify(asset.descriptions);
  const isSameBeside = title === asset.title && folder === asset.folder && file.id === asset.file.id;
  if (isSameBeside && !isVisible) return asset;
  const languages = Object.keys({ ...asset.descriptions, ...descriptions }).filter(
    (language) => asset.descriptions[language] !== descriptions[language],
  );
  if (!isSameBeside) requireContent(transaction, 'edit-content', { type: 'all', language: 'all' });
  requireLanguages(transaction, languages);
  await transaction.tx.run(
    'UPDATE asset SET title = ?, file = ?, folder = ?, descriptions = ?, last_modified = ? WHERE number = ?',
    [title, file.id, folder, text, transaction.now, asset.number],
  );
  transaction.listAsset(asset.number);
  if (isVisible) await markStale(transaction, 'asset', asset.number);
  if (file.id !== asset.file.id) {
    await recordFormerFile(transaction.tx, asset.file.id, asset.number, { deleted: false });
    await touchDependents(transaction, asset.number);
  }
  transaction.change('asset', 'upsert', asset.id, [`asset:${asset.id}`], {
    // Empty: another file concerns all languages.
    languages: file.id === asset.file.id ? languages : [],
  });
  return { ...asset, title, file, folder, descriptions, lastModified: transaction.now };
}

/**
 * Updates or creates the asset with the external id. A deleted one is restored and counts as updated, as in recorded
 * answers of the service that clients are made for.
 */
export async function upsertAsset(
  transaction: ProjectTransaction,
  externalId: string,
  input: Omit<AssetInput, 'external_id' | 'file'> & { readonly file?: string },
): Promise<{ readonly asset: Asset; readonly created: boolean }> {
  const row = await rowOf(transaction, { external_id: externalId });
  if (row && row.file !== null && row.archived === null) {
    return { asset: await updateAsset(transaction, { id: row.id }, input), created: false };
  }
  const file = input.file ?? row?.file ?? undefined;
  if (file === undefined) {
    const issues = new Issues();
    issues.add('A new asset needs a file_reference.', 'file_reference');
    issues.refuse();
  }
  const asset = await createAsset(transaction, { ...input, file: file ?? '', external_id: externalId });
  return { asset, created: row?.archived == null };
}

/** Most items that an operation on an asset compiles itself; it leaves more to the recompile job. */
const DEPENDENTS_LIMIT = 200;

/** Index rows contain file names and URLs of assets, so that filters would miss these items until they are compiled. */
async function touchDependents(transaction: ProjectTransaction, asset: number): Promise<void> {
  const dependents = await transaction.tx.all<{ item: number }>(
    `SELECT DISTINCT d.item AS item FROM uses u JOIN document d ON d.number = u.document
     WHERE u.kind = ? AND u.target = ? LIMIT ?`,
    [USE.asset, asset, DEPENDENTS_LIMIT + 1],
  );
  if (dependents.length <= DEPENDENTS_LIMIT) for (const { item } of dependents) transaction.touchItem(item);
}

/** @throws domainRule while published or latest content uses it */
export async function deleteAsset(transaction: ProjectTransaction, reference: Reference): Promise<void> {
  const asset = await findAsset(transaction, reference);
  requireContent(transaction, 'delete-content', { type: 'all', language: 'all' });
  const used = await transaction.tx.get<{ codename: string; type: number }>(
    `SELECT i.codename AS codename, i.type AS type FROM uses u JOIN document d ON d.number = u.document
       JOIN item i ON i.number = d.item WHERE u.kind = ? AND u.target = ? LIMIT 1`,
    [USE.asset, asset.number],
  );
  if (used) {
    if (!seesItemsOf(transaction, used.type)) forbid('The asset is used by items.');
    forbid(`The asset is used by the item '${used.codename}' and maybe others.`);
  }
  await transaction.tx.run('UPDATE asset SET archived = ? WHERE number = ?', [transaction.now, asset.number]);
  transaction.listAsset(asset.number);
  const files = [asset.file.id, ...(await deleteFormerFiles(transaction.tx, asset.number))];
  transaction.change('asset', 'archive', asset.id, [
    `asset:${asset.id}`,
    ...files.map((file) => assetFileTag(file)),
  ]);
}

/** @throws objectNotFound where there is no deleted asset with this id */
export async function restoreAsset(transaction: ProjectTransaction, id: string): Promise<Asset> {
  requireContent(transaction, 'delete-content', { type: 'all', language: 'all' });
  const row = await rowOf(transaction, { id });
  if (!row || row.file === null || row.archived === null)
    throw new ServiceError('objectNotFound', `There is no deleted asset with the id '${id}'.`);
  await transaction.tx.run('UPDATE asset SET archived = NULL WHERE number = ?', [row.number]);
  transaction.listAsset(row.number);
  // Documents that refer to it since were compiled without it.
  await markStale(transaction, 'asset', row.number);
  await touchDependents(transaction, row.number);
  transaction.change('asset', 'restore', row.id, [`asset:${row.id}`, assetFileTag(row.file)]);
  return toAsset(row, await findFile(transaction, row.file));
}

/** @throws objectNotFound, also for an archived asset and for a placeholder */
export async function findAsset(view: ProjectView, reference: Reference): Promise<Asset> {
  const row = await rowOf(view, reference);
  if (!row || row.file === null || row.archived !== null) {
    throw new ServiceError('objectNotFound', `There is no asset with ${describe(reference)}.`);
  }
  return toAsset(row, await findFile(view, row.file));
}

/**
 * Lists assets in the order of creation.
 * @param after storage number of the last asset of the page before
 */
export async function listAssets(
  { tx, project }: ProjectView,
  after: number,
  limit: number,
): Promise<readonly Asset[]> {
  const rows = await tx.all<AssetRow & { file: string }>(
    `SELECT ${ASSET_COLUMNS} FROM asset WHERE project = ? AND number > ? AND file IS NOT NULL AND archived IS NULL
     ORDER BY number LIMIT ?`,
    [project.number, after, limit],
  );
  return withFiles(tx, rows);
}

/** Assets that are not archived, in the given order. */
export async function readAssets({ tx }: ProjectView, numbers: readonly number[]): Promise<readonly Asset[]> {
  if (numbers.length === 0) return [];
  const { text, parameter } = tx.among('number', numbers);
  const rows = await tx.all<AssetRow & { file: string }>(
    `SELECT ${ASSET_COLUMNS} FROM asset WHERE ${text} AND file IS NOT NULL AND archived IS NULL`,
    [parameter],
  );
  const read = new Map((await withFiles(tx, rows)).map((asset) => [asset.number, asset]));
  return numbers.flatMap((number) => read.get(number) ?? []);
}

async function withFiles(tx: Sql, rows: readonly (AssetRow & { file: string })[]): Promise<Asset[]> {
  if (rows.length === 0) return [];
  const { text, parameter } = tx.among(
    'id',
    rows.map((row) => row.file),
  );
  const files = await tx.all<StoredFile>(
    `SELECT id, name, type, size, hash, width, height FROM file WHERE ${text}`,
    [parameter],
  );
  const fileById = new Map(files.map((file) => [file.id, file]));
  return rows.flatMap((row) => {
    const file = fileById.get(row.file);
    return file ? [toAsset(row, file)] : [];
  });
}

function toAsset(row: AssetRow, file: StoredFile): Asset {
  return {
    number: row.number,
    id: row.id,
    externalId: row.external_id,
    title: row.title,
    file,
    folder: row.folder,
    descriptions: JSON.parse(row.descriptions),
    lastModified: row.last_modified,
  };
}

async function rowOf({ tx, project }: ProjectView, reference: Reference): Promise<AssetRow | undefined> {
  const wanted = formOf(reference);
  if (!wanted || wanted.form === 'codename') return undefined;
  const column = wanted.form === 'id' ? 'id' : 'external_id';
  return tx.get<AssetRow>(`SELECT ${ASSET_COLUMNS} FROM asset WHERE project = ? AND ${column} = ?`, [
    project.number,
    wanted.text,
  ]);
}

async function readFile(transaction: ProjectTransaction, issues: Issues, id: string): Promise<StoredFile> {
  const file = await fileOf(transaction, id);
  if (!file) issues.add(`There is no file with the id '${shorten(id)}'.`, 'file_reference');
  return file ?? NO_FILE;
}

/** Returned beside an issue, which refuses the request. */
const NO_FILE: StoredFile = { id: '', name: '', type: '', size: 0, hash: '', width: null, height: null };

async function readFolder(
  transaction: ProjectTransaction,
  issues: Issues,
  reference: Reference | null,
): Promise<string | null> {
  if (reference === null || reference.id === TOP_LEVEL) return null;
  const folder = findFolder(await loadFolders(transaction), reference);
  if (!folder) issues.add(`There is no folder with ${describe(reference)}.`, 'folder');
  return folder?.id ?? null;
}

export function readTitle(issues: Issues, title: unknown): string | null {
  if (title === null || title === '') return null;
  if (typeof title !== 'string' || isLongerThan(title, TITLE_LIMIT))
    issues.add(`The title is a text of at most ${TITLE_LIMIT} characters, or null.`, 'title');
  else if (title.includes('\0')) issues.add('The value must not hold null characters.', 'title');
  else return title;
  return null;
}

function readDescriptions(
  transaction: ProjectTransaction,
  issues: Issues,
  given: AssetDescriptions,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  const descriptions: Record<string, string> = { ...before };
  const seen = new Set<string>();
  for (const [index, { language: reference, description }] of given.entries()) {
    if (issues.isFull) break;
    const path = `descriptions[${index}]`;
    const language = findReferred(transaction.model.languages, reference);
    if (!language) {
      issues.add(`There is no language with ${describe(reference)}.`, `${path}.language`);
      continue;
    }
    if (seen.has(language.id)) issues.add(`The language '${language.codename}' is given twice.`, path);
    seen.add(language.id);
    if (description === null || description === undefined || description === '') {
      delete descriptions[language.id];
    } else if (typeof description !== 'string' || isLongerThan(description, DESCRIPTION_LIMIT)) {
      issues.add(`A description has at most ${DESCRIPTION_LIMIT} characters.`, `${path}.description`);
    } else descriptions[language.id] = description;
  }
  return descriptions;
}
