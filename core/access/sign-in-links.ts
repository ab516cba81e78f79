import { randomBytes } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { timestamp } from '../storage/timestamp.ts';
import type { Installation } from '../transaction/installation.ts';
import { tokenHash } from './token-hash.ts';

/** How long a link is valid unless it is mailed, in minutes. */
export const LINK_MINUTES = 15;

/**
 * Makes a link that signs in once.
 * @param account null: the user is made when the link is used, as operator
 * @returns its secret, shown only here
 */
export async function createLink(
  { tx }: Pick<Installation, 'tx'>,
  account: string | null,
  minutes = LINK_MINUTES,
): Promise<string> {
  await tx.run('DELETE FROM sign_in_link WHERE expires <= ?', [tx.now]);
  const token = randomBytes(32).toString('base64url');
  const expires = timestamp(Date.parse(tx.now) + minutes * 60_000);
  await tx.insert(
    'sign_in_link',
    ['hash', 'account', 'created', 'expires'],
    [[tokenHash(token), account, tx.now, expires]],
  );
  return token;
}

/**
 * Uses a link up.
 * @returns the user it belongs to; null = one that is still to be made
 * @throws unauthorized for an unknown, used or expired link
 */
export async function takeLink({ tx }: Installation, token: string): Promise<string | null> {
  const hash = tokenHash(token);
  const link = await tx.get<{ account: string | null }>(
    'SELECT account FROM sign_in_link WHERE hash = ? AND expires > ?',
    [hash, tx.now],
  );
  if (!link)
    throw new ServiceError(
      'unauthorized',
      "The sign-in link was used already or has expired. 'headwater user sign-in-link' makes another; --email says for which user.",
    );
  await tx.run('DELETE FROM sign_in_link WHERE hash = ?', [hash]);
  return link.account;
}
