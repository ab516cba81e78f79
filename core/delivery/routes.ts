import type { Schema } from '../http/openapi-shapes.ts';
import type { CoreAnswer } from '../http/request.ts';
import { namedRoutes, type RouteDescription } from '../http/route.ts';
import type { PathParameters } from '../http/router.ts';
import type { DeliveryContext, DeliveryRequest } from './delivery-context.ts';
import { getItem } from './get-item.ts';
import { itemsFeed } from './items-feed.ts';
import { listItems } from './list-items.ts';
import {
  getElement,
  getTaxonomy,
  getType,
  listLanguages,
  listTaxonomies,
  listTypes,
} from './model-objects.ts';

type Handler = (
  context: DeliveryContext,
  request: DeliveryRequest,
  parameters: PathParameters,
) => Promise<CoreAnswer>;

const route = namedRoutes<Handler>();
const paging = ['Skip', 'Limit', 'IncludeTotalCount'];

/** The calls of delivery and preview. */
export const deliveryRoutes = [
  route('GET items', {
    id: 'listItems',
    summary: 'List content items',
    description: 'Items that match the filters, with the items they link to in `modular_content`.',
    ...reads('ItemListing', ['Filter', 'Language', 'Elements', 'Depth', 'Order', ...paging]),
    handler: listItems,
  }),
  route('GET items/:codename', {
    id: 'getItem',
    summary: 'Read a content item',
    ...reads('ItemAnswer', ['ItemCodename', 'Filter', 'Language', 'Elements', 'Depth']),
    handler: (context, request, path) => getItem(context, request, path.text('codename')),
  }),
  route('GET items-feed', {
    id: 'feedItems',
    summary: 'Read all items in parts',
    description:
      'Every matching item, by codename unless `order` is given, part by part: repeat the call with the `X-Continuation` of ' +
      'the answer until there is none. `modular_content` holds components only.',
    ...reads('ItemFeed', ['Filter', 'Language', 'Elements', 'Order', 'Continuation'], {
      'X-Continuation': ref('headers', 'Continuation'),
    }),
    handler: itemsFeed,
  }),
  route('GET types', {
    id: 'listTypes',
    summary: 'List content types',
    ...reads('TypeListing', ['Elements', ...paging]),
    handler: listTypes,
  }),
  route('GET types/:codename', {
    id: 'getType',
    summary: 'Read a content type',
    ...reads('Type', ['TypeCodename', 'Elements']),
    handler: (context, request, path) => getType(context, request, path.text('codename')),
  }),
  route('GET types/:type_codename/elements/:element_codename', {
    id: 'getTypeElement',
    summary: 'Read an element of a content type',
    ...reads('ElementView', ['TypeOfElement', 'ElementCodename']),
    handler: (context, request, path) =>
      getElement(context, request, path.text('type_codename'), path.text('element_codename')),
  }),
  route('GET taxonomies', {
    id: 'listTaxonomies',
    summary: 'List taxonomy groups',
    ...reads('TaxonomyListing', paging),
    handler: listTaxonomies,
  }),
  route('GET taxonomies/:codename', {
    id: 'getTaxonomy',
    summary: 'Read a taxonomy group',
    ...reads('Taxonomy', ['TaxonomyCodename']),
    handler: (context, request, path) => getTaxonomy(context, request, path.text('codename')),
  }),
  route('GET languages', {
    id: 'listLanguages',
    summary: 'List languages',
    ...reads('LanguageListing', paging),
    handler: listLanguages,
  }),
];

/** @param parameters names of components */
function reads(
  schema: string,
  parameters: readonly string[],
  headers: Schema = {},
): Pick<RouteDescription, 'parameters' | 'answers'> {
  return {
    parameters: [...parameters, 'WaitForNewContent', 'IfNoneMatch'].map((name) => ref('parameters', name)),
    answers: {
      200: {
        description: 'The answer.',
        schema: ref('schemas', schema),
        headers: {
          ETag: ref('headers', 'ETag'),
          'X-Stale-Content': ref('headers', 'StaleContent'),
          ...headers,
        },
      },
    },
  };
}

function ref(kind: string, name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}
