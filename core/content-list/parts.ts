import { isId } from '../model/external-id.ts';
import { CHANNEL_BIT, type Field } from '../model/model.ts';
import { VARIANT_STATES } from '../model/variant-state.ts';
import { LANGUAGE_SPAN, VALUE_FLOOR } from '../storage/index-key.ts';
import { ALL_AUTHORS, itemOfRow } from '../storage/listed-rows.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { ContentFilter, ContentPage } from './content-filter.ts';
import { conditionsOf, typesByName } from './matching.ts';
import { allOf, type Statement, sql } from './statement.ts';
import { readTextQuery } from './text-query.ts';

/** Rows of a list that stand together in its order. */
export interface Part {
  /** `FROM … WHERE …` with the rows `r` of `listed`. */
  readonly from: Statement;
  /** Of the order; the last column is unique. */
  readonly by: readonly string[];
  readonly descending: boolean;
  readonly total: number;
  /** SQL of the number of the item. */
  readonly item: string;
  /** The rows of `from` with this value are the part. */
  readonly group?: { readonly from: Statement; readonly column: string; readonly value: number };
}

const ITEM = itemOfRow('r.number');
const BY_NAME = ['r.name', 'r.number'];
const BY_CHANGE = ['r.changed', 'r.number'];

/** What a list is made of before it is ordered. */
interface Source {
  /** Of the rows with the words, where there is a text. */
  readonly matches: Statement | undefined;
  readonly where: Statement;
  /** `FROM … WHERE …` with the rows `r` of the table `listed_count`, where these are enough for the conditions. */
  readonly counts: Statement | undefined;
}

/** The parts of a list in their order, with how many rows each has. */
export async function partsOf(
  view: ProjectView,
  filter: ContentFilter,
  { order, descending }: ContentPage,
): Promise<Part[]> {
  const { plain, author, other } = conditionsOf(view, filter);
  const where = allOf([plain, ...(author ? [author] : []), ...(other ? [other] : [])]);
  const counts = other
    ? undefined
    : allOf([sql('FROM listed_count r WHERE r.author = ?', filter.author ?? ALL_AUTHORS), plain]);
  const all = { matches: undefined, where, counts };
  const { text } = filter;
  const source = text === undefined ? all : await matchingText(view, all, filter, text);
  if (!source) return [];
  switch (order) {
    case 'relevance':
      return text === undefined
        ? [await onePart(view, source, BY_CHANGE, true)]
        : partsByRelevance(view, source, filter, text);
    case 'name':
      return [await onePart(view, source, BY_NAME, descending)];
    case 'changed':
      return [await onePart(view, source, BY_CHANGE, descending)];
    case 'state':
      return grouped(view, source, 'state', [...VARIANT_STATES.keys()], descending);
    case 'type':
      return grouped(view, source, 'type', typesByName(view.model), descending);
    default:
      return partsByElement(view, source, filter, order, descending);
  }
}

function fromOf({ matches, where }: Source): Statement {
  if (!matches) return sql(`FROM listed r WHERE ${where.text}`, ...where.parameters);
  return sql(
    // SQLite keeps the order of tables in a cross join, and would begin with the list otherwise.
    `FROM (${matches.text}) m CROSS JOIN listed r WHERE r.number = m.number AND ${where.text}`,
    ...matches.parameters,
    ...where.parameters,
  );
}

async function countOf({ tx }: ProjectView, source: Source): Promise<number> {
  const { text, parameters } = source.counts ?? fromOf(source);
  const counted = await tx.get<{ total: number | null }>(
    `SELECT ${countIn(source)} AS total ${text}`,
    parameters,
  );
  return counted?.total ?? 0;
}

function countIn({ counts }: Source): string {
  return counts ? 'sum(r.count)' : 'count(*)';
}

async function onePart(
  view: ProjectView,
  source: Source,
  by: readonly string[],
  descending: boolean,
): Promise<Part> {
  return { from: fromOf(source), by, descending, total: await countOf(view, source), item: ITEM };
}

