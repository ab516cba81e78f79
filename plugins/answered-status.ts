import type { ServerResponse } from 'node:http';

/** Nothing was answered: the client left first. Not sent to anybody; nginx counts such requests under it too. */
const CLIENT_LEFT = 499;

/** The status of a closed answer. One that was never begun still holds the 404 that Koa starts from. */
export function answeredStatus(response: Pick<ServerResponse, 'headersSent' | 'statusCode'>): number {
  return response.headersSent ? response.statusCode : CLIENT_LEFT;
}
