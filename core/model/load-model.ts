import { ServiceError } from '../errors.ts';
import type { Sql } from '../storage/sql.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import {
  type ContentGroup,
  type ContentType,
  ELEMENT_KINDS,
  type ElementDefinition,
  type Field,
  type Language,
  type ProjectModel,
  type SitemapNode,
  type Snippet,
  type TaxonomyGroup,
  type Term,
  type ValueElement,
} from './model.ts';

interface ModelRow {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id: string | null;
  readonly last_modified: string;
}

/** Columns of a `ModelRow`. */
const MODEL_COLUMNS = 'number, id, name, codename, external_id, last_modified';

interface LanguageRow extends Omit<ModelRow, 'last_modified'> {
  readonly ordinal: number;
  readonly active: number;
  readonly is_default: number;
  readonly fallback: string | null;
}

/**
 * Reads the whole model of a project in five statements.
 * @param modelSequence sequence of the model; by default the stored one
 */
export async function loadModel(sql: Sql, projectId: string, modelSequence?: number): Promise<ProjectModel> {
  const project = await sql.get<{
    number: number;
    id: string;
    name: string;
    sitemap: string;
    model_sequence: number;
    names_sequence: number;
    epoch: string;
  }>(
    `SELECT p.number, p.id, p.name, p.sitemap, p.model_sequence, p.names_sequence, n.epoch
     FROM project p JOIN installation n ON n.id = 1 WHERE p.id = ?`,
    [projectId],
  );
  if (!project) throw new ServiceError('unknownProject', `There is no project with the id '${projectId}'.`);
  const parameters = [project.number];
  const languageRows = await sql.all<LanguageRow>(
    'SELECT number, ordinal, id, name, codename, external_id, active, is_default, fallback FROM language WHERE project = ? ORDER BY ordinal',
    parameters,
  );
  const taxonomyRows = await sql.all<ModelRow & { terms: string }>(
    `SELECT ${MODEL_COLUMNS}, terms FROM taxonomy WHERE project = ? AND archived IS NULL`,
    parameters,
  );
  const snippetRows = await sql.all<ModelRow & { elements: string }>(
    `SELECT ${MODEL_COLUMNS}, elements FROM snippet WHERE project = ?`,
    parameters,
  );
  const typeRows = await sql.all<ModelRow & { elements: string; content_groups: string; fields: string }>(
    `SELECT ${MODEL_COLUMNS}, elements, content_groups, fields FROM content_type WHERE project = ?`,
    parameters,
  );

  const languages = languageRows.map(toLanguage);
  const defaultLanguage = languages.find((language) => language.isDefault);
  if (!defaultLanguage) throw new Error(`Project ${projectId} has no default language.`);
  const taxonomies = await inOrder(taxonomyRows, toTaxonomy);
  const snippets = await inOrder(snippetRows, toSnippet);
  const snippetById = by(snippets, (snippet) => snippet.id);
  const types = await inOrder(typeRows, (row) => toType(row, snippetById));
  const sitemap: readonly SitemapNode[] = JSON.parse(project.sitemap);

  return {
    project: { number: project.number, id: project.id, name: project.name },
    epoch: project.epoch,
    sequence: modelSequence ?? project.model_sequence,
    namesSequence: project.names_sequence,
    characters: [project, ...taxonomyRows, ...snippetRows, ...typeRows].reduce(
      (sum, row) => sum + charactersOf(row),
      0,
    ),
    languages,
    defaultLanguage,
    types,
    snippets,
    taxonomies,
    sitemap,
    languageById: by(languages, (language) => language.id),
    languageByCodename: by(languages, (language) => language.codename),
    languageByNumber: by(languages, (language) => language.number),
    typeById: by(types, (type) => type.id),
    typeByCodename: by(types, (type) => type.codename),
    typeByNumber: by(types, (type) => type.number),
    snippetById,
    taxonomyById: by(taxonomies, (group) => group.id),
    taxonomyByCodename: by(taxonomies, (group) => group.codename),
    sitemapNodeById: by(
      flatten(sitemap, (node) => node.nodes),
      (node) => node.id,
    ),
  };
}

