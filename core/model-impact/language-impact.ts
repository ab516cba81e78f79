import type { LanguageChange } from '../content/languages.ts';
import { CHANNEL_BIT, fallbackChain, type Language, type ProjectModel } from '../model/model.ts';
import { findReferred } from '../model/reference.ts';
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

/** What a change of a language does for readers of it, and of those that fall back to it. Reads only. */
export async function languageImpact(
  view: ProjectView,
  language: Language,
  change: LanguageChange,
): Promise<LanguageImpact> {
  const { model, tx, project } = view;
  const changed: Language = {
    ...language,
    codename: change.codename ?? language.codename,
    isActive: change.is_active ?? language.isActive,
    fallback:
      change.fallback_language === undefined
        ? language.fallback
        : change.fallback_language === null
          ? null
          : (findReferred(model.languages, change.fallback_language)?.id ?? language.fallback),
  };
  const after = withLanguage(model, changed);
  const isRenamed = changed.codename !== language.codename;
  const fallsBackOtherwise = changed.isActive !== language.isActive || changed.fallback !== language.fallback;
  const concerned = fallsBackOtherwise
    ? model.languages.filter(
        (one) => one.id === language.id || falls(model, one, language) || falls(after, one, changed),
      )
    : [];
  const languages: LanguageImpact['languages'][number][] = [];
  for (const one of concerned)
    languages.push({
      language: one,
      before: await itemsOf(view, model, one.id),
      after: await itemsOf(view, after, one.id),
    });
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

/** Public items that readers get in a language and in those it falls back to. */
async function itemsOf(view: ProjectView, model: ProjectModel, id: string): Promise<ReaderItems> {
  const language = model.languageById.get(id);
  if (!language?.isActive) return { own: 0, fallback: 0 };
  const own = await publicItems(view, [language]);
  const chain = fallbackChain(model, language);
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

function falls(model: ProjectModel, language: Language, target: Language): boolean {
  return fallbackChain(model, language).some(({ id }) => id === target.id);
}

function withLanguage(model: ProjectModel, changed: Language): ProjectModel {
  const languages = model.languages.map((one) => (one.id === changed.id ? changed : one));
  return { ...model, languages, languageById: new Map(languages.map((one) => [one.id, one])) };
}
