import { ServiceError } from '../errors.ts';
import type { ContentType, Language, ProjectModel } from '../model/model.ts';

/** Permissions that a role can limit to content types and languages. */
export const CONTENT_PERMISSIONS = [
  'view-content',
  'create-content',
  /** Includes assets. */
  'edit-content',
  'delete-content',
  'publish',
] as const;
export type ContentPermission = (typeof CONTENT_PERMISSIONS)[number];

/** Content by codenames of types and languages; null = all of them. */
export interface ContentScope {
  readonly types: readonly string[] | null;
  readonly languages: readonly string[] | null;
}

/** Where a person has each permission: in any of its scopes. */
export type ContentAccess = Readonly<Record<ContentPermission, readonly ContentScope[]>>;

/** Of a `ProjectView` or `ProjectTransaction`. */
interface Accessed {
  /** Undefined: everything is permitted, as for keys and the admin token. */
  readonly access?: ContentAccess | undefined;
}

/**
 * The content that an act concerns. `some`: it is enough to have the permission for one of them, as for an item that is
 * still to be created. `all`: it concerns all of them, as the name of an item does its languages.
 */
export interface Concerned {
  readonly type: Pick<ContentType, 'codename' | 'name'> | 'some' | 'all';
  readonly language: Pick<Language, 'codename' | 'name'> | 'some' | 'all';
}

export function permitsContent(
  { access }: Accessed,
  permission: ContentPermission,
  { type, language }: Concerned,
): boolean {
  if (access === undefined) return true;
  return access[permission].some(
    ({ types, languages }) => includes(types, type) && includes(languages, language),
  );
}

/** @throws forbidden with what is missing */
export function requireContent(
  accessed: Accessed,
  permission: ContentPermission,
  concerned: Concerned,
): void {
  if (permitsContent(accessed, permission, concerned)) return;
  throw new ServiceError(
    'forbidden',
    `Your roles in this project do not include '${permission}' for ${describe(concerned)}.`,
  );
}

/** What a change of a variant needs. A scheduled one becomes public as it is by then, without another decision. */
export function neededToEdit(scheduledTo: string | null): readonly ContentPermission[] {
  return scheduledTo === null ? ['edit-content'] : ['edit-content', 'publish'];
}

/** @throws forbidden with what is missing */
export function requireEdit(accessed: Accessed, concerned: Concerned, scheduledTo: string | null): void {
  for (const permission of neededToEdit(scheduledTo)) requireContent(accessed, permission, concerned);
}

/**
 * Conditions of a SQL statement that keep a listing to the content that the person may view; empty where nothing is
 * limited.
 * @param columns SQL of the storage numbers; without `language` rows are kept that have it in some language
 */
export function visibleWhere(
  { access, model }: Accessed & { readonly model: ProjectModel },
  columns: { readonly type: string; readonly language?: string },
): readonly string[] {
  const scopes = access?.['view-content'];
  if (scopes === undefined || scopes.some(isEverything)) return [];
  const ofScope = ({ types, languages }: ContentScope) =>
    [
      amongNumbers(columns.type, model.types, types),
      columns.language === undefined ? [] : amongNumbers(columns.language, model.languages, languages),
    ].flat();
  const alternatives = scopes.map((scope) => ofScope(scope).join(' AND ') || '1 = 1');
  return [alternatives.length === 0 ? '1 = 0' : `(${alternatives.join(' OR ')})`];
}

/**
 * Whether the person may view items of a type in some language.
 * @param type its storage number; null: an item that is only expected, or an asset
 */
export function seesItemsOf(view: Accessed & { readonly model: ProjectModel }, type: number | null): boolean {
  const known = type === null ? undefined : view.model.typeByNumber.get(type);
  return permitsContent(view, 'view-content', { type: known ?? 'all', language: 'some' });
}

export function isEverything({ types, languages }: ContentScope): boolean {
  return types === null && languages === null;
}

function includes(codenames: readonly string[] | null, one: Concerned['type' | 'language']): boolean {
  if (codenames === null) return true;
  if (one === 'some') return codenames.length > 0;
  return one !== 'all' && codenames.includes(one.codename);
}

/** Numbers are safe in the text of a statement. */
function amongNumbers(
  column: string,
  known: readonly { readonly number: number; readonly codename: string }[],
  codenames: readonly string[] | null,
): readonly string[] {
  if (codenames === null) return [];
  const numbers = known.flatMap(({ number, codename }) => (codenames.includes(codename) ? [number] : []));
  return [numbers.length === 0 ? '1 = 0' : `${column} IN (${numbers.join(', ')})`];
}

function describe({ type, language }: Concerned): string {
  const content =
    type === 'some' ? 'any content' : type === 'all' ? 'all content' : `items of the type '${type.name}'`;
  if (language === 'some') return content;
  return language === 'all' ? `${content} in all languages` : `${content} in the language '${language.name}'`;
}
