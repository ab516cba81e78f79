import { timingSafeEqual } from 'node:crypto';

/** Takes the same time wherever they differ, so that a secret cannot be guessed part by part. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
