import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../config/is-same-secret.ts';

/** Proves knowledge of the token without sending it. */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`headwater worker ${nonce}`).digest('hex');
}

export function isProof(proof: string, token: string, nonce: string): boolean {
  return isSameSecret(proof, proofOf(token, nonce));
}
