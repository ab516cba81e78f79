/** Reads from core directly and from a service over HTTP; both return status and JSON. */
import type { Core, CoreRequest, Principal } from '../../../core/contract.ts';
import { ServiceError } from '../../../core/contract.ts';
import type { Answer } from '../oracle/compare.ts';
import type { OracleChannel } from '../oracle/content.ts';
import type { Bases } from '../oracle/urls.ts';

export interface ContentRequest {
  readonly channel: OracleChannel;
  /** Below the surface: `/{project}/items`. */
  readonly path: string;
  readonly query: string;
}

export async function readFromCore(
  core: Pick<Core, 'handle'>,
  request: ContentRequest,
  bases: Bases,
): Promise<Answer> {
  const surface = request.channel === 'published' ? 'delivery' : 'preview';
  const principal: Principal = { kind: 'anonymous' };
  const send = (headers: CoreRequest['headers']) =>
    core.handle({
      surface,
      method: 'GET',
      path: request.path,
      query: request.query,
      headers,
      bases,
      principal,
      requestId: 'test',
    });
  try {
    return await collected(send, request.path.endsWith('/items-feed'));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, code, message } = error;
    return { status, body: { message, request_id: 'test', error_code: code, specific_code: 0 } };
  }
}

type Send = (headers: CoreRequest['headers']) => ReturnType<Core['handle']>;

/** One answer, or all parts of a feed joined. */
async function collected(send: Send, feed: boolean): Promise<Answer> {
  const first = await send({});
  const body = await readJson(first.body);
  if (!feed || first.status !== 200) return { status: first.status, body };
  const whole = body as FeedPart;
  let token = first.headers['x-continuation'];
  for (let parts = 0; token !== undefined && parts < 1000; parts += 1) {
    const next = await send({ 'x-continuation': token });
    addPart(whole, (await readJson(next.body)) as FeedPart);
    token = next.headers['x-continuation'];
  }
  return { status: first.status, body: whole };
}

interface FeedPart {
  readonly items: unknown[];
  readonly modular_content: Record<string, unknown>;
}

function addPart(whole: FeedPart, part: FeedPart): void {
  whole.items.push(...part.items);
  Object.assign(whole.modular_content, part.modular_content);
}

async function readJson(body: Awaited<ReturnType<Core['handle']>>['body']): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** @param base of the surface, such as `http://127.0.0.1:1234/delivery` */
export async function readOverHttp(
  base: string,
  request: ContentRequest,
  headers: Record<string, string>,
): Promise<Answer> {
  const url = `${base}${request.path}${request.query === '' ? '' : `?${request.query}`}`;
  const response = await fetch(url, { headers });
  const body: unknown = await response.json();
  if (!request.path.endsWith('/items-feed') || response.status !== 200)
    return { status: response.status, body };
  let token = response.headers.get('x-continuation');
  for (let parts = 0; token !== null && parts < 1000; parts += 1) {
    const next = await fetch(url, { headers: { ...headers, 'x-continuation': token } });
    addPart(body as FeedPart, (await next.json()) as FeedPart);
    token = next.headers.get('x-continuation');
  }
  return { status: response.status, body };
}
