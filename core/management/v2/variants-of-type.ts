import {
  type AfterVariant,
  variantsOfType as listVariants,
  variantsWithComponents as listWithComponents,
} from '../../content/listings.ts';
import type { Variant } from '../../content/variant-rows.ts';
import { schema } from '../../http/openapi-shapes.ts';
import type { ContentType } from '../../model/model.ts';
import { describe, findReferred } from '../../model/reference.ts';
import type { ProjectView } from '../../transaction/project-view.ts';
import { type Call, notFound, referenceAt } from '../call.ts';
import { pageOf } from '../management-schemas.ts';
import { PAGE_SIZE, pageAnswer, pageStart } from '../paging.ts';
import { type Answer, answersPage, type Route, routesOf } from '../route.ts';
import { variantToJson } from './variant-json.ts';

const route = routesOf('Language variants', { read: 'view-content', write: 'edit-content' });
const page = answersPage(pageOf('variants', schema('ManagedVariant'), 'At most 50 variants.'));

/** Lists variants of all items by the type of the item, or of components in it. */
export const variantsOfTypeRoutes: readonly Route[] = [
  route('GET types/<type>/variants', {
    id: 'listVariantsOfType',
    summary: 'Variants of all items of a type',
    ...page,
    handler: (call) => list(call, 'variants', listVariants),
  }),
  route('GET types/<type>/components', {
    id: 'listVariantsWithComponents',
    summary: 'Variants that hold a component of a type',
    ...page,
    handler: (call) => list(call, 'components', listWithComponents),
  }),
];

type Lister = (
  view: ProjectView,
  type: ContentType,
  after: AfterVariant,
  limit: number,
) => Promise<Variant[]>;

async function list(call: Call, scope: string, lister: Lister): Promise<Answer> {
  return call.read(async (view) => {
    const reference = referenceAt(call, 'type');
    const type = findReferred(view.model.types, reference);
    if (!type) notFound(`There is no content type with ${describe(reference)}.`);
    const own = `${scope}:${type.number}`;
    const after = pageStart(call, own, 2) as AfterVariant;
    const variants = await lister(view, type, after, PAGE_SIZE.variants + 1);
    return pageAnswer(
      call,
      own,
      'variants',
      variants,
      ({ item, language }) => [item.number, language.number],
      (variant) => variantToJson(view.model, variant, call.mediaType),
    );
  });
}
