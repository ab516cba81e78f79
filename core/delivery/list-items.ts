import type { CoreAnswer } from '../http/request.ts';
import { answerItems } from './answer-items.ts';
import type { DeliveryContext, DeliveryRequest } from './delivery-context.ts';
import { pagination } from './pagination.ts';

const OPENING = Buffer.from('{"items":[');
const MIDDLE = Buffer.from('],"modular_content":{');

/** `GET /{project}/items` (spec 4.1): filters, order, paging, projection, linked items. */
export function listItems(context: DeliveryContext, request: DeliveryRequest): Promise<CoreAnswer> {
  const known = context.queries.listing(request);
  const { query } = known;
  return answerItems(context, request, {
    known,
    frame: {
      opening: OPENING,
      middle: MIDDLE,
      closing: (end) => `},"pagination":${JSON.stringify(pagination(query, request.address, end))}}`,
    },
  });
}
