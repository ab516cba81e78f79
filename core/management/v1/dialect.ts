import { mapOf, schema } from '../../http/openapi-shapes.ts';
import type { Dialect } from '../dialect.ts';
import { itemToJson } from '../item-json.ts';
import { elementsOf, variantToJson } from './variant-json.ts';

export const dialectV1: Dialect = {
  itemRules: {},
  itemToJson: (item) => itemToJson(item),
  itemSchema: schema('ManagedItemV1'),
  // Read-only in this version.
  codenameOf: () => undefined,
  variantToJson,
  variantSchema: schema('ManagedVariantV1'),
  elementsOf,
  elementsSchema: mapOf({}, 'Values by codename of the element.'),
};
