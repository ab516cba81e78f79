import { fallbackChain, type Language, viewOf } from '../model/model.ts';
import { collectReferences, type ReferencedIds } from '../read-model/references-of.ts';
import { seesItemsOf } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { draftOf, type LocatedVariant } from './locate-variant.ts';

/** A reference to an object that readers of the version could not get. */
export interface Dangling {
  readonly from: Pick<LocatedVariant, 'item' | 'language'>;
  readonly kind: 'item' | 'asset';
  readonly id: string;
  /** Of an item, or an asset that has a title, where it exists and the person may view it. */
  readonly name: string | null;
  /** Of an item that exists and that the person may view. */
  readonly codename: string | null;
  /** `missing`: a placeholder for an external id. `unpublished`: not published in the language or its fallbacks. */
  readonly reason: 'missing' | 'archived' | 'unpublished';
}

interface Target {
  readonly number: number;
  /** Null where the person may not view it. */
  readonly name: string | null;
  /** Null where the person may not view it. */
  readonly codename: string | null;
  /** No placeholder. */
  readonly exists: boolean;
  readonly archived: boolean;
}

/**
 * Finds references of drafts to objects that are not public even when everything planned is. Four statements for up to a
 * thousand.
 * @param isPlanned whether a variant, by the storage numbers of item and language, will be published too
 */
export async function findDangling(
  transaction: ProjectView,
  publishing: readonly LocatedVariant[],
  isPlanned: (item: number, language: number) => boolean,
): Promise<Dangling[]> {
  if (publishing.length === 0) return [];
  const referred = [];
  const all = { items: new Set<string>(), assets: new Set<string>() };
  for (const located of publishing) {
    const ids: ReferencedIds = { items: new Set(), links: new Set(), assets: new Set() };
    await collectReferences(transaction.model, located.item.type, await draftOf(located), ids);
    await eachInTurns(ids.links, (id) => ids.items.add(id));
    await eachInTurns(ids.items, (id) => all.items.add(id));
    await eachInTurns(ids.assets, (id) => all.assets.add(id));
    referred.push({ located, items: ids.items, assets: ids.assets });
  }
  const items = await readTargets(transaction, 'item', all.items);
  const assets = await readTargets(transaction, 'asset', all.assets);
  const isPublic = await publicItems(transaction, publishing, items, isPlanned);

  const found: Dangling[] = [];
  for (const { located, ...ids } of referred) {
    const from = { item: located.item, language: located.language };
    await eachInTurns(ids.items, (id) => {
      const target = items.get(id);
      const reason = !target?.exists
        ? 'missing'
        : target.archived
          ? 'archived'
          : isPublic(target.number, located.language)
            ? undefined
            : 'unpublished';
      const { name = null, codename = null } = target ?? {};
      if (reason) found.push({ from, kind: 'item', id, name, codename, reason });
    });
    await eachInTurns(ids.assets, (id) => {
      const target = assets.get(id);
      if (target?.exists && !target.archived) return;
      found.push({
        from,
        kind: 'asset',
        id,
        name: target?.name ?? null,
        codename: null,
        reason: target?.exists ? 'archived' : 'missing',
      });
    });
  }
  return found;
}

async function readTargets(
  view: ProjectView,
  kind: 'item' | 'asset',
  ids: ReadonlySet<string>,
): Promise<Map<string, Target>> {
  const { tx, project } = view;
  const columns =
    kind === 'item'
      ? 'name, codename, type, archived, type IS NOT NULL AS "exists"'
      : 'title AS name, NULL AS codename, NULL AS type, archived, file IS NOT NULL AS "exists"';
  const rows = await inPieces(ids, (some) => {
    const among = tx.among('id', some);
    return tx.all<{
      number: number;
      id: string;
      name: string | null;
      codename: string | null;
      type: number | null;
      exists: number | boolean;
      archived: string | null;
    }>(`SELECT number, id, ${columns} FROM ${kind} WHERE project = ? AND ${among.text}`, [
      project.number,
      among.parameter,
    ]);
  });
  const targets = new Map<string, Target>();
  await eachInTurns(rows, ({ id, number, name, codename, type, exists, archived }) => {
    const isViewed = seesItemsOf(view, type);
    targets.set(id, {
      number,
      name: isViewed ? name : null,
      codename: isViewed ? codename : null,
      exists: Boolean(exists),
      archived: archived !== null,
    });
  });
  return targets;
}

/** Whether an item is public in a language once everything planned is published. */
async function publicItems(
  transaction: ProjectView,
  publishing: readonly LocatedVariant[],
  items: ReadonlyMap<string, Target>,
  isPlanned: (item: number, language: number) => boolean,
): Promise<(item: number, language: Language) => boolean> {
  const { tx, model } = transaction;
  const languages = new Map(publishing.map(({ language }) => [language.number, language]));
  const views = tx.among(
    'view',
    [...languages.values()].map((language) => viewOf(language, 'published')),
  );
  const rows = await inPieces(items.values(), (some) => {
    const among = tx.among(
      'item',
      some.map(({ number }) => number),
    );
    return tx.all<{ view: number; item: number }>(
      `SELECT view, item FROM resolved WHERE ${views.text} AND ${among.text}`,
      [views.parameter, among.parameter],
    );
  });
  const current = new Set<string>();
  await eachInTurns(rows, ({ view, item }) => current.add(`${item}:${view}`));
  return (item, language) =>
    current.has(`${item}:${viewOf(language, 'published')}`) ||
    fallbackChain(model, language).some(({ number }) => isPlanned(item, number));
}
