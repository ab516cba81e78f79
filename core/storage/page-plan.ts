/**
 * A listing as data: what the planner of `delivery/` decided, before any SQL. Everything in it is a number
 * of the model or a bound value, so an adapter cannot be talked into reading anything else.
 */

/** How an indexed key is tested. Keys: see `publishing/index-key.ts`. */
export type KeyTest =
  | { readonly kind: 'one-of'; readonly keys: readonly string[] }
  /** Holds for a value that is none of `keys`; an empty value counts as different. */
  | { readonly kind: 'none-of'; readonly keys: readonly string[] }
  | {
      readonly kind: 'range';
      readonly from?: { readonly key: string; readonly inclusive: boolean };
      readonly to?: { readonly key: string; readonly inclusive: boolean };
    };

export type Condition =
  /** Some index row of the document in one of `slots` passes `test`. */
  | { readonly on: 'slots'; readonly slots: readonly number[]; readonly test: KeyTest }
  /** No index row of the document in `slots` holds a value, and the document's type is one of `types`. */
  | { readonly on: 'empty'; readonly slots: readonly number[]; readonly empty: boolean; readonly types: readonly number[] }
  | { readonly on: 'codename' | 'id'; readonly test: KeyTest }
  | { readonly on: 'nothing' };

export type Order =
  | { readonly by: 'codename' | 'id' | 'type' | 'language'; readonly descending: boolean }
  /** By the index rows of `slots`; documents without a value come last, by codename. */
  | { readonly by: 'slots'; readonly slots: readonly number[]; readonly descending: boolean };

export interface PagePlan {
  readonly project: number;
  /** Sequence of the model the plan was made from; an adapter answers `modelChanged` if it is no longer that. */
  readonly modelSequence: number;
  readonly view: number;
  readonly channelBit: number;
  /** Storage numbers of the types the listing is confined to; null = all. */
  readonly types: readonly number[] | null;
  /**
   * Languages whose documents can appear, by storage number, and whether another language may come before
   * (then membership is checked in the resolved table).
   */
  readonly languages: readonly { readonly number: number; readonly ordinal: number; readonly fallback: boolean }[];
  /** `system.language` leaves only some of them. */
  readonly languagesRestricted: boolean;
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly skip: number;
  readonly limit: number | null;
  /** 0 or 1; deeper levels take the stepwise road. */
  readonly depth: 0 | 1;
  readonly total: boolean;
  /** Only items whose codename sorts after this one (feed continuation); needs order by codename. */
  readonly after?: string;
}

export interface PageResult {
  /** The model moved on; make a new plan. */
  readonly modelChanged: boolean;
  /** Sequence of the project in the snapshot. */
  readonly sequence: number;
  /** Something was renamed and its documents are still being recompiled; take the stepwise road. */
  readonly pending: boolean;
  readonly count: number;
  readonly more: boolean;
  readonly total: number | null;
  /** Codename of the last item of the page. */
  readonly last: string | null;
  /** Bodies joined by commas; asset bases are marked by ASSET_BASE_MARK. */
  readonly items: Uint8Array;
  /** `"codename":body` of linked items and components, joined by commas. */
  readonly linked: Uint8Array;
}

export interface DocumentRow {
  readonly document: number;
  readonly item: number;
  readonly codename: string;
  readonly type: number;
  readonly language: number;
  readonly compiledAt: number;
  readonly body: string;
  /** `"codename":{…}` of the components, joined by commas; empty when there are none. */
  readonly components: string;
  /** JSON of `DocumentLayout`. */
  readonly layout: string;
}

/** Byte offsets for projection, as they are stored. Positions are UTF-16 units of `body`. */
export interface DocumentLayout {
  /** Per element: codename, start and end of `"codename":{…}` in the body, linked items, components it embeds. */
  readonly e: readonly LayoutElement[];
  /** Per component: its codename, start and end of its body in `components`, its elements. */
  readonly c?: readonly { readonly n: string; readonly s: number; readonly e: readonly LayoutElement[]; readonly t: number }[];
}

export type LayoutElement = readonly [
  codename: string,
  start: number,
  end: number,
  linkedItems?: readonly number[],
  components?: readonly string[],
];

/** Control byte that stands for the public base of asset URLs in compiled bytes; JSON never holds it raw. */
export const ASSET_BASE_MARK = 1;
