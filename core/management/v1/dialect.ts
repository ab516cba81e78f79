import type { Dialect } from '../dialect.ts';
import { itemToJson } from './item-json.ts';
import { elementsOf, variantToJson } from './variant-json.ts';

export const dialectV1: Dialect = {
  itemRules: {},
  itemToJson,
  // Read-only in this version.
  codenameOf: () => undefined,
  variantToJson,
  elementsOf,
};
