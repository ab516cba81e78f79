import { assetPath } from '../model/asset-path.ts';
import { type Channel, type Language, type ProjectModel, viewOf, viewsOf } from '../model/model.ts';
import type { Sql } from '../storage/sql.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { AssetFacts, Facts, ItemFacts, TargetFacts } from './facts.ts';
import type { ReferencedIds } from './references-of.ts';

/** Facts of one batch, with the changes that the same transaction is about to write. */
export class LoadedFacts implements Facts {
  readonly #items = new Map<string, ItemFacts>();
  readonly #targets = new Map<string, TargetFacts>();
  readonly #assets = new Map<string, AssetFacts>();
  readonly #assetNumbers = new Map<string, number>();

  item(id: string): ItemFacts | undefined {
    return this.#items.get(id);
  }

  target(id: string, language: Language, channel: Channel): TargetFacts | undefined {
    return this.#targets.get(`${id}:${viewOf(language, channel)}`);
  }

  asset(id: string): AssetFacts | undefined {
    return this.#assets.get(id);
  }

  assetNumber(id: string): number | undefined {
    return this.#assetNumbers.get(id);
  }

  setTarget(id: string, view: number, facts: TargetFacts | undefined): void {
    if (facts) this.#targets.set(`${id}:${view}`, facts);
    else this.#targets.delete(`${id}:${view}`);
  }

  setItem(id: string, facts: ItemFacts): void {
    this.#items.set(id, facts);
  }

  setAsset(id: string, number: number, facts: AssetFacts | null): void {
    this.#assetNumbers.set(id, number);
    if (facts) this.#assets.set(id, facts);
  }
}

const NOTHING: ReadonlyMap<string, ItemFacts> = new Map();

/**
 * Three statements, more only for hundreds of references.
 * @param known facts of items that need not be read, by id
 */
export async function loadFacts(
  sql: Sql,
  model: ProjectModel,
  referenced: ReferencedIds,
  known = NOTHING,
): Promise<LoadedFacts> {
  const facts = new LoadedFacts();
  const items = new Set<string>();
  for (const ids of [referenced.items, referenced.links])
    for (const id of ids) {
      const item = known.get(id);
      if (item) facts.setItem(id, item);
      else items.add(id);
    }
  if (items.size > 0) await loadItems(sql, model, items, facts);
  if (referenced.links.size > 0) await loadTargets(sql, model, referenced.links, facts);
  if (referenced.assets.size > 0) await loadAssets(sql, model, referenced.assets, facts);
  return facts;
}

async function loadItems(
  sql: Sql,
  model: ProjectModel,
  wanted: ReadonlySet<string>,
  facts: LoadedFacts,
): Promise<void> {
  await inPieces(wanted, async (ids) => {
    const among = sql.among('i.id', ids);
    const items = await sql.all<{ number: number; id: string; codename: string | null }>(
      `SELECT i.number AS number, i.id AS id, i.codename AS codename FROM item i
       WHERE i.project = ? AND ${among.text}`,
      [model.project.number, among.parameter],
    );
    for (const { number, id, codename } of items) facts.setItem(id, { number, codename });
    return [];
  });
}

/** What hyperlinks show of the items they point to, in each view. */
async function loadTargets(
  sql: Sql,
  model: ProjectModel,
  links: ReadonlySet<string>,
  facts: LoadedFacts,
): Promise<void> {
  const idOf = new Map<number, string>();
  for (const id of links) {
    const item = facts.item(id);
    // One that is only referred to has no document.
    if (item && item.codename !== null) idOf.set(item.number, id);
  }
  if (idOf.size === 0) return;
  const views = sql.among('r.view', viewsOf(model));
  const targets = await inPieces(idOf.keys(), (items) => {
    const known = sql.among('r.item', items);
    return sql.all<{
      item: number;
      view: number;
      type: number;
      codename: string;
      slug: string;
    }>(
      `SELECT r.item AS item, r.view AS view, r.type AS type, r.codename AS codename, d.slug AS slug
       FROM resolved r JOIN document d ON d.number = r.document WHERE ${views.text} AND ${known.text}`,
      [views.parameter, known.parameter],
    );
  });
  await eachInTurns(targets, ({ item, view, type, codename, slug }) =>
    facts.setTarget(idOf.get(item) ?? '', view, {
      codename,
      slug,
      type: model.typeByNumber.get(type)?.codename ?? '',
    }),
  );
}

async function loadAssets(
  sql: Sql,
  model: ProjectModel,
  ids: ReadonlySet<string>,
  facts: LoadedFacts,
): Promise<void> {
  const rows = await inPieces(ids, (batch) => {
    const among = sql.among('a.id', batch);
    return sql.all<{
      number: number;
      id: string;
      file: string | null;
      name: string;
      type: string;
      size: number;
      descriptions: string;
    }>(
      `SELECT a.number AS number, a.id AS id, f.id AS file, f.name AS name, f.type AS type, f.size AS size,
         a.descriptions AS descriptions
       FROM asset a LEFT JOIN file f ON f.id = a.file AND a.archived IS NULL
       WHERE a.project = ? AND ${among.text}`,
      [model.project.number, among.parameter],
    );
  });
  for (const row of rows) {
    if (isTurnLong()) await nextTurn();
    facts.setAsset(
      row.id,
      row.number,
      row.file === null
        ? null
        : {
            name: row.name,
            type: row.type,
            size: row.size,
            path: assetPath(model.project.id, { id: row.file, name: row.name }),
            descriptions: JSON.parse(row.descriptions),
          },
    );
  }
}
