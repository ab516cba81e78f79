import { ServiceError } from '../errors.ts';
import { entityTag } from '../http/entity-tag.ts';
import type { CoreAnswer } from '../http/request.ts';
import { answerItems } from './answer-items.ts';
import type { DeliveryContext, DeliveryRequest } from './delivery-context.ts';
import type { Frame } from './page.ts';
import { parseQuery } from './parse-query.ts';
import { KnownQuery } from './query-cache.ts';

/** Entries of one page of the feed. */
const PAGE = 100;

/**
 * `GET /{project}/items-feed`: everything that matches, page by page through `X-Continuation`, components in
 * `modular_content` but no linked items. In codename order a continuation names the last codename, so that
 * publishing does not move it; with an order of the client's it counts items.
 */
export async function itemsFeed(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  const parsed = parseQuery(request.query);
  const { channel, project, address, continuation } = request;
  // Binds tokens to this feed.
  const feed = entityTag([context.storage.epoch, channel, project, JSON.stringify(parsed.parameters)]);
  const { after, skip = 0 } = readToken(continuation, feed);
  return answerItems(
    context,
    // The token of the next page is part of the answer, so the entity tag depends on the feed.
    { ...request, address: `${address} ${feed}` },
    {
      known: new KnownQuery(
        { ...parsed, includeTotalCount: false, depth: 0, limit: PAGE, skip },
        { key: null, isRepeated: false },
      ),
      frame: FRAME,
      isFeed: true,
      narrowed: (plan) => (after === undefined ? plan : { ...plan, after }),
      headersOf({ documents, more }) {
        const next = parsed.order ? { skip: skip + PAGE } : { after: documents.at(-1)?.codename ?? '' };
        return { vary: 'X-Continuation', ...(more && { 'x-continuation': writeToken(next, feed) }) };
      },
    },
  );
}

const FRAME: Frame = {
  opening: Buffer.from('{"items":['),
  middle: Buffer.from('],"modular_content":{'),
  closing: () => '}}',
};

interface Position {
  readonly after?: string;
  readonly skip?: number;
}

function writeToken(position: Position, feed: string): string {
  return Buffer.from(JSON.stringify({ ...position, question: feed })).toString('base64url');
}

function readToken(token: string | undefined, feed: string): Position {
  if (token === undefined || token === '') return {};
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (typeof read === 'object' && read !== null && 'question' in read && read.question === feed) {
      const { after, skip } = read as Position;
      if (typeof after === 'string') return { after };
      if (typeof skip === 'number' && Number.isSafeInteger(skip) && skip >= 0) return { skip };
    }
  } catch {}
  throw new ServiceError(
    'badRequest',
    'The continuation token does not belong to this request; start the feed again without it.',
  );
}
