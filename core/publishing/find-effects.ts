import { CHANNEL_BIT, fallbackChain, type Language, type ProjectModel } from '../model/model.ts';
import { USE } from '../storage/stale.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { ActTarget } from './act-targets.ts';
import type { ActChange, ActName } from './acts.ts';

type Named = Pick<ActTarget['item'], 'id' | 'name' | 'codename'>;

/** Readers of a language who will get an item in another language, or not at all. */
export interface Fallback {
  readonly item: Named;
  readonly language: Language;
  /** The language they get; null = the item is not public for them any more. */
  readonly shows: Language | null;
}

/** A public variant that refers to an item that readers of its language will not get any more. */
export interface BrokenLink {
  readonly from: { readonly item: Named; readonly language: Language };
  readonly to: Named;
}

export interface Effects {
  readonly fallbacks: readonly Fallback[];
  readonly brokenLinks: readonly BrokenLink[];
}

/** Referring documents that are read for a thousand items. */
const MOST_REFERRING = 5000;

/** What an act changes for readers beside its objects. */
export async function findEffects(
  view: ProjectView,
  act: ActName,
  targets: readonly (ActTarget & { readonly change: ActChange })[],
): Promise<Effects> {
  const changing = targets.filter(({ change }) => isVisible(change));
  if (changing.length === 0) return { fallbacks: [], brokenLinks: [] };
  const items = new Map<number, ActTarget['item']>();
  await eachInTurns(changing, ({ item }) => items.set(item.number, item));
  const published = await readPublished(view, items.keys());
  const before = new Set<string>();
  await eachInTurns(published, (key) => {
    if (items.get(itemOf(key))?.archived === null) before.add(key);
  });
  const { after, touched } = await publicAfter(act, changing, published, before);
  const fallbacks: Fallback[] = [];
  const gone = new Map<number, Set<number>>();
  for (const [number, item] of items) {
    if (isTurnLong()) await nextTurn();
    for (const language of view.model.languages) {
      if (!language.isActive) continue;
      const was = shownOf(view.model, number, language, before);
      const shows = shownOf(view.model, number, language, after);
      if (was && !shows) gone.set(number, (gone.get(number) ?? new Set()).add(language.number));
      const isChanged = was !== shows || (shows && touched.has(`${number}:${shows.number}`));
      const isOwn = shows === language || touched.has(`${number}:${language.number}`);
      // Of the objects themselves, only that readers get another language in their place.
      if (isChanged && (!isOwn || (shows && shows !== language)))
        fallbacks.push({ item, language, shows: shows ?? null });
    }
  }
  return { fallbacks, brokenLinks: await findBrokenLinks(view, items, gone, after) };
}

/** Whether readers may notice it. */
export function isVisible(change: ActChange): boolean {
  return change !== 'none' && change !== 'cancel_schedule' && change !== 'move' && change !== 'new_version';
}

/** Which variants are public after the act, as `item:language`, and which of them it changes. */
async function publicAfter(
  act: ActName,
  changing: readonly (ActTarget & { readonly change: ActChange })[],
  published: ReadonlySet<string>,
  before: ReadonlySet<string>,
): Promise<{ readonly after: ReadonlySet<string>; readonly touched: ReadonlySet<string> }> {
  const after = new Set<string>();
  await eachInTurns(before, (key) => after.add(key));
  const touched = new Set<string>();
  const whole = new Set<number>();
  await eachInTurns(changing, ({ item, language, change }) => {
    if (language === null) {
      whole.add(item.number);
      return;
    }
    const key = `${item.number}:${language.number}`;
    touched.add(key);
    if (change === 'publish' || change === 'replace' || (change === 'restore' && published.has(key)))
      after.add(key);
    else after.delete(key);
  });
  await eachInTurns(published, (key) => {
    if (!whole.has(itemOf(key))) return;
    touched.add(key);
    if (act === 'restore') after.add(key);
    else after.delete(key);
  });
  return { after, touched };
}

/** Of `item:language`. */
function itemOf(key: string): number {
  return Number(key.slice(0, key.indexOf(':')));
}

function shownOf(
  model: ProjectModel,
  item: number,
  language: Language,
  published: ReadonlySet<string>,
): Language | undefined {
  return fallbackChain(model, language).find(({ number }) => published.has(`${item}:${number}`));
}

/** Variants with a published version, archived ones apart, as `item:language`. */
export async function readPublished({ tx }: ProjectView, items: Iterable<number>): Promise<Set<string>> {
  const rows = await inPieces(items, (some) => {
    const among = tx.among('item', some);
    return tx.all<{ item: number; language: number }>(
      `SELECT item, language FROM variant WHERE published IS NOT NULL AND archived IS NULL AND ${among.text}`,
      [among.parameter],
    );
  });
  const published = new Set<string>();
  await eachInTurns(rows, ({ item, language }) => published.add(`${item}:${language}`));
  return published;
}

async function findBrokenLinks(
  view: ProjectView,
  items: ReadonlyMap<number, Named>,
  gone: ReadonlyMap<number, ReadonlySet<number>>,
  after: ReadonlySet<string>,
): Promise<BrokenLink[]> {
  const { tx, model } = view;
  const permitted = visibleWhere(view, { type: 'i.type', language: 'd.language' });
  const conditions = [
    `u.kind IN (${USE.linkedItem}, ${USE.hyperlink})`,
    `d.visible & ${CHANNEL_BIT.published} = ${CHANNEL_BIT.published}`,
    ...permitted,
  ];
  const rows = await inPieces(gone.keys(), (some) => {
    const among = tx.among('u.target', some);
    return tx.all<{
      target: number;
      item: number;
      language: number;
      id: string;
      name: string;
      codename: string;
    }>(
      `SELECT DISTINCT u.target AS target, d.item AS item, d.language AS language, i.id AS id, i.name AS name,
         i.codename AS codename
       FROM uses u JOIN document d ON d.number = u.document JOIN item i ON i.number = d.item
       WHERE ${conditions.join(' AND ')} AND ${among.text}
       ORDER BY u.target, d.item, d.language LIMIT ${MOST_REFERRING}`,
      [among.parameter],
    );
  });
  return rows.flatMap(({ target, item, language: number, id, name, codename }) => {
    const language = model.languageByNumber.get(number);
    const to = items.get(target);
    const staysPublic = !items.has(item) || after.has(`${item}:${number}`);
    if (!language || !to || !staysPublic || !gone.get(target)?.has(number)) return [];
    return [{ from: { item: { id, name, codename }, language }, to }];
  });
}
