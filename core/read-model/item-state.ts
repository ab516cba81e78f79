import { parseStored } from '../json-body/parse-stored.ts';
import {
  CHANNELS,
  type Channel,
  type ContentType,
  fallbackChain,
  type Language,
  type ProjectModel,
  viewOf,
} from '../model/model.ts';
import type { StoredElements } from '../model/values.ts';
import { STATE, type VariantState } from '../model/variant-state.ts';
import { numberOfRow } from '../storage/listed-rows.ts';
import type { Sql, SqlValue } from '../storage/sql.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

export interface VersionState {
  readonly number: number;
  readonly created: string;
  readonly elements: StoredElements;
}

/** The versions of a variant that readers can get. */
export interface VariantVersions {
  readonly language: Language;
  readonly published: VersionState | undefined;
  /** The draft, or the published version when there is no newer one; the very same object then. */
  readonly latest: VersionState | undefined;
  readonly listed: ListedState;
}

/** What lists show of a variant. */
export interface ListedState {
  readonly state: VariantState;
  readonly lastModified: string;
  /** Id of the user who wrote the latest version. */
  readonly author: string | null;
  /** What the words in full text were made of; null = it has none. */
  readonly searched: string | null;
}

/** An item with everything that compiling it needs. */
export interface ItemState {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly type: ContentType;
  readonly sitemapLocations: readonly string[];
  readonly lastModified: string;
  readonly archived: string | null;
  readonly variants: readonly VariantVersions[];
}

/**
 * Items that exist, with the versions that readers can get, in one statement; more for many.
 * @param isArchived also what is archived; readers get none of it
 */
export async function loadItemStates(
  sql: Sql,
  model: ProjectModel,
  items: readonly number[],
  isArchived = false,
): Promise<ItemState[]> {
  const rows = await inPieces(items, (batch) => loadVersions(sql, batch, isArchived), charactersOf);
  return statesOf(model, rows);
}

/** What more to read of items: columns of item `i`, with their parameters. */
export interface MoreColumns {
  readonly columns: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * The same with what is archived, and with more columns.
 * @param each is called for each item, once or more
 */
export async function loadItemStatesWith<More>(
  sql: Sql,
  model: ProjectModel,
  items: readonly number[],
  more: MoreColumns,
  each: (item: number, row: More) => void,
): Promise<ItemState[]> {
  const rows = await inPieces(items, (batch) => loadVersions<More>(sql, batch, true, more), charactersOf);
  for (const row of rows) each(row.item, row);
  return statesOf(model, rows);
}

const charactersOf = ({ elements }: VersionRow) => elements?.length ?? 0;

async function statesOf(model: ProjectModel, rows: readonly VersionRow[]): Promise<ItemState[]> {
  const states = new Map<number, ItemState & { readonly variants: Changing<VariantVersions>[] }>();
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    const type = model.typeByNumber.get(row.type);
    if (!type) continue;
    let state = states.get(row.item);
    if (!state) {
      state = { type, variants: [], ...itemOf(row) };
      states.set(row.item, state);
    }
    const language = row.language === null ? undefined : model.languageByNumber.get(row.language);
    if (language) await addVersion(state.variants, language, row);
  }
  return [...states.values()];
}

type Changing<T> = { -readonly [K in keyof T]: T[K] };

interface VersionRow {
  readonly item: number;
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly type: number;
  readonly sitemap_locations: string;
  readonly item_modified: string;
  readonly item_archived: string | null;
  readonly language: number | null;
  readonly draft: number | null;
  readonly published: number | null;
  /** Null, like what follows: the item has no variant. */
  readonly version: number | null;
  readonly created: string;
  readonly elements: string | null;
  readonly state: VariantState;
  readonly last_modified: string;
  readonly account: string | null;
  readonly searched: string | null;
}

