import type { ContentType, Field, Language, SitemapNode, Term } from '../model/model.ts';
import type { VariantState } from '../model/variant-state.ts';

/** What a list of content shows. Filters about content mean the latest version in `language`. */
export interface ContentFilter {
  readonly language: Language;
  /** Undefined: all. */
  readonly types?: readonly ContentType[];
  /** Undefined: all but `archived`. */
  readonly states?: readonly VariantState[];
  /** Words, the last one perhaps incomplete, and quoted phrases; or the whole id or codename of an item. */
  readonly text?: string;
  /** Any of them. */
  readonly terms?: readonly Term[];
  readonly location?: SitemapNode;
  /** Id of the user who wrote the latest version. */
  readonly author?: string;
  /** Transaction times: the first, and the first one after the last. */
  readonly changedFrom?: string;
  readonly changedBefore?: string;
  /** A required element is empty. */
  readonly isLacking?: boolean;
}

/** `relevance`: the item with the codename, then matches of the name, then the others, the newest first; only with a text. */
export type ContentOrder = 'relevance' | 'name' | 'changed' | 'type' | 'state' | Field;

export interface ContentPage {
  readonly order: ContentOrder;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}
