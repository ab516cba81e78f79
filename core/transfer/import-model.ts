import { nameFolders } from '../assets/folders.ts';
import { defineGroups } from '../content/define-groups.ts';
import { defineElements } from '../content/element-definitions.ts';
import { insertRows, type NewRow } from '../content/insert-rows.ts';
import { Naming, toPartRow } from '../content/naming.ts';
import { checkPreviewUrls, insertPreviewUrls } from '../content/preview-urls.ts';
import { nameNodes } from '../content/sitemap.ts';
import { SNIPPET_NAMING } from '../content/snippets.ts';
import { nameTerms, TAXONOMY_NAMING } from '../content/taxonomies.ts';
import { checkFields, TYPE_NAMING } from '../content/types.ts';
import { addFieldNumbers } from '../model/field-numbers.ts';
import { gather, type Issues, listOf } from '../model/issues.ts';
import { flatten } from '../model/load-model.ts';
import type { ContentGroup, ElementDefinition } from '../model/model.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type {
  ArchiveModel,
  ArchivePreviewUrl,
  ArchiveSnippet,
  ArchiveTaxonomy,
  ArchiveType,
} from './archive-rows.ts';
import { importLanguages } from './import-languages.ts';
import { readLongJson, readRow } from './read-row.ts';

/**
 * Imports the model into a project that has only its default language, by the rules of the operations on its parts. A
 * part is checked once those it may refer to are imported, so each step reports its issues together.
 * @returns ids of asset folders
 */
export async function importModel(
  transaction: ProjectTransaction,
  issues: Issues,
  value: unknown,
): Promise<Set<string>> {
  const { tx, project } = transaction;
  const model = readRow<ArchiveModel>(issues, 'model', value);
  issues.refuse();
  if (!model) return new Set();
  await importLanguages(transaction, issues, await rowsOf(issues, 'language', 'languages', model));
  const nodes = await readTree(issues, model.sitemap, 'sitemap', (tree) =>
    inside(issues, 'sitemap.', () => nameNodes(transaction, issues, tree as [], [], true)),
  );
  const folders = await readTree(issues, model.asset_folders, 'asset_folders', (tree) =>
    inside(issues, 'asset_folders.', () => nameFolders(transaction, issues, tree as [], [], true)),
  );
  const groups = await rowsOf<ArchiveTaxonomy>(issues, 'taxonomy', 'taxonomies', model);
  const taxonomies = await readTaxonomies(transaction, issues, groups);
  issues.refuse();
  await tx.run('UPDATE project SET sitemap = ?, asset_folders = ?, folders_changed = ? WHERE number = ?', [
    JSON.stringify(nodes),
    JSON.stringify(folders),
    model.folders_changed,
    project.number,
  ]);
  await insertRows(transaction, 'taxonomy', taxonomies);
  await transaction.modelChanged();

  const types = await rowsOf<ArchiveType>(issues, 'type', 'types', model);
  const typeIds = new Set(types.map(({ id }) => id));
  const given = await rowsOf<ArchiveSnippet>(issues, 'snippet', 'snippets', model);
  const snippets = await readSnippets(transaction, issues, typeIds, given);
  issues.refuse();
  await insertRows(transaction, 'snippet', snippets);
  await transaction.modelChanged();

  const rows: NewRow<'content_type'>[] = [];
  for (const { elements, row } of await readTypes(transaction, issues, typeIds, types)) {
    const fields = await addFieldNumbers(tx, {}, elements, transaction.model.snippetById);
    rows.push({ ...row, elements: JSON.stringify(elements), fields: JSON.stringify(fields) });
  }
  issues.refuse();
  await insertRows(transaction, 'content_type', rows);
  await transaction.modelChanged();

  const urls =
    model.preview_urls === undefined
      ? []
      : await rowsOf<ArchivePreviewUrl>(issues, 'preview_url', 'preview_urls', model);
  checkPreviewUrls(transaction, issues, urls);
  issues.refuse();
  await insertPreviewUrls(transaction, urls);
  return new Set(flatten(folders ?? [], (folder) => folder.folders).map(({ id }) => id));
}

async function rowsOf<Row>(
  issues: Issues,
  kind: 'language' | 'taxonomy' | 'snippet' | 'type' | 'preview_url',
  list: 'languages' | 'taxonomies' | 'snippets' | 'types' | 'preview_urls',
  model: ArchiveModel,
): Promise<Row[]> {
  const given: unknown = model[list];
  if (!Array.isArray(given)) issues.add('An array of objects is expected.', list);
  const rows = listOf(issues, Array.isArray(given) ? (given as object[]) : [], list);
  const read = await readEach(issues, list, rows, async (row) => readRow<Row>(issues, kind, row));
  return read.filter((row) => row !== undefined);
}

