import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../core/contract.ts';

/** A header that only a script of the same origin can send: a form of another site cannot. */
const OWN_HEADER = 'x-headwater-console';

/**
 * Refuses writes that a page of another origin sends with the person's cookie (Fetch Metadata, W3C; `Origin` where a
 * browser does not send it).
 * @param console base URL of the console
 * @throws forbidden
 */
export function checkOrigin({ headers }: Pick<IncomingMessage, 'headers'>, console: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === new URL(console).origin : site === 'same-origin';
  if (isOwn && headers[OWN_HEADER] !== undefined) return;
  throw new ServiceError('forbidden', 'Writes to the console are accepted from its own pages only.');
}
