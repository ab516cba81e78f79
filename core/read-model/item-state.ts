import { parseStored } from '../json-body/parse-stored.ts';
import {
  type Channel,
  type ContentType,
  fallbackChain,
  type Language,
  type ProjectModel,
} from '../model/model.ts';
import type { StoredElements } from '../model/values.ts';
import { STATE, type VariantState } from '../model/variant-state.ts';
import type { Sql } from '../storage/sql.ts';
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
 * Items that exist, with the versions that readers can get, in two statements; more for many.
 * @param isArchived also what is archived; readers get none of it
 */
export async function loadItemStates(
  sql: Sql,
  model: ProjectModel,
  items: readonly number[],
  isArchived = false,
): Promise<ItemState[]> {
  const [rows, variants] = await Promise.all([
    loadItems(sql, items, isArchived),
    loadVariants(sql, model, items, isArchived),
  ]);
  return rows.flatMap((row) => {
    const type = model.typeByNumber.get(row.type);
    if (!type) return [];
    return [
      {
        number: row.number,
        id: row.id,
        name: row.name,
        codename: row.codename,
        type,
        sitemapLocations: JSON.parse(row.sitemap_locations),
        lastModified: row.last_modified,
        archived: row.archived,
        variants: variants.get(row.number) ?? [],
      },
    ];
  });
}

function loadItems(sql: Sql, items: readonly number[], isArchived: boolean) {
  const among = sql.among('i.number', items);
  return sql.all<{
    number: number;
    id: string;
    name: string;
    codename: string;
    type: number;
    sitemap_locations: string;
    last_modified: string;
    archived: string | null;
  }>(
    `SELECT i.number, i.id, i.name, i.codename, i.type, i.sitemap_locations, i.last_modified, i.archived FROM item i
     WHERE ${among.text} AND i.type IS NOT NULL ${isArchived ? '' : 'AND i.archived IS NULL'}`,
    [among.parameter],
  );
}

async function loadVariants(
  sql: Sql,
  model: ProjectModel,
  items: readonly number[],
  isArchived: boolean,
): Promise<Map<number, VariantVersions[]>> {
  const rows = await inPieces(
    items,
    (batch) => {
      const among = sql.among('v.item', batch);
      return sql.all<{
        item: number;
        language: number;
        draft: number | null;
        published: number | null;
        version: number;
        created: string;
        elements: string;
        state: VariantState;
        last_modified: string;
        account: string | null;
        searched: string | null;
      }>(
        `SELECT v.item AS item, v.language AS language, v.draft AS draft, v.published AS published,
           n.number AS version, n.created AS created, n.elements AS elements, ${STATE} AS state,
           v.last_modified AS last_modified, n.account AS account, r.searched AS searched
         FROM variant v JOIN item i ON i.number = v.item JOIN version n ON n.number = v.draft OR n.number = v.published
           LEFT JOIN listed r ON r.item = v.item AND r.language = v.language
         WHERE ${among.text} ${isArchived ? '' : 'AND v.archived IS NULL'} ORDER BY v.number`,
        [among.parameter],
      );
    },
    ({ elements }) => elements.length,
  );
  const languages = new Map(model.languages.map((language) => [language.number, language]));
  const byVariant = new Map<string, { -readonly [K in keyof VariantVersions]: VariantVersions[K] }>();
  const byItem = new Map<number, VariantVersions[]>();
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    const language = languages.get(row.language);
    if (!language) continue;
    const key = `${row.item}:${row.language}`;
    let variant = byVariant.get(key);
    if (!variant) {
      const { state, last_modified: lastModified, account: author, searched } = row;
      const listed = { state, lastModified, author, searched };
      variant = { language, published: undefined, latest: undefined, listed };
      byVariant.set(key, variant);
      const list = byItem.get(row.item);
      if (list) list.push(variant);
      else byItem.set(row.item, [variant]);
    }
    const version = {
      number: row.version,
      created: row.created,
      elements: await parseStored<StoredElements>(row.elements),
    };
    if (row.published === row.version) variant.published = version;
    if ((row.draft ?? row.published) !== row.version) continue;
    variant.latest = version;
    variant.listed = { ...variant.listed, author: row.account };
  }
  return byItem;
}

/** The item without archived variants; nothing of an archived one. */
export function readable(item: ItemState): ItemState[] {
  if (item.archived !== null) return [];
  return [{ ...item, variants: item.variants.filter(({ listed }) => listed.state !== 'archived') }];
}

/** The versions readers can see: published, latest, or one that is both. */
export function readableVersions({ published, latest }: VariantVersions): VersionState[] {
  return published && latest && published !== latest ? [published, latest] : latest ? [latest] : [];
}

export function versionIn(variant: VariantVersions, channel: Channel): VersionState | undefined {
  return channel === 'published' ? variant.published : variant.latest;
}

/** The variant a reader of the language gets, with its version, fallback applied. */
export function sourceIn(model: ProjectModel, state: ItemState, language: Language, channel: Channel) {
  for (const candidate of fallbackChain(model, language)) {
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
