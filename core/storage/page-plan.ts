/**
 * A listing as data, made by the planner of `delivery/` before any SQL. It holds numbers of the model and bound values
 * only, so a query cannot make an adapter read anything else.
 */

/** A test of an indexed key (`index-key.ts`). */
export type KeyTest =
  | { readonly kind: 'one-of'; readonly keys: readonly string[] }
  /** Holds for a value that is none of `keys`, and for an empty value. */
  | { readonly kind: 'none-of'; readonly keys: readonly string[] }
  | {
      readonly kind: 'range';
      readonly from?: { readonly key: string; readonly inclusive: boolean };
      readonly to?: { readonly key: string; readonly inclusive: boolean };
    };

export interface SlotCondition {
  readonly on: 'slots';
  readonly slots: readonly number[];
  readonly test: KeyTest;
}

/** No index row in `slots` holds a value (`empty`), or one does. */
export interface EmptyCondition {
  readonly on: 'empty';
  readonly slots: readonly number[];
  readonly empty: boolean;
  /** Rich text, whose empty form is a paragraph. */
  readonly isRichText?: boolean;
  /** Every document of the listing has a row in one of `slots`, if only the mark of an empty value. */
  readonly everywhere?: boolean;
}

export type Condition =
  /** Some index row of the document in one of `slots` passes `test`; `none-of`: none holds one of its keys. */
  | SlotCondition
  /** One of them holds: for an element whose kind differs between types. */
  | { readonly on: 'either'; readonly of: readonly (SlotCondition | EmptyCondition)[] }
  | EmptyCondition
  | { readonly on: 'codename' | 'id'; readonly test: KeyTest };

export type Order =
  | { readonly by: 'codename' | 'id' | 'language'; readonly descending: boolean }
  /** `types`: of the listing, in order of codename. */
  | { readonly by: 'type'; readonly descending: boolean; readonly types: readonly number[] }
  /**
   * By the index rows of `slots`; documents without a value come last, by codename. `lacking`: types of the listing
   * without such a field.
   */
  | {
      readonly by: 'slots';
      readonly slots: readonly number[];
      readonly lacking: readonly number[];
      readonly descending: boolean;
    };

/** A language whose documents a listing can hold. */
export interface SourceLanguage {
  readonly number: number;
  readonly ordinal: number;
  /** Its documents only count where a nearer language has none, which is looked up. */
  readonly fallback: boolean;
}

export interface PagePlan {
  readonly project: number;
  /** Sequence of the model the plan was made from; with another one the store returns `modelChanged`. */
  readonly modelSequence: number;
  readonly view: number;
  readonly channelBit: number;
  /** Numbers of the types of the listing, element conditions applied; null = all. */
  readonly types: readonly number[] | null;
  readonly languages: readonly SourceLanguage[];
  /** `languages` is a part of the fallback chain, because of a filter on `system.language`. */
  readonly languagesRestricted: boolean;
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly skip: number;
  /** null = all */
  readonly limit: number | null;
  readonly total: boolean;
  /** A plan with a higher estimated cost is refused (`query-cost.ts`); null = no limit. */
  readonly costLimit: number | null;
  /** Only the items of these codenames. */
  readonly codenames?: readonly string[];
  /** Exactly these items in this order, as far as the view has them; filters and order are already applied. */
  readonly items?: readonly number[];
  /** Only items whose codename sorts after this one (continuation of a feed); with order by codename ascending. */
  readonly after?: string;
}

export interface PageResult {
  /** The model is a newer one: the caller makes a new plan and ignores the rest. */
  readonly modelChanged: boolean;
  /** Sequence of the project in the snapshot. */
  readonly sequence: number;
  /** Some documents are stale: the caller reads step by step. */
  readonly pending: boolean;
  readonly more: boolean;
  readonly total: number | null;
  /** Numbers of the page's items in order, and of the documents the view resolves them to. */
  readonly items: readonly number[];
  readonly documents: readonly number[];
}

/** A compiled document. Nothing of it ever changes under its number, in one epoch, but codenames and names of elements. */
export interface StoredDocument {
  readonly number: number;
  /** Of the data it was read from. */
  readonly epoch: string;
  /** The project's `names_sequence`; null until all documents have the names of that. */
  readonly names: number | null;
  readonly item: number;
  readonly codename: string;
  readonly type: number;
  readonly body: Uint8Array;
  /** As in `DocumentRow`. */
  readonly components: string;
  readonly layout: string;
}

export interface DocumentRow {
  readonly number: number;
  readonly item: number;
  readonly codename: string;
  readonly type: number;
  readonly language: number;
  readonly version: number;
  readonly body: string;
  /** `"codename":{…}` of the components, joined by commas; empty when there are none. */
  readonly components: string;
  /** JSON of `DocumentLayout`. */
  readonly layout: string;
}

/** Positions of the parts of a document, in UTF-16 units, for projection. */
export interface DocumentLayout {
  readonly elements: readonly LayoutElement[];
  readonly components: readonly LayoutComponent[];
}

/** Codename, start and end of `"codename":{…}`, numbers of linked items, ids of embedded components. */
export type LayoutElement = readonly [
  codename: string,
  start: number,
  end: number,
  linkedItems: readonly number[],
  components: readonly string[],
];

/** Id, start and end of `"codename":{…}` in `components`, its elements (positions in `components`). */
export type LayoutComponent = readonly [
  id: string,
  start: number,
  end: number,
  elements: readonly LayoutElement[],
];

/** Control byte in place of the public base of asset URLs in compiled bytes; JSON never contains it unescaped. */
export const ASSET_BASE_MARK = 1;