/** Reads one after the other, with turns for other work in between. */
async function readEach<Row, Made>(
  issues: Issues,
  list: string,
  rows: readonly Row[],
  read: (row: Row) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, row] of rows.entries()) {
    if (isTurnLong()) await nextTurn();
    issues.within = `${list}[${index}].`;
    made.push(await read(row));
  }
  issues.within = '';
  return made;
}

function inside<T>(issues: Issues, within: string, read: () => T): T {
  const before = issues.within;
  issues.within = before + within;
  try {
    return read();
  } finally {
    issues.within = before;
  }
}

async function readTree<T>(
  issues: Issues,
  text: string,
  path: string,
  name: (tree: unknown) => T,
): Promise<T | undefined> {
  const tree = await readLongJson(issues, text, path);
  if (!Array.isArray(tree)) {
    if (tree !== undefined) issues.add('An array is expected.', path);
    return undefined;
  }
  return gather(issues, () => name(tree));
}

/** An archived group keeps its id, while another group may have its codename. */
function readTaxonomies(
  transaction: ProjectTransaction,
  issues: Issues,
  groups: readonly ArchiveTaxonomy[],
): Promise<NewRow<'taxonomy'>[]> {
  const rules = { ...TAXONOMY_NAMING, keepsIds: true };
  const active = new Naming(transaction, issues, rules);
  const ids = new Set<string>();
  return readEach(issues, 'taxonomies', groups, async (group) => {
    if (ids.has(group.id)) issues.add('The id is given twice.', 'id');
    ids.add(group.id);
    const naming = group.archived === null ? active : new Naming(transaction, issues, rules);
    const named = naming.name(withoutNull(group), '');
    const terms = await readTree(issues, group.terms, 'terms', (tree) =>
      nameTerms(transaction, issues, tree as [], [], true),
    );
    const { last_modified, archived } = group;
    return { ...toPartRow(named), terms: JSON.stringify(terms ?? []), last_modified, archived };
  });
}

function readSnippets(
  transaction: ProjectTransaction,
  issues: Issues,
  types: ReadonlySet<string>,
  snippets: readonly ArchiveSnippet[],
): Promise<NewRow<'snippet'>[]> {
  const naming = new Naming(transaction, issues, { ...SNIPPET_NAMING, keepsIds: true });
  return readEach(issues, 'snippets', snippets, async (snippet) => {
    const named = naming.name(withoutNull(snippet), '');
    const owner = { owner: 'snippet', ownerId: named.id, contentGroups: [] } as const;
    const elements = await readElementDefinitions(transaction, issues, snippet.elements, types, owner);
    return { ...toPartRow(named), elements: JSON.stringify(elements), last_modified: snippet.last_modified };
  });
}

function readTypes(
  transaction: ProjectTransaction,
  issues: Issues,
  ids: ReadonlySet<string>,
  types: readonly ArchiveType[],
): Promise<
  {
    readonly elements: ElementDefinition[];
    readonly row: Omit<NewRow<'content_type'>, 'elements' | 'fields'>;
  }[]
> {
  const naming = new Naming(transaction, issues, { ...TYPE_NAMING, keepsIds: true });
  return readEach(issues, 'types', types, async (type) => {
    const named = naming.name(withoutNull(type), '');
    const contentGroups = await readTree(issues, type.content_groups, 'content_groups', (groups) =>
      defineGroups(transaction, issues, named.id, groups as [], [], true),
    );
    const owner = { owner: 'type', ownerId: named.id, contentGroups: contentGroups ?? [] } as const;
    const elements = await readElementDefinitions(transaction, issues, type.elements, ids, owner);
    checkFields(transaction, issues, elements);
    return {
      elements,
      row: {
        ...toPartRow(named),
        content_groups: JSON.stringify(contentGroups ?? []),
        last_modified: type.last_modified,
      },
    };
  });
}

async function readElementDefinitions(
  transaction: ProjectTransaction,
  issues: Issues,
  text: string,
  types: ReadonlySet<string>,
  owner: {
    readonly owner: 'type' | 'snippet';
    readonly ownerId: string;
    readonly contentGroups: readonly ContentGroup[];
  },
): Promise<ElementDefinition[]> {
  const given = await readLongJson(issues, text, 'elements');
  if (!Array.isArray(given)) {
    if (given !== undefined) issues.add('An array of elements is expected.', 'elements');
    return [];
  }
  return defineElements({ transaction, issues, stored: { types }, ...owner }, given as [], []);
}

/** Rows hold null for a missing external id. */
function withoutNull<T extends { readonly external_id: string | null }>({ external_id, ...part }: T) {
  return external_id === null ? part : { ...part, external_id };
}