/** By the values of a column, then by name. */
async function grouped(
  { tx }: ProjectView,
  source: Source,
  name: 'type' | 'state',
  values: readonly number[],
  descending: boolean,
): Promise<Part[]> {
  const from = fromOf(source);
  const column = `r.${name}`;
  const { text, parameters } = source.counts ?? from;
  const counted = await tx.all<{ value: number; total: number }>(
    `SELECT ${column} AS value, ${countIn(source)} AS total ${text} GROUP BY ${column}`,
    parameters,
  );
  const totals = new Map(counted.map(({ value, total }) => [value, total]));
  const parts = values.map((value) => ({
    from: allOf([from, sql(`${column} = ?`, value)]),
    by: BY_NAME,
    descending,
    total: totals.get(value) ?? 0,
    item: ITEM,
    group: { from, column, value },
  }));
  return descending ? parts.reverse() : parts;
}

/** Items without a value, also those without a variant, come last, by name. */
async function partsByElement(
  view: ProjectView,
  source: Source,
  { language, states, author }: ContentFilter,
  { field }: Field,
  descending: boolean,
): Promise<Part[]> {
  const entries = sql(
    'e.slot = ? AND e.key >= ? AND e.visible >= ?',
    field * LANGUAGE_SPAN + language.ordinal,
    VALUE_FLOOR,
    CHANNEL_BIT.latest,
  );
  // Only the index of the values is read, where they belong to exactly the items of the list.
  const isEntries =
    source.counts !== undefined && states === undefined && author === undefined && view.access === undefined;
  const valued = isEntries
    ? sql(`FROM entry e WHERE ${entries.text}`, ...entries.parameters)
    : allOf([
        sql(
          `FROM entry e JOIN listed r ON r.item = e.item ${source.matches ? `JOIN (${source.matches.text}) m ON m.number = r.number` : ''}
           WHERE ${entries.text}`,
          ...(source.matches?.parameters ?? []),
          ...entries.parameters,
        ),
        source.where,
      ]);
  const counted = await view.tx.get<{ total: number }>(
    `SELECT count(*) AS total ${valued.text}`,
    valued.parameters,
  );
  const without = await onePart(view, source, BY_NAME, false);
  const total = counted?.total ?? 0;
  return [
    { from: valued, by: ['e.key', 'e.codename', 'e.item'], descending, total, item: 'e.item' },
    {
      ...without,
      from: allOf([
        without.from,
        sql(`r.item NOT IN (SELECT e.item FROM entry e WHERE ${entries.text})`, ...entries.parameters),
      ]),
      total: without.total - total,
    },
  ];
}

/** The rows with the words, or of the one item whose id the text is; undefined where nothing can match. */
async function matchingText(
  view: ProjectView,
  source: Source,
  { language }: ContentFilter,
  text: string,
): Promise<Source | undefined> {
  const id = text.trim().toLowerCase();
  if (isId(id)) {
    const { tx, project } = view;
    const item = await tx.get<{ number: number }>('SELECT number FROM item WHERE project = ? AND id = ?', [
      project.number,
      id,
    ]);
    return {
      ...source,
      where: allOf([source.where, sql('r.item = ?', item?.number ?? 0)]),
      counts: undefined,
    };
  }
  const query = readTextQuery(text);
  if (!query) return undefined;
  return { ...source, matches: view.tx.matching(query, language.number), counts: undefined };
}

/** The item with the codename; then those whose names match, then the others, the newest first. */
async function partsByRelevance(
  view: ProjectView,
  source: Source,
  { language }: ContentFilter,
  text: string,
): Promise<Part[]> {
  const query = readTextQuery(text);
  if (!source.matches || !query) return [await onePart(view, source, BY_CHANGE, true)];
  const { tx, project } = view;
  const exact = await tx.get<{ number: number }>(
    'SELECT number FROM item WHERE project = ? AND codename = ?',
    [project.number, text.trim().toLowerCase()],
  );
  const others = sql('r.item <> ?', exact?.number ?? 0);
  const within = (matches: Statement) => ({ ...source, matches, where: allOf([source.where, others]) });
  const parts: Part[] = [];
  if (exact)
    parts.push(
      await onePart(
        view,
        { ...source, matches: undefined, where: allOf([source.where, sql('r.item = ?', exact.number)]) },
        BY_CHANGE,
        true,
      ),
    );
  parts.push(await onePart(view, within(tx.matching(query, language.number, 'name')), BY_CHANGE, true));
  parts.push(
    await onePart(view, within(tx.matching(query, language.number, 'beyond the name')), BY_CHANGE, true),
  );
  return parts;
}
