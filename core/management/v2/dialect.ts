import { ITEM_RULES } from '../../content/items.ts';
import { arrayOf, schema } from '../../http/openapi-shapes.ts';
import type { ElementInput } from '../../model/inputs.ts';
import { DEFAULT_COLLECTION_ID } from '../../model/model.ts';
import type { Dialect } from '../dialect.ts';
import { itemToJson } from '../item-json.ts';
import { variantToJson } from './variant-json.ts';

const ADDED_FIELDS = { collection: { id: DEFAULT_COLLECTION_ID }, spaces: [] } as const;

export const dialectV2: Dialect = {
  itemRules: ITEM_RULES,
  itemToJson: (item) => itemToJson(item, ADDED_FIELDS),
  itemSchema: schema('ManagedItem'),
  codenameOf: (body) => (body['codename'] === '' ? undefined : (body['codename'] as string | undefined)),
  variantToJson,
  variantSchema: schema('ManagedVariant'),
  elementsOf: (body) => ({
    elements: body['elements'] as readonly ElementInput[],
    pathOf: (path) => path,
  }),
  elementsSchema: arrayOf({ type: 'object' }, 'Entries of `{element, value}`.'),
};
