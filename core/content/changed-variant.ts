import type { Language } from '../model/model.ts';
import type { ChangedVariant } from '../transaction/change-detail.ts';
import type { Item } from './item-rows.ts';

/** What notifications say about a variant of the item. */
export function changedVariant(
  { id, codename, type }: Pick<Item, 'id' | 'codename' | 'type'>,
  language: Language,
): ChangedVariant {
  return { id, codename, type: type.codename, language };
}
