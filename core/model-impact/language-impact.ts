import { changedLanguage, type LanguageChange } from '../content/languages.ts';
import {
  CHANNEL_BIT,
  fallbackChain,
  fallsBackTo,
  type Language,
  type ProjectModel,
  viewOf,
} from '../model/model.ts';
import { USE } from '../storage/stale.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { countDocuments } from './count-documents.ts';
import type { CodenameChange } from './model-changes.ts';
import { nameSlots } from './value-counts.ts';

/** Items that readers of a language get. */
export interface ReaderItems {
  /** In the language itself. */
  readonly own: number;
  /** In one that it falls back to. */
  readonly fallback: number;
}

export interface LanguageImpact {
  readonly languages: readonly {
    readonly language: Language;
    readonly before: ReaderItems;
    readonly after: ReaderItems;
  }[];
  readonly documents: number;
  readonly codenames: readonly CodenameChange[];
}

/**
 * What a change of a language does for readers of it, and of those that fall back to it. Reads only.
 * @throws what the change itself is refused for
 */
export async function languageImpact(
  view: ProjectView,
  language: Language,
  change: LanguageChange,
): Promise<LanguageImpact> {
  const { model, tx, project } = view;
  const changed = changedLanguage(view, language, change);
  const after = withLanguage(model, changed);
  const isRenamed = changed.codename !== language.codename;
  const fallsBackOtherwise = changed.isActive !== language.isActive || changed.fallback !== language.fallback;
  const concerned = fallsBackOtherwise
    ? model.languages.filter((one) => fallsBackTo(model, one, language))
    : [];
  const shown = await shownItems(view, concerned);
  const languages: LanguageImpact['languages'][number][] = [];
  for (const language of concerned) {
    const before = shown.get(language) ?? NONE;
    languages.push({ language, before, after: await itemsAfter(view, after, language, before) });
  }
  // Hyperlinks show the slug of the language that readers get.
  const linked =
    fallsBackOtherwise &&
    (await tx.get(
      `SELECT 1 AS found FROM uses u JOIN document d ON d.number = u.document WHERE u.kind = ? AND d.project = ? LIMIT 1`,
      [USE.hyperlink, project.number],
    ));
  const stale = linked ? concerned : isRenamed ? [language] : [];
  return {
    languages,
    documents: stale.length > 0 ? await countDocuments(view, model.types, stale) : 0,
    codenames: isRenamed ? [{ kind: 'language', before: language.codename, after: changed.codename }] : [],
  };
}

const NONE: ReaderItems = { own: 0, fallback: 0 };

/** Public items that readers get in languages, as they are counted with each change. */
async function shownItems(
  { tx }: ProjectView,
  languages: readonly Language[],
): Promise<ReadonlyMap<Language, ReaderItems>> {
  const byView = new Map(languages.map((language) => [viewOf(language, 'published'), language]));
  const among = tx.among('view', [...byView.keys()]);
  const rows = await tx.all<{ view: number; language: number; items: number }>(
    `SELECT view, language, CAST(sum(count) AS BIGINT) AS items FROM tally WHERE ${among.text} GROUP BY view, language`,
    [among.parameter],
  );
  const shown = new Map<Language, ReaderItems>();
  for (const { view, language: source, items } of rows) {
    const language = byView.get(view)!;
    const { own, fallback } = shown.get(language) ?? NONE;
    const isOwn = source === language.number;
    shown.set(language, { own: own + (isOwn ? items : 0), fallback: fallback + (isOwn ? 0 : items) });
  }
  return shown;
}

/** The same with other languages. Counts in the index what is not known. */
async function itemsAfter(
  view: ProjectView,
  after: ProjectModel,
  before: Language,
  shown: ReaderItems,
): Promise<ReaderItems> {
  const language = after.languageById.get(before.id);
  if (!language?.isActive) return NONE;
  const own = before.isActive ? shown.own : await publicItems(view, [language]);
  const chain = fallbackChain(after, language);
  return { own, fallback: chain.length > 1 ? (await publicItems(view, chain)) - own : 0 };
}

async function publicItems(view: ProjectView, languages: readonly Language[]): Promise<number> {
  const slots = nameSlots(view, view.model.types, languages);
  const row = await view.tx.get<{ items: number }>(
    `SELECT count(DISTINCT e.item) AS items FROM entry e
     WHERE ${slots.text} AND e.visible IN (${CHANNEL_BIT.published}, ${CHANNEL_BIT.published | CHANNEL_BIT.latest})`,
    [slots.parameter],
  );
  return row?.items ?? 0;
}

function withLanguage(model: ProjectModel, changed: Language): ProjectModel {
  const languages = model.languages.map((one) => (one.id === changed.id ? changed : one));
  return { ...model, languages, languageById: new Map(languages.map((one) => [one.id, one])) };
}
