import { LANGUAGES } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import { isLanguageCodename, LANGUAGE_CODENAME_RULE } from '../model/codename.ts';
import { idOfExternalId } from '../model/external-id.ts';
import type { LanguageInput, Reference } from '../model/inputs.ts';
import { checkExternalId, checkName, forbid, Issues } from '../model/issues.ts';
import type { Language } from '../model/model.ts';
import { describe, findReferred } from '../model/reference.ts';
import { markStale } from '../read-model/mark-stale.ts';
import { rebuildResolved } from '../read-model/rebuild-resolved.ts';
import { LANGUAGE_SPAN } from '../storage/index-key.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { insertRows } from './insert-rows.ts';

export const LANGUAGE_NAME_LIMIT = 25;

/** Adds a language; it falls back to the default language unless `fallback_language` says otherwise. */
export async function createLanguage(
  transaction: ProjectTransaction,
  input: LanguageInput,
): Promise<Language> {
  const { model } = transaction;
  const issues = new Issues();
  checkName(issues, input.name, LANGUAGE_NAME_LIMIT);
  checkCodename(transaction, issues, input.codename);
  checkExternalId(issues, input.external_id);
  if (model.languages.some((other) => other.externalId !== null && other.externalId === input.external_id)) {
    issues.add(`The external id '${input.external_id}' is taken by another language.`, 'external_id');
  }
  const fallback =
    input.fallback_language === undefined
      ? model.defaultLanguage.id
      : fallbackId(transaction, issues, input.fallback_language);
  issues.refuse();
  const ordinal = Math.max(...model.languages.map((language) => language.ordinal)) + 1;
  if (ordinal >= LANGUAGE_SPAN) forbid(`A project can have at most ${LANGUAGE_SPAN} languages.`);
  const { name, codename, external_id = null } = input;
  const id = external_id
    ? idOfExternalId(transaction.project.id, 'language', external_id)
    : transaction.newId();
  const active = input.is_active === false ? 0 : 1;
  await insertRows(transaction, 'language', [
    { id, name, codename, external_id, ordinal, active, is_default: 0, fallback },
  ]);
  await transaction.modelChanged();
  const language = findLanguage(transaction, { id });
  await rebuildResolved(transaction, language, false);
  transaction.change('language', 'create', id, [LANGUAGES]);
  return language;
}

export interface LanguageChange {
  readonly name?: string;
  readonly codename?: string;
  readonly is_active?: boolean;
  readonly fallback_language?: Reference | null;
}

/** Changes the given fields. */
export function updateLanguage(
  transaction: ProjectTransaction,
  reference: Reference,
  changes: LanguageChange,
): Promise<Language> {
  const language = findLanguage(transaction, reference);
  return saveLanguage(transaction, changedLanguage(transaction, language, changes));
}

/** The language with the given fields, which is not saved. The default language is always active and has no fallback. */
export function changedLanguage(
  view: Pick<ProjectView, 'model'>,
  language: Language,
  changes: LanguageChange,
): Language {
  const {
    name = language.name,
    codename = language.codename,
    is_active: isActive = language.isActive,
  } = changes;
  const issues = new Issues();
  checkName(issues, name, LANGUAGE_NAME_LIMIT);
  if (codename !== language.codename) checkCodename(view, issues, codename, language);
  const fallback =
    changes.fallback_language === undefined
      ? language.fallback
      : fallbackId(view, issues, changes.fallback_language, language);
  issues.refuse();
  if (language.isDefault && !isActive) forbid('The default language cannot be deactivated.');
  if (language.isDefault && fallback !== null) forbid('The default language has no fallback language.');
  refuseCycle(view, language, fallback);
  return { ...language, name, codename, isActive, fallback };
}

/** @param changed see `changedLanguage` */
export async function saveLanguage(transaction: ProjectTransaction, changed: Language): Promise<Language> {
  const { id, number, name, codename, isActive, fallback } = changed;
  const before = findLanguage(transaction, { id });
  const renamed = codename !== before.codename;
  const fallsBackOtherwise = isActive !== before.isActive || fallback !== before.fallback;
  if (!renamed && !fallsBackOtherwise && name === before.name) return before;
  await transaction.tx.run(
    'UPDATE language SET name = ?, codename = ?, active = ?, fallback = ? WHERE number = ?',
    [name, codename, isActive ? 1 : 0, fallback, number],
  );
  await transaction.modelChanged();
  if (renamed) await markStale(transaction, 'language', number);
  const saved = findLanguage(transaction, { id });
  if (fallsBackOtherwise) await rebuildResolved(transaction, saved, isActive && !before.isActive);
  transaction.change('language', 'upsert', id, [LANGUAGES]);
  return saved;
}

/** @throws languageNotFound */
export function findLanguage({ model }: Pick<ProjectView, 'model'>, reference: Reference): Language {
  const language = findReferred(model.languages, reference);
  if (!language)
    throw new ServiceError('languageNotFound', `There is no language with ${describe(reference)}.`);
  return language;
}

/**
 * An inactive language cannot be chosen; one that was chosen while active stays. Must be called last: a wrong language
 * alone is a broken rule (code 0), beside other issues it is one of them.
 */
function fallbackId(
  { model }: Pick<ProjectView, 'model'>,
  issues: Issues,
  reference: Reference | null,
  own?: Language,
): string | null {
  if (reference === null) return null;
  const language = findReferred(model.languages, reference);
  if (language && (language.isActive || language.id === own?.fallback)) return language.id;
  const message = `There is no active fallback language with ${describe(reference)}.`;
  if (!issues.any) forbid(message);
  issues.add(message, 'fallback_language');
  return null;
}

function refuseCycle(
  { model }: Pick<ProjectView, 'model'>,
  language: Language,
  fallback: string | null,
): void {
  for (let at = fallback; at !== null; at = model.languageById.get(at)?.fallback ?? null) {
    if (at === language.id) forbid(`The language '${language.codename}' would fall back to itself.`);
  }
}

function checkCodename(
  { model }: Pick<ProjectView, 'model'>,
  issues: Issues,
  codename: string,
  own?: Language,
): void {
  const holder = model.languageByCodename.get(codename);
  if (!isLanguageCodename(codename)) {
    issues.add(LANGUAGE_CODENAME_RULE, 'codename');
  } else if (holder && holder.id !== own?.id) {
    issues.add(`The codename '${codename}' is taken by another language.`, 'codename');
  }
}
