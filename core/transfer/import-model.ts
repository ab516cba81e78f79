import { nameFolders } from '../assets/folders.ts';
import { defineElements, defineGroups } from '../content/element-definitions.ts';
import { addFieldNumbers } from '../content/field-numbers.ts';
import { gather, type Issues, listOf } from '../content/issues.ts';
import { flatten } from '../content/load-model.ts';
import type { ContentGroup, ElementDefinition } from '../content/model.ts';
import { Naming } from '../content/naming.ts';
import { nameNodes } from '../content/sitemap.ts';
import { SNIPPET_NAMING } from '../content/snippets.ts';
import { nameTerms, TAXONOMY_NAMING } from '../content/taxonomies.ts';
import { checkFields, TYPE_NAMING } from '../content/types.ts';
import type { ProjectTransaction } from '../project-transaction.ts';
import type { SqlValue } from '../storage/sql.ts';
import type { ArchiveModel, ArchiveSnippet, ArchiveTaxonomy, ArchiveType } from './archive-rows.ts';
import { importLanguages } from './import-languages.ts';
import { readJson, readRow } from './read-row.ts';

/**
 * The whole model of a project that has only its default language, by the rules of the operations that make its
 * parts. A part is looked at when those that it may point to are whole, so the findings of one step come together.
 * @returns the ids of the folders of assets
 */
export async function importModel(
  session: ProjectTransaction,
  issues: Issues,
  given: unknown,
): Promise<Set<string>> {
  const { tx, project } = session;
  const model = readRow<ArchiveModel>(issues, 'model', given);
  issues.refuse();
  if (!model) return new Set();
  await importLanguages(session, issues, rowsOf(issues, 'language', 'languages', model));
  const nodes = readTree(issues, model.sitemap, 'sitemap', (tree) =>
    inside(issues, 'sitemap.', () => nameNodes(session, issues, tree as [], [], true)),
  );
  const folders = readTree(issues, model.asset_folders, 'asset_folders', (tree) =>
    inside(issues, 'asset_folders.', () => nameFolders(session, issues, tree as [], [], true)),
  );
  const taxonomies = readTaxonomies(session, issues, rowsOf(issues, 'taxonomy', 'taxonomies', model));
  issues.refuse();
  await tx.run('UPDATE project SET sitemap = ?, asset_folders = ?, folders_changed = ? WHERE number = ?', [
    JSON.stringify(nodes),
    JSON.stringify(folders),
    model.folders_changed,
    project.number,
  ]);
  await insert(session, 'taxonomy', ['terms', 'last_modified', 'archived'], taxonomies);
  await session.modelChanged();

  const types = rowsOf<ArchiveType>(issues, 'type', 'types', model);
  const typeIds = new Set(types.map(({ id }) => id));
  const snippets = readSnippets(session, issues, typeIds, rowsOf(issues, 'snippet', 'snippets', model));
  issues.refuse();
  await insert(session, 'snippet', ['elements', 'last_modified'], snippets);
  await session.modelChanged();

  const rows: Part[] = [];
  for (const { elements, row } of readTypes(session, issues, typeIds, types)) {
    const fields = await addFieldNumbers(tx, {}, elements, session.model.snippetById);
    rows.push({ ...row, elements: JSON.stringify(elements), fields: JSON.stringify(fields) });
  }
  issues.refuse();
  await insert(session, 'content_type', ['elements', 'content_groups', 'fields', 'last_modified'], rows);
  await session.modelChanged();
  return new Set(flatten(folders ?? [], (folder) => folder.folders).map(({ id }) => id));
}

type Part = Readonly<Record<string, SqlValue>>;

