import type { Item, ItemRules } from '../content/items.ts';
import type { Variant } from '../content/variant-rows.ts';
import type { Schema } from '../http/openapi-shapes.ts';
import type { JsonObject } from '../json-body/parse-body.ts';
import type { ElementInput } from '../model/inputs.ts';
import type { ProjectModel } from '../model/model.ts';

/** What differs between the two versions. */
export interface Dialect {
  readonly itemRules: ItemRules;
  itemToJson(item: Item): unknown;
  readonly itemSchema: Schema;
  /** The codename in a body; version 1 ignores the property. */
  codenameOf(body: JsonObject): string | undefined;
  variantToJson(model: ProjectModel, variant: Variant, mediaType: string): unknown;
  readonly variantSchema: Schema;
  elementsOf(body: JsonObject): ElementsOfBody;
  /** Schema of the elements in a body. */
  readonly elementsSchema: Schema;
}

export interface ElementsOfBody {
  readonly elements: readonly ElementInput[];
  /** Path in the body for a path of the operation, `elements[…]…`. */
  pathOf(path: string): string;
}
