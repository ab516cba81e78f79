import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Both ends prove that they know the secret of the data folder; neither sends it. */
export type End = 'service' | 'command';

export interface Challenge {
  readonly service: string;
  readonly command: string;
}

export function newNonce(): string {
  return randomBytes(32).toString('hex');
}

/** Covers both nonces and the end, so that a proof is valid only once and for one end. */
export function proofOf(secret: string, end: End, { service, command }: Challenge): string {
  return createHmac('sha256', secret).update(`headwater owner ${end} ${service} ${command}`).digest('hex');
}

export function isProof(given: unknown, secret: string, end: End, challenge: Challenge): boolean {
  if (typeof given !== 'string') return false;
  const expected = Buffer.from(proofOf(secret, end, challenge));
  const presented = Buffer.from(given);
  return presented.length === expected.length && timingSafeEqual(presented, expected);
}
