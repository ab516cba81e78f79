import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../config/is-same-secret.ts';

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
  return typeof given === 'string' && isSameSecret(given, proofOf(secret, end, challenge));
}
