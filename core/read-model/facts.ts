import type { Channel, Language } from '../model/model.ts';

/** What a document shows of other objects. Undefined: missing, or not visible in the channel and language. */
export interface Facts {
  /** An item, published or not, or only expected. */
  item(id: string): ItemFacts | undefined;
  /** The item as a reader of the channel and language gets it. */
  target(id: string, language: Language, channel: Channel): TargetFacts | undefined;
  asset(id: string): AssetFacts | undefined;
  /** Number of an existing or expected asset. */
  assetNumber(id: string): number | undefined;
}

export interface ItemFacts {
  readonly number: number;
  /** Null while the item is only expected: referred to by external id before it exists. */
  readonly codename: string | null;
}

export interface TargetFacts {
  readonly codename: string;
  /** Codename of the content type. */
  readonly type: string;
  /** Empty when the type has no url slug element. */
  readonly slug: string;
}

export interface AssetFacts {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** See `assetPath`. */
  readonly path: string;
  /** By language id. */
  readonly descriptions: Readonly<Record<string, string | null>>;
}
