/**
 * A strong tag names bytes (RFC 9110 section 8.8.1), so each encoding has its own: `"a"` is `"a-br"` in br. The
 * plugins behind this one know the plain tag only.
 */
import type { Encoding } from '../http/accept-encoding.ts';
import type { Compressed } from './compressor.ts';

const OF_AN_ENCODING = /(?:W\/)?"([^"]*)-(?:br|gzip)"/g;

/** A weak tag names the content whatever its bytes are, and stays. */
export function tagOfEncoding(tag: string, encoding: Compressed): string {
  return tag.startsWith('"') && tag.endsWith('"') ? `${tag.slice(0, -1)}-${encoding}"` : tag;
}

/** `If-None-Match` or `If-Match` with the plain tag beside each one of an encoding. */
export function plainTags(header: string): string {
  return header.replaceAll(OF_AN_ENCODING, (tag, plain: string) => `${tag}, "${plain}"`);
}

/** For a 304: the client's tag of the answer, in whatever encoding; that of `first` where it has several. */
export function tagOfClient(
  ifNoneMatch: string | undefined,
  tag: string | undefined,
  first: Encoding,
): string | undefined {
  if (ifNoneMatch === undefined || tag === undefined || !tag.startsWith('"')) return undefined;
  const held = (['br', 'gzip', 'identity'] as const).filter((encoding) =>
    ifNoneMatch.includes(encoding === 'identity' ? tag : tagOfEncoding(tag, encoding)),
  );
  const encoding = held.includes(first) ? first : held[0];
  return encoding === undefined || encoding === 'identity' ? undefined : tagOfEncoding(tag, encoding);
}
