/** Changes somewhere in a JSON value. */
import type { Random } from '../random/random.ts';
import { hostileValue, stringify } from './hostile-values.ts';

/** Columns of rows whose texts are JSON. */
const EMBEDDED: ReadonlySet<string> = new Set([
  'terms',
  'elements',
  'content_groups',
  'sitemap',
  'asset_folders',
  'descriptions',
  'sitemap_locations',
]);

interface Place {
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
}

/** A text of JSON with one change in it, or in the JSON that is in it. `pool` has values of the same archive. */
export function mutateJson(text: string, random: Random, pool: readonly unknown[]): string {
  const root: { value: unknown } = { value: JSON.parse(text) };
  const places = placesIn(root as unknown as Place['holder']);
  const embedded = places.filter(
    ({ holder, key }) => EMBEDDED.has(String(key)) && typeof holder[key] === 'string',
  );
  if (embedded.length > 0 && random.chance(0.6)) {
    const { holder, key } = random.pick(embedded);
    try {
      holder[key] = mutateJson(String(holder[key]), random, pool);
    } catch {
      holder[key] = hostileValue(random);
    }
  } else change(random.pick(places), places, random, pool);
  return stringify(root.value);
}

function change(place: Place, places: readonly Place[], random: Random, pool: readonly unknown[]): void {
  const { holder, key } = place;
  const value = holder[key];
  switch (random.int(0, 8)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 1:
      if (Array.isArray(holder)) holder.splice(random.int(0, holder.length), 0, structuredClone(value));
      else holder[`${key}2`] = value;
      return;
    case 2:
    case 3:
      holder[key] = hostileValue(random);
      return;
    case 4:
    case 5:
      // Mostly an id or a codename of another kind of thing.
      holder[key] = structuredClone(random.pick(pool));
      return;
    case 6: {
      const other = random.pick(places);
      const taken = other.holder[other.key];
      if (isInside(value, other.holder) || isInside(taken, holder)) return;
      other.holder[other.key] = value;
      holder[key] = taken;
      return;
    }
    case 7:
      holder[key] = retyped(value, random);
      return;
    default:
      Object.defineProperty(holder, random.pick(['__proto__', 'constructor', 'unknown', 'id', 'archived']), {
        value: hostileValue(random),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
}

function retyped(value: unknown, random: Random): unknown {
  if (typeof value === 'string')
    return random.pick<unknown>([
      value.toUpperCase(),
      ` ${value}`,
      `${value}${value}`,
      [value],
      { id: value },
      value.length,
    ]);
  if (typeof value === 'number')
    return random.pick<unknown>([String(value), value + 1, -value - 1, value + 0.5, [value]]);
  return random.pick<unknown>([[value], { value }, JSON.stringify(value)]);
}

function placesIn(holder: Place['holder']): Place[] {
  const places: Place[] = [];
  const ahead = [holder];
  while (ahead.length > 0) {
    const next = ahead.pop();
    if (!next) continue;
    for (const key of Object.keys(next)) {
      places.push({ holder: next, key });
      const value = next[key];
      if (typeof value === 'object' && value !== null) ahead.push(value as Place['holder']);
    }
  }
  return places;
}

function isInside(value: unknown, holder: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value === holder || Object.values(value).some((inner) => isInside(inner, holder));
}
