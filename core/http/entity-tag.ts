import { createHash, hash } from 'node:crypto';

/**
 * Strong tag of an answer, made of everything that decides its bytes, so that it is known before them: the same parts
 * make the same tag, in any process and after a restart.
 */
export function entityTag(parts: readonly (string | number)[]): string {
  return `"${hash('sha256', parts.join('\n'), 'base64url').slice(0, 27)}"`;
}

/** Strong tag of the bytes themselves. */
export function bytesTag(pieces: readonly Uint8Array[]): string {
  const digest = createHash('sha256');
  for (const piece of pieces) digest.update(piece);
  return `"${digest.digest('base64url').slice(0, 27)}"`;
}

/**
 * `If-None-Match` (RFC 9110, 13.1.2): a list of tags, compared weakly, or `*`.
 * @param plain the tag of the same content in another encoding as the one that is compared
 */
export function matches(
  ifNoneMatch: string | undefined,
  tag: string | undefined,
  plain: (candidate: string) => string = (candidate) => candidate,
): boolean {
  if (ifNoneMatch === undefined || tag === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => plain(candidate.trim().replace(/^W\//, '')) === tag);
}

/** `If-Match` (RFC 9110, 13.1.1): a list of tags, compared strongly, or `*`. */
export function matchesStrongly(ifMatch: string, tag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((candidate) => candidate.trim() === tag);
}
