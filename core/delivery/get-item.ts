import { ServiceError } from '../errors.ts';
import type { CoreAnswer } from '../http/request.ts';
import { answerItems } from './answer-items.ts';
import type { DeliveryContext, DeliveryRequest } from './delivery-context.ts';
import type { Frame } from './page.ts';

const FRAME: Frame = {
  opening: Buffer.from('{"item":'),
  middle: Buffer.from(',"modular_content":{'),
  closing({ count }) {
    // A part of a document is invalid, so the connection is closed with an error.
    if (count === 0) throw new Error('The item was unpublished while it was sent.');
    return '}}';
  },
};

/**
 * `GET /{project}/items/{codename}` (spec 4.1). Takes the parameters of a listing that make sense for one item.
 * @throws itemNotFound (100) when it is missing, unpublished, or in none of the languages of the chain
 */
export function getItem(
  context: DeliveryContext,
  request: DeliveryRequest,
  codename: string,
): Promise<CoreAnswer> {
  return answerItems(context, request, {
    known: context.queries.item(request, codename),
    frame: FRAME,
    narrowed: (plan) => ({
      ...plan,
      codenames: plan.codenames?.filter((one) => one === codename) ?? [codename],
    }),
    missing: (info) =>
      new ServiceError('itemNotFound', `The requested content item '${codename}' was not found.`, info),
  });
}
