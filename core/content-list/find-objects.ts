import { folded } from '../model/folded-words.ts';
import type { ContentType, Language } from '../model/model.ts';
import type { VariantState } from '../model/variant-state.ts';
import { permitsContent } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { listAssets } from './list-assets.ts';
import { listContent } from './list-content.ts';
import { readListedItems } from './listed-items.ts';
import { conditionsOf } from './matching.ts';
import { allOf, type Statement, sql } from './statement.ts';
import { readTextQuery } from './text-query.ts';

export const FOUND_KINDS = ['item', 'type', 'asset', 'user'] as const;
export type FoundKind = (typeof FOUND_KINDS)[number];

/** Something that a picker offers. */
export interface FoundObject {
  readonly kind: FoundKind;
  readonly id: string;
  readonly name: string;
  readonly codename: string | null;
  /** Of an item. */
  readonly type: ContentType | null;
  readonly state: VariantState | null;
}

export interface ObjectQuery {
  readonly text: string;
  readonly kinds: readonly FoundKind[];
  /** Of the states of items. */
  readonly language: Language;
  readonly limit: number;
}

/**
 * Finds objects by a few letters of their names, the best of each kind first; without letters the items that changed last.
 * Items are found by all their words, and by the beginning of their name.
 */
export async function findObjects(view: ProjectView, query: ObjectQuery): Promise<FoundObject[]> {
  const read: Record<FoundKind, () => FoundObject[] | Promise<FoundObject[]>> = {
    item: () => findItems(view, query),
    type: () => findTypes(view, query),
    asset: () => findAssets(view, query),
    user: () => findUsers(view, query),
  };
  const found: FoundObject[] = [];
  for (const kind of query.kinds) found.push(...(await read[kind]()));
  // Those whose names begin with the text, of any kind, come first.
  const text = folded(query.text);
  const isBeginning = ({ name }: FoundObject) => folded(name).startsWith(text);
  return [...found.filter(isBeginning), ...found.filter((one) => !isBeginning(one))].slice(0, query.limit);
}

async function findItems(view: ProjectView, query: ObjectQuery): Promise<FoundObject[]> {
  const { text, language, limit } = query;
  const page = { order: 'relevance', descending: false, offset: 0, limit } as const;
  const words = readTextQuery(text);
  const filter = text === '' ? { language } : { language, text };
  const matching = text === '' || words ? (await listContent(view, filter, page)).items : [];
  const { plain } = conditionsOf(view, { language });
  const listed = sql(`FROM listed r WHERE ${plain.text}`, ...plain.parameters);
  const named = await namedLike(view, query, 'r.item', listed);
  // The first match may be the item with this codename. Further ones, the newest first, must not hide those with the name.
  const numbers = [...new Set([...matching.slice(0, 1), ...named, ...matching])];
  const items = await readListedItems(view, numbers.slice(0, limit), [language], []);
  return items.map(({ item: { id, name, codename, type }, variants: [variant] }) => ({
    ...{ kind: 'item', id, name, codename, type },
    state: variant?.state ?? null,
  }));
}

/** Numbers of those rows `r` of a list whose names begin with the text, in the order of their names. */
async function namedLike(
  { tx }: ProjectView,
  { text, limit }: ObjectQuery,
  number: 'r.item' | 'r.number',
  from: Statement,
): Promise<number[]> {
  const beginning = folded(text);
  if (beginning === '') return [];
  const within = allOf([from, sql('r.name >= ?', beginning), sql('r.name < ?', `${beginning}\u{10ffff}`)]);
  const rows = await tx.all<{ number: number }>(
    `SELECT ${number} AS number ${within.text} ORDER BY r.name, r.number LIMIT ?`,
    [...within.parameters, limit],
  );
  return rows.map((row) => row.number);
}

function findTypes(view: ProjectView, { text }: ObjectQuery): FoundObject[] {
  const wanted = folded(text);
  return view.model.types
    .filter((type) => permitsContent(view, 'view-content', { type, language: 'some' }))
    .filter(({ name, codename }) => folded(name).includes(wanted) || codename.includes(wanted))
    .map(({ id, name, codename }) => ({ kind: 'type', id, name, codename, type: null, state: null }));
}

async function findAssets(view: ProjectView, query: ObjectQuery): Promise<FoundObject[]> {
  const { text, limit } = query;
  const page = { order: 'changed', descending: true, offset: 0, limit } as const;
  const { assets } = await listAssets(view, text === '' ? {} : { text }, page);
  const listed = sql('FROM listed_asset r WHERE r.project = ?', view.project.number);
  const named = await namedLike(view, query, 'r.number', listed);
  const numbers = [...new Set([...named, ...assets])].slice(0, limit);
  const { text: among, parameter } = view.tx.among('a.number', numbers);
  const rows = await view.tx.all<{ id: string; name: string }>(
    `SELECT a.id AS id, COALESCE(a.title, f.name) AS name FROM asset a JOIN file f ON f.id = a.file
     WHERE ${among} ORDER BY a.last_modified DESC, a.number DESC`,
    [parameter],
  );
  return rows.map(({ id, name }) => ({ kind: 'asset', id, name, codename: null, type: null, state: null }));
}

/** Users of the project. Their names are compared here: databases do not know the case of all letters. */
async function findUsers({ tx, project }: ProjectView, { text }: ObjectQuery): Promise<FoundObject[]> {
  const wanted = folded(text);
  const rows = await tx.all<{ id: string; name: string }>(
    `SELECT a.id AS id, a.name AS name FROM membership m JOIN account a ON a.id = m.account
     WHERE m.project = ? AND a.removed IS NULL ORDER BY a.name, a.id`,
    [project.number],
  );
  return rows
    .filter(({ name }) => folded(name).includes(wanted))
    .map(({ id, name }) => ({ kind: 'user', id, name, codename: null, type: null, state: null }));
}
