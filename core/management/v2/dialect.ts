import type { ElementInput } from '../../model/inputs.ts';
import type { Dialect } from '../dialect.ts';
import { itemToJson } from './item-json.ts';
import { variantToJson } from './variant-json.ts';

export const dialectV2: Dialect = {
  itemRules: { locationsRequired: true, ignoresCurrentCodename: true },
  itemToJson,
  codenameOf: (body) => (body['codename'] === '' ? undefined : (body['codename'] as string | undefined)),
  variantToJson,
  elementsOf: (body) => ({
    elements: body['elements'] as readonly ElementInput[],
    pathOf: (path) => path,
  }),
};
