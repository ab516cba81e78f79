import { fallbackChain, type Language } from '../model/model.ts';
import { permitsContent } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { inPieces } from '../turns/in-pieces.ts';
import { type ActObject, type ActTarget, readTargets, withDrafts } from './act-targets.ts';
import { type Dangling, findDangling } from './dangling.ts';

/** Drafts in memory at a time. */
const PIECE = 200;
/** Most objects that are published because others link to them. */
const MOST = 1000;

/** Drafts that readers could follow the references to, were they published too. */
export async function linkedDrafts(view: ProjectView, dangling: readonly Dangling[]): Promise<ActTarget[]> {
  const wanted = new Map<string, Map<number, Language>>();
  for (const { from, kind, id, reason } of dangling) {
    if (kind !== 'item' || reason !== 'unpublished') continue;
    const languages = wanted.get(id) ?? new Map<number, Language>();
    wanted.set(id, languages.set(from.language.number, from.language));
  }
  const rows = await inPieces(wanted.keys(), (some) => {
    const among = view.tx.among('i.id', some);
    return view.tx.all<{ id: string; item: number; language: number }>(
      `SELECT i.id AS id, v.item AS item, v.language AS language FROM item i JOIN variant v ON v.item = i.number
       WHERE i.project = ? AND i.archived IS NULL AND i.type IS NOT NULL AND v.archived IS NULL AND v.draft IS NOT NULL
         AND ${among.text}`,
      [view.project.number, among.parameter],
    );
  });
  const drafts = new Map<string, { readonly item: number; readonly languages: Set<number> }>();
  for (const { id, item, language } of rows) {
    const known = drafts.get(id) ?? { item, languages: new Set<number>() };
    known.languages.add(language);
    drafts.set(id, known);
  }
  const objects = new Map<string, ActObject>();
  for (const [id, languages] of wanted) {
    const draft = drafts.get(id);
    for (const language of languages.values()) {
      // Readers of the language get the nearest one.
      const nearest = fallbackChain(view.model, language).find(({ number }) => draft?.languages.has(number));
      if (draft && nearest)
        objects.set(`${draft.item}:${nearest.number}`, { item: draft.item, language: nearest.number });
    }
  }
  const found = await readTargets(view, [...objects.values()]);
  return found.filter(
    ({ item, language }) => language && permitsContent(view, 'publish', { type: item.type, language }),
  );
}

/** The drafts that drafts link to, the ones that those link to, and so on, up to a thousand. */
export async function allLinkedDrafts(
  view: ProjectView,
  targets: readonly ActTarget[],
): Promise<ActTarget[]> {
  const keyOf = ({ item, language }: ActTarget) => `${item.number}:${language?.number}`;
  const known = new Set(targets.map(keyOf));
  const included: ActTarget[] = [];
  for (let added = targets; added.length > 0; ) {
    const found: ActTarget[] = [];
    for (let at = 0; at < added.length; at += PIECE) {
      const drafts = await withDrafts(view, added.slice(at, at + PIECE));
      const isKnown = (item: number, language: number) => known.has(`${item}:${language}`);
      for (const target of await linkedDrafts(view, await findDangling(view, drafts, isKnown))) {
        if (known.has(keyOf(target))) continue;
        if (included.length === MOST) return included;
        known.add(keyOf(target));
        included.push(target);
        found.push(target);
      }
    }
    added = found;
  }
  return included;
}
