import { hash } from 'node:crypto';

/** Characters of a document's digest. */
const DIGEST = 22;

/** Stands for a document's bytes, 128 bits of them: made once when it is read, and the same wherever that is. */
export function documentDigest(keyed: string | Uint8Array, components: string | Uint8Array): string {
  const whole = `${hash('sha256', keyed, 'base64url')}${hash('sha256', components, 'base64url')}`;
  return hash('sha256', whole, 'base64url').slice(0, DIGEST);
}
