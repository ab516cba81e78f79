import { createHmac, timingSafeEqual } from 'node:crypto';

/** Proves knowledge of the token without sending it. */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`headwater worker ${nonce}`).digest('hex');
}

export function isProof(proof: string, token: string, nonce: string): boolean {
  const expected = Buffer.from(proofOf(token, nonce));
  const given = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
