import { Issues } from '../model/issues.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** Where the site shows the draft of an item. */
export interface PreviewUrl {
  /** Id of a content type; null = all of them. */
  readonly type: string | null;
  /** Id of a language; null = all of them. */
  readonly language: string | null;
  /** With placeholders behind the origin. */
  readonly url: string;
}

export const PLACEHOLDERS = ['URLslug', 'Codename', 'Lang', 'ItemId'] as const;
export const URL_LIMIT = 2000;
export const MOST_URLS = 500;
/** Characters of all origins together: they are in one header of pages that frame them. */
const ORIGINS_LENGTH = 2000;
const KNOWN: ReadonlySet<string> = new Set(PLACEHOLDERS);
const PLACEHOLDER = /\{([^{}]*)\}/g;

interface Row {
  readonly type: string | null;
  readonly language: string | null;
  readonly url: string;
}

/** The URLs whose type and language still exist, in their order. */
export async function listPreviewUrls({ tx, project, model }: ProjectView): Promise<PreviewUrl[]> {
  const rows = await tx.all<Row>(
    'SELECT type, language, url FROM preview_url WHERE project = ? ORDER BY position',
    [project.number],
  );
  const types = new Set(model.types.map(({ id }) => id));
  const languages = new Set(model.languages.map(({ id }) => id));
  return rows.filter(
    ({ type, language }) =>
      (type === null || types.has(type)) && (language === null || languages.has(language)),
  );
}

/** @throws invalidBody */
export async function replacePreviewUrls(
  transaction: ProjectTransaction,
  urls: readonly PreviewUrl[],
): Promise<PreviewUrl[]> {
  const { tx, project } = transaction;
  const issues = new Issues();
  checkPreviewUrls(transaction, issues, urls);
  const origins = new Set(urls.map(({ url }) => originOf(url) ?? ''));
  const characters = [...origins].join(' ').length;
  if (characters > ORIGINS_LENGTH)
    issues.add(
      `The origins of all preview URLs together have at most ${ORIGINS_LENGTH} characters; these have ${characters}.`,
      'preview_urls',
    );
  issues.refuse();
  await tx.run('DELETE FROM preview_url WHERE project = ?', [project.number]);
  await insertPreviewUrls(transaction, urls);
  return listPreviewUrls(transaction);
}

/** Into a project that has none. */
export async function insertPreviewUrls(
  { tx, project }: ProjectTransaction,
  urls: readonly PreviewUrl[],
): Promise<void> {
  if (urls.length === 0) return;
  await tx.insert(
    'preview_url',
    ['project', 'position', 'type', 'language', 'url'],
    urls.map(({ type, language, url }, position) => [project.number, position, type, language, url]),
  );
}

export function checkPreviewUrls(
  { model }: Pick<ProjectView, 'model'>,
  issues: Issues,
  urls: readonly PreviewUrl[],
): void {
  const types = new Set(model.types.map(({ id }) => id));
  const languages = new Set(model.languages.map(({ id }) => id));
  const seen = new Set<string>();
  if (urls.length > MOST_URLS) issues.add(`There can be at most ${MOST_URLS} preview URLs.`, 'preview_urls');
  for (const [index, { type, language, url }] of urls.slice(0, MOST_URLS).entries()) {
    const path = `preview_urls[${index}]`;
    if (type !== null && !types.has(type))
      issues.add(`There is no content type with the id '${type}'.`, `${path}.type`);
    if (language !== null && !languages.has(language))
      issues.add(`There is no language with the id '${language}'.`, `${path}.language`);
    if (seen.size === seen.add(`${type} ${language}`).size)
      issues.add('A type and language have one URL.', path);
    const wrong = whatIsWrong(url);
    if (wrong !== undefined) issues.add(wrong, `${path}.url`);
  }
}

/** Origins of the pages that the console frames, previews and custom elements, in their order. */
export async function framedOrigins(view: ProjectView): Promise<string[]> {
  const definitions = [...view.model.types, ...view.model.snippets].flatMap(({ elements }) => elements);
  const urls = [
    ...(await listPreviewUrls(view)).map(({ url }) => url),
    ...definitions.flatMap((element) => (element.type === 'custom' ? [element.source_url] : [])),
  ];
  return [...new Set(urls.flatMap((url) => originOf(url) ?? []))].sort();
}

function whatIsWrong(url: string): string | undefined {
  if (url.length > URL_LIMIT) return `A preview URL has at most ${URL_LIMIT} characters.`;
  if (url.includes('\0')) return 'The value must not hold null characters.';
  const origin = originOf(url);
  if (origin === undefined || !url.startsWith(origin))
    return 'A preview URL begins with http:// or https:// and a host without placeholders.';
  for (const [, name = ''] of url.matchAll(PLACEHOLDER))
    if (!KNOWN.has(name)) return `The placeholder '{${name}}' is not one of {${PLACEHOLDERS.join('}, {')}}.`;
  return undefined;
}

function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, host } = new URL(url);
  // Such characters would end a source of a content security policy.
  const isPlain = (protocol === 'http:' || protocol === 'https:') && !/[{}%;,*'\s]/.test(host);
  return isPlain ? origin : undefined;
}
