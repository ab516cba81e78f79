import { ServiceError } from '../errors.ts';
import { CHANNEL_BIT, type Language } from '../model/model.ts';
import { USE } from '../storage/stale.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** A variant that refers to an item or asset. */
export interface UsedIn {
  /** Storage numbers of the variant's item and language, for paging. */
  readonly at: readonly [item: number, language: number];
  readonly item: { readonly id: string; readonly name: string; readonly codename: string };
  readonly language: Language;
  /** The published version refers to it. */
  readonly published: boolean;
  /** The latest version refers to it. */
  readonly latest: boolean;
}

export interface UsedInPage {
  readonly after: readonly [item: number, language: number];
  readonly limit: number;
}

/** @throws itemNotFound; archived items are found: their use matters before restoring them */
export async function itemUsedIn(view: ProjectView, id: string, page: UsedInPage): Promise<UsedIn[]> {
  const row = await numberOf(view, 'item', id);
  if (row === undefined)
    throw new ServiceError('itemNotFound', `There is no content item with the id '${id}'.`);
  return usedIn(view, [USE.linkedItem, USE.hyperlink], row, page);
}

/** @throws objectNotFound */
export async function assetUsedIn(view: ProjectView, id: string, page: UsedInPage): Promise<UsedIn[]> {
  const row = await numberOf(view, 'asset', id);
  if (row === undefined) throw new ServiceError('objectNotFound', `There is no asset with the id '${id}'.`);
  return usedIn(view, [USE.asset], row, page);
}

/** How many items, their languages, and published ones of these refer to an asset. */
export interface UsersOfAsset {
  readonly items: number;
  readonly variants: number;
  readonly published: number;
}

/** Only content that the person may see counts. @throws objectNotFound */
export async function usersOfAsset(view: ProjectView, id: string): Promise<UsersOfAsset> {
  const number = await numberOf(view, 'asset', id);
  if (number === undefined)
    throw new ServiceError('objectNotFound', `There is no asset with the id '${id}'.`);
  const permitted = visibleWhere(view, { type: 'd.type', language: 'd.language' });
  const row = await view.tx.get<UsersOfAsset>(
    `SELECT count(DISTINCT v.item) AS items, count(*) AS variants, coalesce(sum(v.published), 0) AS published
     FROM (SELECT d.item AS item, d.language AS language, ${hasBit(CHANNEL_BIT.published)} AS published
       FROM uses u JOIN document d ON d.number = u.document
       WHERE ${[`u.kind = ${USE.asset}`, 'u.target = ?', ...permitted].join(' AND ')}
       GROUP BY d.item, d.language) v`,
    [number],
  );
  return row ?? { items: 0, variants: 0, published: 0 };
}

/** Those of the assets, by storage number, that documents refer to. */
export async function usedAssets(
  { tx }: Pick<ProjectView, 'tx'>,
  assets: readonly number[],
): Promise<ReadonlySet<number>> {
  if (assets.length === 0) return new Set();
  const { text, parameter } = tx.among('number', assets);
  const rows = await tx.all<{ number: number }>(
    `SELECT number FROM listed_asset WHERE ${text} AND used = 1`,
    [parameter],
  );
  return new Set(rows.map(({ number }) => number));
}

/** Of rows of `document` that are grouped. */
const hasBit = (bit: number) => `max(CASE WHEN d.visible & ${bit} = ${bit} THEN 1 ELSE 0 END)`;

async function numberOf(view: ProjectView, kind: 'item' | 'asset', id: string): Promise<number | undefined> {
  const conditions =
    kind === 'item' ? ['type IS NOT NULL', ...visibleWhere(view, { type: 'type' })] : ['file IS NOT NULL'];
  const row = await view.tx.get<{ number: number }>(
    `SELECT number FROM ${kind} WHERE ${['project = ?', 'id = ?', ...conditions].join(' AND ')}`,
    [view.project.number, id.toLowerCase()],
  );
  return row?.number;
}

/** Searches published and latest versions. A component counts as its item. */
async function usedIn(
  view: ProjectView,
  kinds: readonly number[],
  target: number,
  { after, limit }: UsedInPage,
): Promise<UsedIn[]> {
  const { tx, model } = view;
  const permitted = visibleWhere(view, { type: 'i.type', language: 'd.language' });
  const rows = await tx.all<{
    item: number;
    language: number;
    id: string;
    name: string;
    codename: string;
    published: number;
    latest: number;
  }>(
    `SELECT d.item AS item, d.language AS language, i.id AS id, i.name AS name, i.codename AS codename,
       ${hasBit(CHANNEL_BIT.published)} AS published, ${hasBit(CHANNEL_BIT.latest)} AS latest
     FROM uses u JOIN document d ON d.number = u.document JOIN item i ON i.number = d.item
     WHERE ${[`u.kind IN (${kinds.join(', ')})`, 'u.target = ?', ...permitted].join(' AND ')} AND (d.item, d.language) > (?, ?)
     GROUP BY d.item, d.language, i.id, i.name, i.codename ORDER BY d.item, d.language LIMIT ?`,
    [target, ...after, limit],
  );
  return rows.flatMap(({ item, language: number, id, name, codename, published, latest }) => {
    const language = model.languageByNumber.get(number);
    if (!language) return [];
    return {
      at: [item, number] as const,
      item: { id, name, codename },
      language,
      published: published === 1,
      latest: latest === 1,
    };
  });
}
