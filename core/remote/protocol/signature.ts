import { createHmac, hash } from 'node:crypto';
import { isSameSecret } from '../../../config/is-same-secret.ts';
import type { Hello } from './wire.ts';

/** What a signature covers. */
export interface SignedCall {
  /** The id that core took at its start: a call to another core, or to the one before a restart, is not valid. */
  readonly core: string;
  readonly path: string;
  readonly head: string;
  /** The id of the caller's process, and the number of the call in it. */
  readonly caller: string;
  readonly number: number;
  /** Milliseconds since 1970 by the caller's clock. */
  readonly time: number;
}

/** Value of the header `headwater-signature`: `<core>.<caller>.<number>.<time>.<HMAC-SHA-256 in base64url>`. */
export function sign(secret: string, call: SignedCall): string {
  const { core, caller, number, time } = call;
  return `${core}.${caller}.${number}.${time}.${macOf(secret, call)}`;
}

const SIGNATURE = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d{1,15})\.(\d{1,15})\.([\w-]{43})$/;

/** Undefined where the header is no signature of this call by somebody who knows the secret. */
export function verify(
  secret: string,
  signature: string | undefined,
  { path, head }: Pick<SignedCall, 'path' | 'head'>,
): SignedCall | undefined {
  const [, core = '', caller = '', number, time, mac = ''] = SIGNATURE.exec(signature ?? '') ?? [];
  const call = { core, path, head, caller, number: Number(number), time: Number(time) };
  return isSameSecret(mac, macOf(secret, call)) ? call : undefined;
}

/** Shows that the sender of a hello knows the secret: covers a nonce that the other end chose. */
export function proofOf(
  secret: string,
  nonce: string,
  { core, protocols, stopping }: Omit<Hello, 'proof'>,
): string {
  return createHmac('sha256', secret)
    .update(`hello\n${nonce}\n${core}\n${protocols.join()}\n${stopping}`)
    .digest('base64url');
}

/** Of a JSON body, for `headwater-head`. */
export function bodyHash(body: Uint8Array): string {
  return hash('sha256', body, 'hex');
}

function macOf(secret: string, { core, path, head, caller, number, time }: SignedCall): string {
  return createHmac('sha256', secret)
    .update(`${core}\n${caller}\n${number}\n${time}\n${path}\n${head}`)
    .digest('base64url');
}
