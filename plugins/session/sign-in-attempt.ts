import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../../config/is-same-secret.ts';
import { cookieAttributes, cookieName } from '../../core/contract.ts';
import { cookieValue } from '../http/cookie-value.ts';

/** What a browser keeps while its person is at the provider. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636. */
  readonly verifier: string;
  /** Path below the console where the person continues. */
  readonly to: string;
  /** The provider had to ask for the password again. */
  readonly isFresh: boolean;
  /** Milliseconds since 1970. */
  readonly began: number;
}

const COOKIE = 'headwater-open-id';
const LONGEST_MS = 600_000;
const LONGEST_COOKIE = 3000;

/** Seals attempts in a signed cookie, so that any gateway can finish what another began. */
export class AttemptSeal {
  readonly #key: Buffer;

  /** @param secret the same on every gateway */
  constructor(secret: string) {
    this.#key = createHash('sha256').update(`headwater sign-in attempt\n${secret}`).digest();
  }

  seal(attempt: SignInAttempt): string {
    const text = Buffer.from(JSON.stringify(attempt)).toString('base64url');
    return `${text}.${this.#sign(text)}`;
  }

  /** @returns undefined where the cookie was not made here, or is too old */
  open(value: string | undefined, now: number): SignInAttempt | undefined {
    if (value === undefined || value.length > LONGEST_COOKIE) return undefined;
    const [text = '', signature = ''] = value.split('.');
    if (!isSameSecret(signature, this.#sign(text))) return undefined;
    const attempt = JSON.parse(Buffer.from(text, 'base64url').toString()) as SignInAttempt;
    // The clock of the gateway that began it may be ahead.
    return Math.abs(now - attempt.began) < LONGEST_MS ? attempt : undefined;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** The sealed attempt in a `Cookie` header. @param console base URL of the console */
export function attemptOf(header: string | undefined, console: string): string | undefined {
  return cookieValue(header, cookieName(COOKIE, console));
}

/** `Lax`: the provider's page leads the browser back. @param path where it is sent */
export function attemptCookie(value: string, console: string, path: string): string {
  const attributes = cookieAttributes(console, path, 'Lax');
  return `${cookieName(COOKIE, console)}=${value}; Max-Age=${LONGEST_MS / 1000}; ${attributes}`;
}

export function endedAttemptCookie(console: string, path: string): string {
  return `${cookieName(COOKIE, console)}=; Max-Age=0; ${cookieAttributes(console, path, 'Lax')}`;
}
