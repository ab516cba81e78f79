/** `modular_content`: linked items by depth, components always (spec 4.1 `depth`). */
import { byKey, type OracleComponent, type OracleValues } from './content.ts';
import {
  componentJson,
  itemJson,
  type JsonItem,
  keptFields,
  keysOf,
  type Projection,
  richTextOf,
} from './item-json.ts';
import { embeddedComponents, embeddedItems } from './rich-text.ts';
import type { Bases } from './urls.ts';
import { type Found, find, type View } from './view.ts';

export function modularContent(
  view: View,
  top: readonly Found[],
  depth: number,
  bases: Bases,
  projection?: Projection,
): Record<string, JsonItem> {
  const map: Record<string, JsonItem> = {};
  const seen = new Set<string>();
  let level = top;
  for (const found of level) addComponents(view, found, map, bases, projection);
  for (let step = 1; step <= depth && level.length > 0; step += 1) {
    const next: Found[] = [];
    for (const key of level.flatMap((found) => linksOf(view, found, projection))) {
      if (seen.has(key)) continue;
      seen.add(key);
      const target = find(view, byKey(view.content.items, key));
      if (!target) continue;
      map[target.item.codename] = itemJson(view, target, bases, projection);
      addComponents(view, target, map, bases, projection);
      next.push(target);
    }
    level = next;
  }
  return map;
}

function addComponents(
  view: View,
  found: Found,
  map: Record<string, JsonItem>,
  bases: Bases,
  projection: Projection,
): void {
  for (const component of componentsOf(view, found.item.type, found.version.values, projection)) {
    const json = componentJson(view, found, component, bases, projection);
    map[json.system.codename] = json;
  }
}

/** Components of an item, nested ones included, as far as the elements that remain embed them. */
function componentsOf(
  view: View,
  type: string,
  values: OracleValues,
  projection: Projection,
): OracleComponent[] {
  return keptFields(view, type, projection)
    .filter(({ element }) => element.kind === 'rich_text')
    .flatMap(({ element }) => embeddedComponents(richTextOf(values[element.key])))
    .flatMap((component) => [component, ...componentsOf(view, component.type, component.values, projection)]);
}

/** Keys of the items an item links to, also from inside its components: those are part of it. */
function linksOf(view: View, found: Found, projection: Projection): string[] {
  const parts = [
    { type: found.item.type, values: found.version.values },
    ...componentsOf(view, found.item.type, found.version.values, projection),
  ];
  return parts.flatMap(({ type, values }) =>
    keptFields(view, type, projection).flatMap(({ element }) => {
      if (element.kind === 'modular_content') return [...keysOf(values[element.key])];
      return element.kind === 'rich_text' ? embeddedItems(richTextOf(values[element.key])) : [];
    }),
  );
}
