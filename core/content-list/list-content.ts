import { escapeLike } from '../model/escape-like.ts';
import { isId } from '../model/external-id.ts';
import { CHANNEL_BIT, type Field, type ProjectModel, type Term } from '../model/model.ts';
import { STATE, VARIANT_STATES } from '../publishing/variant-states.ts';
import { EMPTY_KEY, LANGUAGE_SPAN, textKey } from '../storage/index-key.ts';
import type { SqlValue } from '../storage/sql.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { ContentFilter, ContentPage } from './content-filter.ts';

export interface ListedContent {
  /** Storage numbers of the items of the page, in order. */
  readonly items: readonly number[];
  readonly total: number;
}

/** One page of the items that match, and how many match. */
export async function listContent(
  view: ProjectView,
  filter: ContentFilter,
  page: ContentPage,
): Promise<ListedContent> {
  const from = matching(view, filter);
  const counted = await view.tx.get<{ total: number }>(
    `SELECT count(*) AS total ${from.text}`,
    from.parameters,
  );
  const by = orderBy(view.model, filter, page);
  const rows = await view.tx.all<{ item: number }>(
    `SELECT r.item AS item ${from.text} ORDER BY ${by.text} LIMIT ? OFFSET ?`,
    [...from.parameters, ...by.parameters, page.limit, page.offset],
  );
  return { items: rows.map(({ item }) => item), total: counted?.total ?? 0 };
}

interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
}

/** `FROM … WHERE …` with the rows `r` of the items that match. */
function matching({ tx, project, model }: ProjectView, filter: ContentFilter): Statement {
  const { language, types, states, text, terms, location, author, changedFrom, changedBefore } = filter;
  const where: string[] = [];
  const parameters: SqlValue[] = [language.number, project.number];
  const add = (condition: string, ...values: SqlValue[]) => {
    where.push(condition);
    parameters.push(...values);
  };
  if (types.length > 0) {
    const among = tx.among(
      'r.type',
      types.map(({ number }) => number),
    );
    add(among.text, among.parameter);
  }
  if (states.length > 0) {
    const among = tx.among('r.state', states);
    add(among.text, among.parameter);
  } else add(`r.state <> 'archived'`);
  if (text !== undefined) {
    const pattern = `%${escapeLike(text.toLowerCase())}%`;
    if (isId(text.toLowerCase())) add('r.id = ?', text.toLowerCase());
    else add(`(r.name LIKE ? ESCAPE '\\' OR r.codename LIKE ? ESCAPE '\\')`, pattern, pattern);
  }
  if (terms) {
    const slots = tx.among('e.slot', slotsOfTerms(model, terms, language.ordinal));
    const keys = tx.among(
      'e.key',
      terms.map(({ id }) => textKey(id)),
    );
    add(
      `r.item IN (SELECT e.item FROM entry e WHERE ${slots.text} AND ${keys.text} AND e.visible >= ?)`,
      slots.parameter,
      keys.parameter,
      CHANNEL_BIT.latest,
    );
  }
  if (location) add('r.locations LIKE ?', `%"${location.id}"%`);
  if (author !== undefined) add('r.author = ?', author);
  if (changedFrom !== undefined) add('r.modified >= ?', changedFrom);
  if (changedBefore !== undefined) add('r.modified < ?', changedBefore);
  const rows = `SELECT i.number AS item, i.id AS id, i.codename AS codename, i.type AS type, ${STATE} AS state, lower(i.name) AS name,
      i.sitemap_locations AS locations, n.account AS author,
      CASE WHEN v.last_modified > i.last_modified THEN v.last_modified ELSE i.last_modified END AS modified
    FROM item i LEFT JOIN variant v ON v.item = i.number AND v.language = ?
      LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)
    WHERE i.project = ? AND i.type IS NOT NULL`;
  return { text: `FROM (${rows}) r WHERE ${where.join(' AND ')}`, parameters };
}

/** Slots of all elements whose group has one of the terms. */
function slotsOfTerms(model: ProjectModel, terms: readonly Term[], language: number): number[] {
  const groups = new Set(
    model.taxonomies.filter(({ termById }) => terms.some(({ id }) => termById.has(id))).map(({ id }) => id),
  );
  return model.types.flatMap(({ fields }) =>
    fields.flatMap(({ field, element }) =>
      element.type === 'taxonomy' && groups.has(element.taxonomy_group.id)
        ? [field * LANGUAGE_SPAN + language]
        : [],
    ),
  );
}

function orderBy(
  model: ProjectModel,
  { language }: ContentFilter,
  { order, descending }: ContentPage,
): Statement {
  const direction = descending ? 'DESC' : 'ASC';
  const then = `r.name ${direction}, r.item ${direction}`;
  switch (order) {
    case 'relevance':
      return { text: 'r.modified DESC, r.item', parameters: [] };
    case 'name':
      return { text: then, parameters: [] };
    case 'changed':
      return { text: `r.modified ${direction}, r.item ${direction}`, parameters: [] };
    case 'state':
      return { text: `${ranked('r.state', [...VARIANT_STATES])} ${direction}, ${then}`, parameters: [] };
    case 'type': {
      const types = [...model.types].sort((one, other) => (one.name < other.name ? -1 : 1));
      const numbers = types.map(({ number }) => number);
      return { text: `${ranked('r.type', numbers)} ${direction}, ${then}`, parameters: [] };
    }
    default:
      return byElement(order, language.ordinal, direction, then);
  }
}

/** Items without a value come last. */
function byElement({ field }: Field, language: number, direction: string, then: string): Statement {
  const key = `(SELECT min(e.key) FROM entry e WHERE e.slot = ? AND e.item = r.item AND e.visible >= ? AND e.key <> '${EMPTY_KEY}')`;
  const slot = field * LANGUAGE_SPAN + language;
  const bound = [slot, CHANNEL_BIT.latest];
  return {
    text: `CASE WHEN ${key} IS NULL THEN 1 ELSE 0 END, ${key} ${direction}, ${then}`,
    parameters: [...bound, ...bound],
  };
}

function ranked(column: string, values: readonly (string | number)[]): string {
  const cases = values.map(
    (value, index) => `WHEN ${typeof value === 'number' ? value : `'${value}'`} THEN ${index}`,
  );
  return `CASE ${column} ${cases.join(' ')} END`;
}