/** A row for each version of an item, or one without. */
function loadVersions<More = unknown>(
  sql: Sql,
  items: readonly number[],
  isArchived: boolean,
  { columns, parameters }: MoreColumns = NOTHING_MORE,
): Promise<(VersionRow & More)[]> {
  const among = sql.among('i.number', items);
  return sql.all<VersionRow & More>(
    `SELECT i.number AS item, i.id AS id, i.name AS name, i.codename AS codename, i.type AS type,
       i.sitemap_locations AS sitemap_locations, i.last_modified AS item_modified, i.archived AS item_archived,
       v.language AS language, v.draft AS draft, v.published AS published,
       n.number AS version, n.created AS created, n.elements AS elements, ${STATE} AS state,
       v.last_modified AS last_modified, n.account AS account, r.searched AS searched${columns}
     FROM item i LEFT JOIN variant v ON v.item = i.number ${isArchived ? '' : 'AND v.archived IS NULL'}
       LEFT JOIN version n ON n.number = v.draft OR n.number = v.published
       LEFT JOIN listed r ON r.number = ${numberOfRow('v.item', 'v.language')}
     WHERE ${among.text} AND i.type IS NOT NULL ${isArchived ? '' : 'AND i.archived IS NULL'} ORDER BY v.number`,
    [...parameters, among.parameter],
  );
}

const NOTHING_MORE: MoreColumns = { columns: '', parameters: [] };

function itemOf(row: VersionRow): Omit<ItemState, 'type' | 'variants'> {
  return {
    number: row.item,
    id: row.id,
    name: row.name,
    codename: row.codename,
    sitemapLocations: JSON.parse(row.sitemap_locations),
    lastModified: row.item_modified,
    archived: row.item_archived,
  };
}

/** @param variants of the item, in the order of their rows */
async function addVersion(
  variants: Changing<VariantVersions>[],
  language: Language,
  row: VersionRow,
): Promise<void> {
  if (row.version === null || row.elements === null) return;
  let variant = variants.at(-1);
  if (variant?.language !== language) {
    const { state, last_modified: lastModified, account: author, searched } = row;
    const listed = { state, lastModified, author, searched };
    variant = { language, published: undefined, latest: undefined, listed };
    variants.push(variant);
  }
  const version = {
    number: row.version,
    created: row.created,
    elements: await parseStored<StoredElements>(row.elements),
  };
  if (row.published === row.version) variant.published = version;
  if ((row.draft ?? row.published) !== row.version) return;
  variant.latest = version;
  variant.listed = { ...variant.listed, author: row.account };
}

/** The item without archived variants; nothing of an archived one. */
export function readable(item: ItemState): ItemState[] {
  if (item.archived !== null) return [];
  return [{ ...item, variants: item.variants.filter(({ listed }) => listed.state !== 'archived') }];
}

/** The versions readers can see: published, latest, or one that is both. */
export function readableVersions({ published, latest }: VariantVersions): VersionState[] {
  return [...new Set([published, latest])].filter((version) => version !== undefined);
}

export function versionIn(variant: VariantVersions, channel: Channel): VersionState | undefined {
  return channel === 'published' ? variant.published : variant.latest;
}

/** What each view shows of the item: a variant with its version, fallback applied; undefined where that is none. */
export function sourcesOf(model: ProjectModel, state: ItemState) {
  return model.languages.flatMap((language) => {
    if (!language.isActive) return [];
    const chain = fallbackChain(model, language);
    return CHANNELS.map((channel) => ({
      channel,
      view: viewOf(language, channel),
      source: sourceIn(chain, state, channel),
    }));
  });
}

function sourceIn(chain: readonly Language[], state: ItemState, channel: Channel) {
  for (const candidate of chain) {
    const variant = state.variants.find(({ language: own }) => own.number === candidate.number);
    const version = variant && versionIn(variant, channel);
    if (variant && version) return { variant, version };
  }
  return undefined;
}

/** A rename of the item counts as a change of what readers get. */
export function lastModified(item: { readonly lastModified: string }, versionCreated: string): string {
  return item.lastModified > versionCreated ? item.lastModified : versionCreated;
}
