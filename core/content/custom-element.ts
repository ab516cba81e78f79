import type { Issues } from '../model/issues.ts';

const SOURCE_URL_LIMIT = 2048;

/** URL of the page that a custom element shows. */
export function sourceUrl(issues: Issues, url: unknown, path: string): string {
  if (typeof url === 'string' && url.trim() !== '' && url.length <= SOURCE_URL_LIMIT) return url;
  issues.add('A custom element needs the address of its page.', path);
  return '';
}

export function jsonParameters(issues: Issues, text: unknown, path: string): string | null {
  if (text === undefined || text === null) return null;
  if (typeof text === 'string') return text;
  issues.add('A string is expected.', path);
  return null;
}
