import { createHmac } from 'node:crypto';

/** Base64 of HMAC-SHA256 over the bytes as sent; the key is the secret as text. */
export function signBody(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}

/**
 * `webhook-signature` of Standard Webhooks 1.0.0: one signature per secret, separated by spaces. The key is the
 * secret as text here too; give its base64 to a library that expects base64.
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
