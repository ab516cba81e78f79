import { createHash } from 'node:crypto';

/** SHA-256 of a key or of the admin token, in hex: what is stored, compared, and sent between processes. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
