import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../../core/contract.ts';
import type { GatewayContext } from '../contract.ts';
import { ERROR_CONTENT_TYPE, errorBody } from './error-body.ts';
import { isLongUnread } from './unread-body.ts';

/** Headers that described the answer that is not sent after all. Request id, CORS and the like stay. */
const HEADERS_OF_LOST_ANSWER = [
  'content-encoding',
  'content-length',
  'content-range',
  'content-disposition',
  'transfer-encoding',
  'accept-ranges',
  'etag',
  'last-modified',
  'cache-control',
  'expires',
  'location',
  'link',
  'age',
];

/** Makes the error the answer of the request. The headers that were set for every answer are kept. */
export function answerError(ctx: GatewayContext, error: ServiceError, requestId: string): void {
  const response: Pick<ServerResponse, 'removeHeader' | 'setHeader'> = ctx.res;
  for (const name of HEADERS_OF_LOST_ANSWER) response.removeHeader(name);
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  // The rest of the body is not read (RFC 9110 section 15.5.14 for one that is too large).
  if (isLongUnread(ctx.req)) response.setHeader('connection', 'close');
  ctx.status = error.status;
  response.setHeader('content-type', ERROR_CONTENT_TYPE);
  response.setHeader('cache-control', 'no-store');
  ctx.body = errorBody(error, ctx.state.surface.name, requestId);
}
