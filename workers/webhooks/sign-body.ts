import { createHmac } from 'node:crypto';

/** Base64 of HMAC-SHA256 over the bytes as they are sent; the key is the secret as text (facts 8.1). */
export function signBody(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}

/**
 * `webhook-signature` of Standard Webhooks 1.0.0: one signature a secret, parted by spaces. The key is the
 * secret as text here too; a library that wants it in base64 is given the base64 of that.
 */
export function signStandard(
  secrets: readonly string[],
  id: string,
  timestamp: number,
  body: string,
): string {
  return secrets
    .map(
      (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    )
    .join(' ');
}
