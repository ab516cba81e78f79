import { insertRows } from '../content/insert-rows.ts';
import { LANGUAGE_NAME_LIMIT } from '../content/languages.ts';
import { isLanguageCodename, LANGUAGE_CODENAME_RULE } from '../model/codename.ts';
import { checkExternalId, checkName, type Issues } from '../model/issues.ts';
import { DEFAULT_LANGUAGE_ID } from '../model/model.ts';
import { LANGUAGE_SPAN } from '../storage/index-key.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ArchiveLanguage } from './archive-rows.ts';

/** Updates the default language, which every project has, and adds the rest. Writes nothing on an issue. */
export async function importLanguages(
  transaction: ProjectTransaction,
  issues: Issues,
  languages: readonly ArchiveLanguage[],
): Promise<void> {
  const before = issues.count;
  checkLanguages(issues, languages);
  const defaultLanguage = languages.find(({ is_default }) => is_default === 1);
  if (!defaultLanguage || issues.count > before) return;
  const others = languages.filter((language) => language !== defaultLanguage);
  const { name, codename, external_id, ordinal } = defaultLanguage;
  await transaction.tx.run(
    'UPDATE language SET name = ?, codename = ?, external_id = ?, ordinal = ? WHERE number = ?',
    [name, codename, external_id, ordinal, transaction.model.defaultLanguage.number],
  );
  await insertRows(transaction, 'language', others);
}

function checkLanguages(issues: Issues, languages: readonly ArchiveLanguage[]): void {
  if (languages.length > LANGUAGE_SPAN) {
    issues.add(`A project can have at most ${LANGUAGE_SPAN} languages.`, 'languages');
    return;
  }
  if (languages.filter(({ is_default }) => is_default === 1).length !== 1)
    issues.add('One language, and no other, is the default language.', 'languages');
  const byId = new Map(languages.map((language) => [language.id, language]));
  const taken = new Set<string>();
  for (const [index, language] of languages.entries()) {
    const at = (column: string) => `languages[${index}].${column}`;
    const { id, name, codename, external_id, ordinal, is_default, active, fallback } = language;
    for (const column of ['id', 'codename', 'external_id', 'ordinal'] as const) {
      const value = `${column}:${language[column]}`;
      if (language[column] !== null && taken.has(value))
        issues.add('Another language has it already.', at(column));
      taken.add(value);
    }
    checkName(issues, name, LANGUAGE_NAME_LIMIT, at('name'));
    if (!isLanguageCodename(codename)) issues.add(LANGUAGE_CODENAME_RULE, at('codename'));
    checkExternalId(issues, external_id ?? undefined, at('external_id'));
    if (ordinal >= LANGUAGE_SPAN) issues.add(`It is below ${LANGUAGE_SPAN}.`, at('ordinal'));
    if ((id === DEFAULT_LANGUAGE_ID) !== (is_default === 1))
      issues.add(`The id of the default language is ${DEFAULT_LANGUAGE_ID}.`, at('id'));
    if (is_default === 1 && active === 0)
      issues.add('The default language cannot be deactivated.', at('active'));
    if (is_default === 1 && fallback !== null)
      issues.add('The default language has no fallback language.', at('fallback'));
    if (fallback !== null && !byId.has(fallback))
      issues.add(`There is no language with the id '${fallback}'.`, at('fallback'));
    if (fallsBackToItself(byId, language))
      issues.add('The language would fall back to itself.', at('fallback'));
  }
}

function fallsBackToItself(byId: ReadonlyMap<string, ArchiveLanguage>, language: ArchiveLanguage): boolean {
  const seen = new Set<string>();
  for (let at = language.fallback; at !== null && !seen.has(at); at = byId.get(at)?.fallback ?? null) {
    if (at === language.id) return true;
    seen.add(at);
  }
  return false;
}