function rowsOf<Row>(
  issues: Issues,
  kind: 'language' | 'taxonomy' | 'snippet' | 'type',
  list: 'languages' | 'taxonomies' | 'snippets' | 'types',
  model: ArchiveModel,
): Row[] {
  const given: unknown = model[list];
  if (!Array.isArray(given)) issues.add('An array of objects is expected.', list);
  const rows = listOf(issues, Array.isArray(given) ? (given as object[]) : [], list);
  return rows.flatMap((row, index) =>
    inside(issues, `${list}[${index}].`, () => readRow<Row>(issues, kind, row) ?? []),
  );
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

function readTree<T>(issues: Issues, text: string, path: string, name: (tree: unknown) => T): T | undefined {
  const tree = readJson(issues, text, path);
  if (!Array.isArray(tree)) {
    issues.add('An array is expected.', path);
    return undefined;
  }
  return gather(issues, () => name(tree));
}

/** An archived group has given up its codename, not its id. */
function readTaxonomies(
  session: ProjectTransaction,
  issues: Issues,
  groups: readonly ArchiveTaxonomy[],
): Part[] {
  const rules = { ...TAXONOMY_NAMING, keepsIds: true };
  const living = new Naming(session, issues, rules);
  const ids = new Set<string>();
  return groups.map((group, index) =>
    inside(issues, `taxonomies[${index}].`, () => {
      if (ids.has(group.id)) issues.add('The id is given twice.', 'id');
      ids.add(group.id);
      const naming = group.archived === null ? living : new Naming(session, issues, rules);
      const named = naming.name(withoutNull(group), '');
      const terms = readTree(issues, group.terms, 'terms', (tree) =>
        nameTerms(session, issues, tree as [], [], true),
      );
      const { last_modified, archived } = group;
      return { ...toRow(named), terms: JSON.stringify(terms), last_modified, archived };
    }),
  );
}

function readSnippets(
  session: ProjectTransaction,
  issues: Issues,
  types: ReadonlySet<string>,
  snippets: readonly ArchiveSnippet[],
): Part[] {
  const naming = new Naming(session, issues, { ...SNIPPET_NAMING, keepsIds: true });
  return snippets.map((snippet, index) =>
    inside(issues, `snippets[${index}].`, () => {
      const named = naming.name(withoutNull(snippet), '');
      const owner = { owner: 'snippet', ownerId: named.id, contentGroups: [] } as const;
      const elements = readElementDefinitions(session, issues, snippet.elements, types, owner);
      return { ...toRow(named), elements: JSON.stringify(elements), last_modified: snippet.last_modified };
    }),
  );
}

function readTypes(
  session: ProjectTransaction,
  issues: Issues,
  ids: ReadonlySet<string>,
  types: readonly ArchiveType[],
): { readonly elements: ElementDefinition[]; readonly row: Part }[] {
  const naming = new Naming(session, issues, { ...TYPE_NAMING, keepsIds: true });
  return types.map((type, index) =>
    inside(issues, `types[${index}].`, () => {
      const named = naming.name(withoutNull(type), '');
      const contentGroups = readTree(issues, type.content_groups, 'content_groups', (groups) =>
        defineGroups(session, issues, named.id, groups as [], [], true),
      );
      const owner = { owner: 'type', ownerId: named.id, contentGroups: contentGroups ?? [] } as const;
      const elements = readElementDefinitions(session, issues, type.elements, ids, owner);
      checkFields(session, issues, elements);
      return {
        elements,
        row: {
          ...toRow(named),
          content_groups: JSON.stringify(contentGroups),
          last_modified: type.last_modified,
        },
      };
    }),
  );
}

function readElementDefinitions(
  session: ProjectTransaction,
  issues: Issues,
  text: string,
  types: ReadonlySet<string>,
  owner: {
    readonly owner: 'type' | 'snippet';
    readonly ownerId: string;
    readonly contentGroups: readonly ContentGroup[];
  },
): ElementDefinition[] {
  const given = readJson(issues, text, 'elements');
  if (!Array.isArray(given)) {
    issues.add('An array of elements is expected.', 'elements');
    return [];
  }
  return defineElements({ session, issues, stored: { types }, ...owner }, given as [], []);
}

/** In rows what has no external id has null. */
function withoutNull<T extends { readonly external_id: string | null }>({ external_id, ...part }: T) {
  return external_id === null ? part : { ...part, external_id };
}

function toRow(named: {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
}) {
  const { id, name, codename, external_id = null } = named;
  return { id, name, codename, external_id };
}

async function insert(
  { tx, project }: ProjectTransaction,
  table: 'taxonomy' | 'snippet' | 'content_type',
  columns: readonly string[],
  rows: readonly Part[],
): Promise<void> {
  const first = await tx.numbers(table, rows.length);
  const all = ['id', 'name', 'codename', 'external_id', ...columns];
  await tx.insert(
    table,
    ['number', 'project', ...all],
    rows.map((row, index) => [first + index, project.number, ...all.map((column) => row[column] ?? null)]),
  );
}
