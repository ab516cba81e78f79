/**
 * What this browser keeps of a person's choices: cookies, which the server puts into the page. To read what a page stores
 * itself would stop the first script until another process has answered (2 to 20 ms).
 */

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** In seconds: browsers keep none longer. */
const KEPT = 400 * 24 * 3600;

export function storedLanguage(): Language {
  return stored('language', LANGUAGES) ?? (navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en');
}

export function stored<T extends string>(name: string, allowed: readonly T[]): T | undefined {
  const found = document.documentElement.dataset[name];
  return allowed.find((one) => one === found);
}

export function store(name: string, value: string): void {
  const { dataset } = document.documentElement;
  dataset[name] = value;
  const path = dataset['base'] || '/';
  const secure = location.protocol === 'https:' ? '; secure' : '';
  // Not `strict`: behind a link of a mail or another site, the page would not have them.
  const cookie = `headwater-${name}=${value}; path=${path}; max-age=${KEPT}; samesite=lax${secure}`;
  // The Cookie Store API needs HTTPS, which not every installation has.
  Object.assign(document, { cookie });
}
