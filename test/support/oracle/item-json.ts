/** Items and components as JSON (spec 2.1, 2.2). */
import {
  allNodes,
  allTerms,
  byKey,
  fieldsOf,
  type OracleComponent,
  type OracleField,
  type OracleRichText,
  type OracleValue,
  type OracleValues,
} from './content.ts';
import { componentCodename, richTextJson } from './rich-text.ts';
import { assetUrl, type Bases } from './urls.ts';
import type { Found, View } from './view.ts';

export interface JsonElement {
  readonly type: string;
  readonly name: string;
  readonly value: unknown;
  readonly [more: string]: unknown;
}

export interface JsonItem {
  readonly system: {
    readonly id: string;
    readonly name: string;
    readonly codename: string;
    readonly language: string;
    readonly type: string;
    readonly sitemap_locations: readonly string[];
    readonly last_modified: string;
  };
  readonly elements: Readonly<Record<string, JsonElement>>;
}

/** Codenames of elements to keep; undefined keeps all (spec 4.1 `elements`). */
export type Projection = readonly string[] | undefined;

export function itemJson(view: View, found: Found, bases: Bases, projection?: Projection): JsonItem {
  const { item, language, version } = found;
  const nodes = allNodes(view.content.sitemap);
  return {
    system: {
      id: item.id,
      name: item.name,
      codename: item.codename,
      language: language.codename,
      type: byKey(view.content.types, item.type).codename,
      sitemap_locations: item.sitemap.flatMap(
        (key) => nodes.find((node) => node.key === key)?.codename ?? [],
      ),
      last_modified: lastModified(found),
    },
    elements: elementsJson(view, found, item.type, version.values, bases, projection),
  };
}

/** The later of the two: a rename or a move changes what readers get as much as new content does. */
function lastModified({ item, version }: Found): string {
  return [item.lastModified, version.lastModified].sort()[1]!;
}

export function componentJson(
  view: View,
  found: Found,
  component: OracleComponent,
  bases: Bases,
  projection?: Projection,
): JsonItem {
  return {
    system: {
      id: component.id,
      name: component.id,
      codename: componentCodename(component.id),
      language: found.language.codename,
      type: byKey(view.content.types, component.type).codename,
      sitemap_locations: [],
      last_modified: lastModified(found),
    },
    elements: elementsJson(view, found, component.type, component.values, bases, projection),
  };
}

function elementsJson(
  view: View,
  found: Found,
  type: string,
  values: OracleValues,
  bases: Bases,
  projection: Projection,
): Record<string, JsonElement> {
  const entries = keptFields(view, type, projection).map((field) => [
    field.codename,
    elementJson(view, found, field, values[field.element.key], bases),
  ]);
  return Object.fromEntries(entries);
}

export function keptFields(view: View, type: string, projection: Projection): OracleField[] {
  const fields = fieldsOf(view.content, byKey(view.content.types, type));
  return projection ? fields.filter((field) => projection.includes(field.codename)) : fields;
}

function elementJson(
  view: View,
  found: Found,
  field: OracleField,
  value: OracleValue | undefined,
  bases: Bases,
): JsonElement {
  const { content } = view;
  const { element } = field;
  const head = { type: element.kind, name: element.name };
  switch (element.kind) {
    case 'text':
    case 'url_slug':
      return { ...head, value: value ?? '' };
    case 'number':
    case 'date_time':
      return { ...head, value: value ?? null };
    case 'custom':
      return { ...head, value: value || null };
    case 'rich_text':
      return { ...head, value: '', ...richTextJson(view, found, richTextOf(value), bases) };
    case 'modular_content':
      return { ...head, value: keysOf(value).map((key) => byKey(content.items, key).codename) };
    case 'multiple_choice': {
      const chosen = keysOf(value);
      // In the order of the type, whatever order they were chosen in.
      const options = element.options!.filter((option) => chosen.includes(option.key));
      return { ...head, value: options.map(nameAndCodename) };
    }
    case 'taxonomy': {
      const group = byKey(content.taxonomies, element.group!);
      const terms = allTerms(group.terms);
      const value_ = keysOf(value).flatMap((key) => terms.find((term) => term.key === key) ?? []);
      return { ...head, taxonomy_group: group.codename, value: value_.map(nameAndCodename) };
    }
    case 'asset': {
      const assets = keysOf(value).map((key) => byKey(content.assets, key));
      return {
        ...head,
        value: assets.map((asset) => ({
          name: asset.fileName,
          type: asset.type,
          size: asset.size,
          description: asset.descriptions[found.language.key] ?? null,
          url: assetUrl(content, asset, bases),
        })),
      };
    }
  }
}

export function nameAndCodename(thing: { name: string; codename: string }): {
  name: string;
  codename: string;
} {
  return { name: thing.name, codename: thing.codename };
}

export function keysOf(value: OracleValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export function richTextOf(value: OracleValue | undefined): OracleRichText {
  return typeof value === 'object' && value !== null && 'blocks' in value ? value : { blocks: [] };
}
