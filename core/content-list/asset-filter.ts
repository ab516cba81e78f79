import type { AssetKind } from '../model/asset-kinds.ts';
import type { Language } from '../model/model.ts';

/** What a list of assets shows; filters are combined. */
export interface AssetFilter {
  /** Words of the title, the file name or a description, the last one perhaps incomplete; or the id of an asset. */
  readonly text?: string;
  /** Undefined: all. */
  readonly kinds?: readonly AssetKind[];
  /** Ids of folders, null = in none; undefined: all. */
  readonly folders?: readonly (string | null)[];
  /** No content refers to it. */
  readonly isUnused?: boolean;
  /** It has no description in this language. */
  readonly undescribed?: Language;
}

export const ASSET_ORDERS = ['created', 'name', 'changed', 'size'] as const;
export type AssetOrder = (typeof ASSET_ORDERS)[number];

export interface AssetPage {
  readonly order: AssetOrder;
  readonly descending: boolean;
  /** In place of `offset`, the newest first: storage number of the last asset of the page before. */
  readonly after?: number;
  readonly offset: number;
  readonly limit: number;
}
