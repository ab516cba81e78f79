import type { IncomingMessage } from 'node:http';

/** A header that only a script of the same origin can send: a form of another site cannot. */
const OWN_HEADER = 'x-headwater-console';

/**
 * Whether a page of the console sends the write, and not one of another origin with the person's cookie (Fetch Metadata,
 * W3C; `Origin` where a browser does not send it).
 * @param console base URL of the console
 */
export function isOwnWrite({ headers }: Pick<IncomingMessage, 'headers'>, console: string): boolean {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === new URL(console).origin : site === 'same-origin';
  return isOwn && headers[OWN_HEADER] !== undefined;
}
