import type { Item, ItemRules } from '../content/items.ts';
import type { Variant } from '../content/variant-rows.ts';
import type { JsonObject } from '../json-body/parse-body.ts';
import type { ElementInput } from '../model/inputs.ts';
import type { ProjectModel } from '../model/model.ts';

/** What the two versions say differently about the same content. */
export interface Dialect {
  readonly itemRules: ItemRules;
  itemToJson(item: Item): unknown;
  /** The codename a body gives; versions without it ignore the property. */
  codenameOf(body: JsonObject): string | undefined;
  variantToJson(model: ProjectModel, variant: Variant, mediaType: string): unknown;
  elementsOf(body: JsonObject): ElementsOfBody;
}

export interface ElementsOfBody {
  readonly elements: readonly ElementInput[];
  /** Where in the body that is which the operation knows as `elements[…]…`. */
  pathOf(path: string): string;
}
