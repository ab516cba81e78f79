import type { IncomingHttpHeaders } from 'node:http';
import {
  type CallTiming,
  type CancelSignal,
  type CoreRequest,
  newTraceparent,
  type Surface,
} from '../../core/contract.ts';
import type { Facet, GatewayContext, RequestState } from '../contract.ts';
import type { CacheDirectives } from '../http/cache-directives.ts';

/** Headers that change an answer. Core gets the principal, never the key. */
const NAMES = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
  'user-agent',
  'x-continuation',
];

function pickHeaders(headers: IncomingHttpHeaders): CoreRequest['headers'] {
  const picked: Record<string, string> = {};
  for (const name of NAMES) {
    const value = headers[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}

type State = RequestState<'requestId' | 'principal', Facet>;

/** The request of a context as core takes it. */
export function coreRequest(
  ctx: GatewayContext<State>,
  signal: CancelSignal,
  timing: CallTiming,
  { wait, minSequence }: CacheDirectives,
): CoreRequest {
  const { surface, bases, principal, requestId, trace, traceparent, client, body, known } = ctx.state;
  const { atLeast = wait ? 'now' : minSequence || undefined } = ctx.state;
  const headers = pickHeaders(ctx.req.headers);
  const name = surface.name as Surface;
  const isHead = ctx.method === 'HEAD';
  return {
    surface: name,
    method: isHead ? 'GET' : ctx.method,
    path: surface.path,
    query: surface.query,
    headers: isHead ? withoutRange(headers) : headers,
    bases:
      name === 'admin'
        ? { self: bases.admin, assets: bases.assets, console: bases.console }
        : { self: bases[name], assets: bases.assets },
    principal,
    requestId,
    traceparent: traceparent ?? (trace && newTraceparent(trace)),
    client: client.address,
    signal,
    timing,
    ...(body && { body }),
    ...(known && { known }),
    ...(atLeast !== undefined && { atLeast }),
  };
}

/** Ranges are for GET only (RFC 9110, 14.2): a HEAD describes the whole. */
function withoutRange({ range: _, ...headers }: CoreRequest['headers']): CoreRequest['headers'] {
  return headers;
}
