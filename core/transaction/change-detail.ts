import type { Language } from '../model/model.ts';

/** The facts about a variant in a notification. */
export interface ChangedVariant {
  readonly id: string;
  readonly codename: string;
  /** Codename of its type. */
  readonly type: string;
  readonly language: Pick<Language, 'id' | 'codename' | 'isActive'>;
  /** Ids of the steps of the workflow it was moved between. */
  readonly moved?: { readonly from: string; readonly to: string };
}

/** Ids of the languages in which readers see a change of an asset. */
export interface ChangedLanguages {
  readonly languages: readonly string[];
}

/** The facts about an item that goes or comes back with all its variants. */
export interface ChangedItem {
  /** Where the variant was meant, and the item only goes and comes back with it, its last one. */
  readonly lastVariant?: ChangedVariant;
  /** Storage numbers of the languages whose variants were scheduled before. */
  readonly scheduled?: ReadonlySet<number>;
}

/** Facts about a change beyond its entry in the change log. */
export type ChangeDetail = ChangedVariant | ChangedItem | ChangedLanguages;
