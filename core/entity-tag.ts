import { createHash } from 'node:crypto';

/**
 * Strong tag of an answer, known before its bytes: the same question about the same state has the same
 * bytes. A change anywhere in the project makes a new tag.
 */
export function entityTag(parts: readonly (string | number)[]): string {
  return `"${createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 27)}"`;
}

/** `If-None-Match` (RFC 9110, 13.1.2): a list of tags, compared weakly, or `*`. */
export function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
