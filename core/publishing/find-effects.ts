import { CHANNEL_BIT, fallbackChain, type Language, type ProjectModel } from '../model/model.ts';
import { USE } from '../storage/stale.ts';
import { permittedWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
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
  const items = new Map(changing.map(({ item }) => [item.number, item]));
  const published = await readPublished(view, items.keys());
  const archived = new Set(
    [...items.values()].flatMap(({ number, archived }) => (archived === null ? [] : [number])),
  );
  const before = new Set([...published].filter((key) => !archived.has(Number(key.split(':')[0]))));
  const { after, touched } = publicAfter(act, changing, published, before);
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
function publicAfter(
  act: ActName,
  changing: readonly (ActTarget & { readonly change: ActChange })[],
  published: ReadonlySet<string>,
  before: ReadonlySet<string>,
): { readonly after: ReadonlySet<string>; readonly touched: ReadonlySet<string> } {
  const after = new Set(before);
  const touched = new Set<string>();
  const whole = new Set<number>();
  for (const { item, language, change } of changing) {
    if (language === null) {
      whole.add(item.number);
      continue;
    }
    const key = `${item.number}:${language.number}`;
    touched.add(key);
    if (change === 'publish' || change === 'replace' || (change === 'restore' && published.has(key)))
      after.add(key);
    else after.delete(key);
  }
  for (const key of published) {
    if (!whole.has(Number(key.split(':')[0]))) continue;
    touched.add(key);
    if (act === 'restore') after.add(key);
    else after.delete(key);
  }
  return { after, touched };
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
async function readPublished({ tx }: ProjectView, items: Iterable<number>): Promise<Set<string>> {
  const rows = await inPieces(items, (some) => {
    const among = tx.among('item', some);
    return tx.all<{ item: number; language: number }>(
      `SELECT item, language FROM variant WHERE published IS NOT NULL AND archived IS NULL AND ${among.text}`,
      [among.parameter],
    );
  });
  return new Set(rows.map(({ item, language }) => `${item}:${language}`));
}

async function findBrokenLinks(
  view: ProjectView,
  items: ReadonlyMap<number, Named>,
  gone: ReadonlyMap<number, ReadonlySet<number>>,
  after: ReadonlySet<string>,
): Promise<BrokenLink[]> {
  const { tx, model } = view;
  const permitted = permittedWhere(view, 'view-content', { type: 'i.type', language: 'd.language' });
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
  const languages = new Map(model.languages.map((language) => [language.number, language]));
  return rows.flatMap(({ target, item, language: number, id, name, codename }) => {
    const language = languages.get(number);
    const to = items.get(target);
    const staysPublic = !items.has(item) || after.has(`${item}:${number}`);
    if (!language || !to || !staysPublic || !gone.get(target)?.has(number)) return [];
    return [{ from: { item: { id, name, codename }, language }, to }];
  });
}
