/**
 * A strong tag names bytes (RFC 9110 section 8.8.1), so each encoding has its own: `"a"` is `"a-br"` in br. Who made
 * the answer knows the plain one only.
 */
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

/** Of a 304: the tag that the client holds, if it is the answer's in some encoding. */
export function tagThatWasAsked(asked: string | undefined, tag: string | undefined): string | undefined {
  if (asked === undefined || tag === undefined || !tag.startsWith('"')) return undefined;
  return (['br', 'gzip'] as const)
    .map((encoding) => tagOfEncoding(tag, encoding))
    .find((candidate) => asked.includes(candidate));
}