function charactersOf(row: object): number {
  return Object.values(row).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/**
 * The elements of a type as its items have them: snippets expanded in place, without guidelines.
 * @param numbers field number by element id
 */
export function expandFields(
  elements: readonly ElementDefinition[],
  snippetById: ReadonlyMap<string, Snippet>,
  numbers: Readonly<Record<string, number>>,
): Field[] {
  const fields: Field[] = [];
  const add = (element: ElementDefinition, snippet: Snippet | null) => {
    if (!isValueElement(element)) return;
    const codename = snippet ? `${snippet.codename}__${element.codename}` : element.codename;
    fields.push({ field: numbers[element.id] ?? 0, codename, element, snippet: snippet?.id ?? null });
  };
  for (const element of elements) {
    if (element.type !== 'snippet') {
      add(element, null);
      continue;
    }
    const snippet = snippetById.get(element.snippet.id);
    for (const inner of snippet?.elements ?? []) add(inner, snippet ?? null);
  }
  return fields;
}

function isValueElement(element: ElementDefinition): element is ValueElement {
  return ELEMENT_KINDS[element.type] !== null;
}

/** All nodes of a tree, parents before children; any depth. */
export function flatten<T>(nodes: readonly T[], children: (node: T) => readonly T[]): T[] {
  const all: T[] = [];
  const ahead = [...nodes].reverse();
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    all.push(node);
    for (const child of [...children(node)].reverse()) ahead.push(child);
  }
  return all;
}

function toLanguage(row: LanguageRow): Language {
  return {
    number: row.number,
    ordinal: row.ordinal,
    id: row.id,
    name: row.name,
    codename: row.codename,
    externalId: row.external_id,
    isActive: row.active === 1,
    isDefault: row.is_default === 1,
    fallback: row.fallback,
  };
}

function toTaxonomy(row: ModelRow & { terms: string }): TaxonomyGroup {
  const terms: readonly Term[] = JSON.parse(row.terms);
  const all = flatten(terms, (term) => term.terms);
  return {
    ...common(row),
    terms,
    termById: by(all, (term) => term.id),
    termByCodename: by(all, (term) => term.codename),
  };
}

function toSnippet(row: ModelRow & { elements: string }): Snippet {
  return { ...common(row), elements: JSON.parse(row.elements) };
}

function toType(
  row: ModelRow & { elements: string; content_groups: string; fields: string },
  snippetById: ReadonlyMap<string, Snippet>,
): ContentType {
  const elements: readonly ElementDefinition[] = JSON.parse(row.elements);
  const contentGroups: readonly ContentGroup[] = JSON.parse(row.content_groups);
  const numbers: Readonly<Record<string, number>> = JSON.parse(row.fields);
  const fields = expandFields(elements, snippetById, numbers);
  return {
    ...common(row),
    contentGroups,
    elements,
    fields,
    fieldByCodename: by(fields, (field) => field.codename),
    fieldByElement: by(fields, (field) => field.element.id),
    systemFields: {
      name: numbers['#name'] ?? 0,
      last_modified: numbers['#last_modified'] ?? 0,
      sitemap_locations: numbers['#sitemap_locations'] ?? 0,
    },
  };
}

function common(row: ModelRow) {
  return {
    number: row.number,
    id: row.id,
    name: row.name,
    codename: row.codename,
    externalId: row.external_id,
    lastModified: row.last_modified,
  };
}

function by<T, K>(all: readonly T[], key: (value: T) => K): ReadonlyMap<K, T> {
  return new Map(all.map((value) => [key(value), value]));
}

/** By codename. Yields between rows, since a project can have any number of types. */
async function inOrder<Row, Part extends { readonly codename: string }>(
  rows: readonly Row[],
  create: (row: Row) => Part,
): Promise<Part[]> {
  const all: Part[] = [];
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    all.push(create(row));
  }
  return all.sort(byCodename);
}

/** By code unit, the same in every database and locale. */
function byCodename(a: { readonly codename: string }, b: { readonly codename: string }): number {
  return a.codename < b.codename ? -1 : a.codename > b.codename ? 1 : 0;
}
