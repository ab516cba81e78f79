import type { Encoding } from './accept-encoding.ts';

/**
 * A strong tag names bytes (RFC 9110 section 8.8.1), so each encoding has its own: `"a"` is `"a-br"` in br. A weak tag names
 * the content whatever its bytes are, and stays.
 */
export function tagOfEncoding(tag: string, encoding: Encoding): string {
  const isStrong = tag.startsWith('"') && tag.endsWith('"');
  return isStrong && encoding !== 'identity' ? `${tag.slice(0, -1)}-${encoding}"` : tag;
}
