/** The plugins behind this one know the plain tag only. */
import type { Encoding } from '../http/accept-encoding.ts';
import { tagOfEncoding } from '../http/tag-of-encoding.ts';

const OF_AN_ENCODING = /(?:W\/)?"([^"]*)-(?:br|gzip)"/g;

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
    ifNoneMatch.includes(tagOfEncoding(tag, encoding)),
  );
  const encoding = held.includes(first) ? first : held[0];
  return encoding === undefined || encoding === 'identity' ? undefined : tagOfEncoding(tag, encoding);
}
