/** Filters over system attributes and element values (spec 4.1, and the operators `eq`, `neq`, `nin`, `empty`, `nempty`). */
import { compareCodePoints } from './code-points.ts';
import { byKey, fieldsOf, type OracleKind } from './content.ts';
import { itemJson } from './item-json.ts';
import type { Bases } from './urls.ts';
import type { Found, View } from './view.ts';

export const OPERATORS: readonly string[] = [
  'eq',
  'neq',
  'lt',
  'lte',
  'gt',
  'gte',
  'range',
  'in',
  'nin',
  'contains',
  'any',
  'all',
  'empty',
  'nempty',
];

export interface Filter {
  /** `system.<name>` or `elements.<codename>` */
  readonly attribute: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export function isOperator(name: string): boolean {
  return OPERATORS.includes(name);
}

/** A value as filters see it. */
export type Facet =
  | { readonly is: 'text'; readonly value: string | null; readonly time?: true }
  | { readonly is: 'number'; readonly value: number | null }
  | { readonly is: 'rich'; readonly value: string; readonly empty: boolean }
  | { readonly is: 'array'; readonly members: readonly string[] };

const ARRAY_KINDS: readonly OracleKind[] = ['asset', 'modular_content', 'multiple_choice', 'taxonomy'];

/** The attribute of the item, undefined when there is no such attribute or its type has no such element. */
export function facetOf(view: View, found: Found, attribute: string, bases: Bases): Facet | undefined {
  if (attribute.startsWith('system.')) {
    const name = attribute.slice('system.'.length);
    const json = itemJson(view, found, bases, []);
    if (name === 'sitemap_locations') return { is: 'array', members: json.system.sitemap_locations };
    if (name === 'last_modified') return { is: 'text', value: json.system.last_modified, time: true };
    if (name === 'id' || name === 'name' || name === 'codename' || name === 'type' || name === 'language')
      return { is: 'text', value: json.system[name] };
    return undefined;
  }
  const codename = attribute.slice('elements.'.length);
  const field = fieldsOf(view.content, byKey(view.content.types, found.item.type)).find(
    (candidate) => candidate.codename === codename,
  );
  if (!field) return undefined;
  // The other elements would take most of the time of all tests with many conditions.
  const json = itemJson(view, found, bases, [codename]);
  const { value, modular_content } = json.elements[codename]!;
  if (ARRAY_KINDS.includes(field.element.kind))
    return { is: 'array', members: membersOf(field.element.kind, value) };
  if (field.element.kind === 'number') return { is: 'number', value: value as number | null };
  if (field.element.kind === 'rich_text') {
    const empty = value === '<p><br></p>' && (modular_content as unknown[]).length === 0;
    return { is: 'rich', value: value as string, empty };
  }
  return { is: 'text', value: value as string | null };
}

/** Assets by file name, all others by codename. */
function membersOf(kind: OracleKind, value: unknown): string[] {
  if (kind === 'modular_content') return value as string[];
  if (kind === 'asset') return (value as { name: string }[]).map((asset) => asset.name);
  return (value as { codename: string }[]).map((entry) => entry.codename);
}

export function passes(view: View, found: Found, filter: Filter, bases: Bases): boolean {
  const facet = facetOf(view, found, filter.attribute, bases);
  if (!facet) return false;
  if (filter.operator === 'empty') return isEmpty(facet);
  if (filter.operator === 'nempty') return !isEmpty(facet);
  return facet.is === 'array' ? passesArray(facet.members, filter) : passesSimple(facet, filter);
}

function isEmpty(facet: Facet): boolean {
  if (facet.is === 'array') return facet.members.length === 0;
  return facet.is === 'rich' ? facet.empty : facet.value === null || facet.value === '';
}

function passesArray(members: readonly string[], { operator, values }: Filter): boolean {
  switch (operator) {
    case 'contains':
      return members.includes(values[0]!);
    case 'any':
      return values.some((value) => members.includes(value));
    case 'all':
      return values.every((value) => members.includes(value));
    default:
      return false;
  }
}

function passesSimple(facet: Exclude<Facet, { is: 'array' }>, { operator, values }: Filter): boolean {
  // Below 0, 0 or above 0; undefined where there is nothing to compare.
  const compared = values.map((value) => compare(facet, value));
  const equal = compared.some((result) => result === 0);
  const [first, second] = compared;
  switch (operator) {
    case 'eq':
    case 'in':
      return equal;
    case 'neq':
    case 'nin':
      return !equal;
    case 'lt':
      return first !== undefined && first < 0;
    case 'lte':
      return first !== undefined && first <= 0;
    case 'gt':
      return first !== undefined && first > 0;
    case 'gte':
      return first !== undefined && first >= 0;
    case 'range':
      return first !== undefined && second !== undefined && first >= 0 && second <= 0;
    default:
      return false;
  }
}

function compare(facet: Exclude<Facet, { is: 'array' }>, value: string): number | undefined {
  if (facet.value === null) return undefined;
  if (facet.is === 'number') {
    const number = readNumber(value);
    return number === undefined ? undefined : facet.value - number;
  }
  const other = facet.is === 'text' && facet.time ? padTime(value) : value;
  return compareCodePoints(facet.value, other);
}

function readNumber(value: string): number | undefined {
  return /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined;
}

/** A full ISO time gets the seven fraction digits of `last_modified`; anything else is compared as it is. */
function padTime(value: string): string {
  const [, whole, fraction] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?Z$/.exec(value) ?? [];
  return whole === undefined ? value : `${whole}.${(fraction ?? '').padEnd(7, '0')}Z`;
}
