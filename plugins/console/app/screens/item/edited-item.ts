import type { Allowed } from '../../acts/act-data.ts';
import type { ListedItem } from '../listed-item.ts';

/** An item with the state of each language. */
export interface EditedItem extends ListedItem {
  /** When it was. */
  readonly archived: string | null;
  readonly languages: readonly (ListedItem['languages'][number] & {
    readonly last_modified: string | null;
    readonly allowed: readonly Allowed[];
  })[];
}
