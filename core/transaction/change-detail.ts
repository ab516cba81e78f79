import type { Language } from '../model/model.ts';

/** Of a variant: what a notification says about it. */
export interface ChangedVariant {
  readonly id: string;
  readonly codename: string;
  /** Codename of its type. */
  readonly type: string;
  readonly language: Pick<Language, 'id' | 'codename' | 'isActive'>;
  /** Ids of the steps of the workflow it was moved between. */
  readonly moved?: { readonly from: string; readonly to: string };
}

/** Of an asset: ids of the languages in which readers see something else now. */
export interface ChangedLanguages {
  readonly languages: readonly string[];
}

/** What an operation knows of a change beyond its entry in the change log. */
export type ChangeDetail = ChangedVariant | ChangedLanguages;
