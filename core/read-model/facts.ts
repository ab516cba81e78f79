import type { Channel, Language } from '../model/model.ts';

/** What a document says about things outside it. Undefined: not there, or not visible where it is asked for. */
export interface Facts {
  /** An item others can refer to, whether published or not, or only expected. */
  item(id: string): ItemFacts | undefined;
  /** The item as a reader of the channel and language finds it. */
  target(id: string, language: Language, channel: Channel): TargetFacts | undefined;
  asset(id: string): AssetFacts | undefined;
  /** Of an asset that is there, or only expected. */
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
  /** `/{project}/{file}/{name}`, percent-encoded. */
  readonly path: string;
  readonly width: number | null;
  readonly height: number | null;
  /** By language id. */
  readonly descriptions: Readonly<Record<string, string | null>>;
}
