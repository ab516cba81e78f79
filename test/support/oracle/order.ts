/** Order of a listing (spec 4.1 `order`, missing values last, ties by codename). */
import { compareCodePoints } from './code-points.ts';
import { facetOf } from './filters.ts';
import type { Bases } from './urls.ts';
import type { Found, View } from './view.ts';

export interface Order {
  readonly attribute: string;
  readonly descending: boolean;
}

export function inOrder(view: View, founds: readonly Found[], order: Order, bases: Bases): Found[] {
  const keyed = founds.map((found) => ({ found, key: keyOf(view, found, order.attribute, bases) }));
  keyed.sort((a, b) => {
    const byCodename = compareCodePoints(a.found.item.codename, b.found.item.codename);
    if (a.key === null || b.key === null) {
      if (a.key === null && b.key === null) return byCodename;
      return a.key === null ? 1 : -1;
    }
    const byKey = compareKeys(a.key, b.key);
    return (order.descending ? -byKey : byKey) || byCodename;
  });
  return keyed.map(({ found }) => found);
}

/** null where there is nothing to order by: no such element, an empty one, an array. */
function keyOf(view: View, found: Found, attribute: string, bases: Bases): string | number | null {
  const facet = facetOf(view, found, attribute, bases);
  return facet === undefined || facet.is === 'array' ? null : facet.value;
}

/** Where types disagree about the kind of an element, its numbers come before its texts. */
function compareKeys(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  return typeof a === 'number' ? -1 : 1;
}
