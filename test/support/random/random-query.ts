/** Random queries over random content: most of them are valid and match items, some do not. */
import type { OracleChannel, OracleContent, OracleField } from '../oracle/content.ts';
import { fieldsOf } from '../oracle/content.ts';
import type { Facet } from '../oracle/filters.ts';
import { facetOf } from '../oracle/filters.ts';
import type { Bases } from '../oracle/urls.ts';
import { findAll, openView, type View } from '../oracle/view.ts';
import type { Random } from './random.ts';
import { number, text } from './texts.ts';

export interface RandomQuery {
  /** Below the project. */
  readonly path: string;
  /** Parameters, decoded, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly channel: OracleChannel;
}

const SIMPLE = [
  '',
  '',
  '',
  '[eq]',
  '[neq]',
  '[lt]',
  '[lte]',
  '[gt]',
  '[gte]',
  '[range]',
  '[in]',
  '[in]',
  '[nin]',
];
const ARRAY = ['[contains]', '[contains]', '[any]', '[all]'];
const EITHER = ['[empty]', '[nempty]'];
/** The operators that random queries use. */
export const RANDOM_OPERATORS: ReadonlySet<string> = new Set(
  [...SIMPLE, ...ARRAY, ...EITHER]
    .filter((operator) => operator !== '')
    .map((operator) => operator.slice(1, -1)),
);
const SYSTEM = [
  'id',
  'name',
  'codename',
  'type',
  'language',
  'last_modified',
  'sitemap_locations',
  'type',
  'collection',
];

/** What clients get wrong; the same everywhere, since all resources read the query alike. */
const MISTAKES: readonly (readonly [string, string])[] = [
  ['limit', '0'],
  ['limit', '-1'],
  ['skip', 'x'],
  ['depth', '2147483648'],
  ['order', 'title[asc]'],
  ['order', 'system.name[upwards]'],
  ['order', 'system.name[asc],system.id[asc]'],
  ['elements', ''],
  ['limit[lt]', '3'],
  ['system.type[like]', 'a'],
  ['elements.title[range]', '1'],
  ['skip', '0'],
  ['unknown', 'of'],
  ['unknown[lt]', '1'],
];

export function randomQuery(random: Random, content: OracleContent, bases: Bases): RandomQuery {
  const channel = random.pick(['published', 'latest'] as const);
  const language = random.chance(0.6) ? languageName(random, content) : undefined;
  const view = openView(content, channel, language);
  const parameters: (readonly [string, string])[] = language === undefined ? [] : [['language', language]];
  const path = randomPath(random, content);
  if (path.startsWith('/items')) addItemParameters(random, view, path, parameters, bases);
  else addModelParameters(random, view, path, parameters);
  // Where nothing is found the one or the other error may come first.
  if (!path.includes('no_such') && random.chance(0.06)) parameters.push(random.pick(MISTAKES));
  return { path, parameters: random.shuffled(parameters), channel };
}

function randomPath(random: Random, content: OracleContent): string {
  if (random.chance(0.72)) return '/items';
  const codename = (things: readonly { codename: string }[]) =>
    things.length === 0 || random.chance(0.1) ? 'no_such_thing' : random.pick(things).codename;
  switch (random.int(0, 8)) {
    case 0:
      return '/types';
    case 1:
      return `/types/${codename(content.types)}`;
    case 2: {
      const type = random.pick(content.types);
      return `/types/${type.codename}/elements/${codename(fieldsOf(content, type))}`;
    }
    case 3:
      return random.chance(0.5) ? '/taxonomies' : '/languages';
    case 4:
      return `/taxonomies/${codename(content.taxonomies)}`;
    case 5:
      return '/items-feed';
    default:
      return `/items/${codename(content.items)}`;
  }
}

function addItemParameters(
  random: Random,
  view: View,
  path: string,
  parameters: (readonly [string, string])[],
  bases: Bases,
): void {
  const feed = path === '/items-feed';
  const listing = path === '/items';
  if (random.chance(0.35)) parameters.push(['elements', projection(random, view)]);
  if (!feed && random.chance(0.5)) parameters.push(['depth', String(random.pick([0, 1, 2, 3, 6, 100]))]);
  if (!listing && !feed && random.chance(0.7)) return;
  for (let filters = random.pick([0, 0, 1, 1, 1, 2, 3]); filters > 0; filters -= 1) {
    parameters.push(randomFilter(random, view, bases));
  }
  if (!listing) return;
  if (random.chance(0.5)) parameters.push(['order', orderBeside(random, view, bases, parameters)]);
  addPaging(random, parameters);
  if (random.chance(0.3)) parameters.push(['includeTotalCount', random.pick(['', '1', 'true'])]);
}

function addPaging(random: Random, parameters: (readonly [string, string])[]): void {
  if (random.chance(0.45)) parameters.push(['limit', String(random.pick([1, 2, 3, 5, 10, 1000]))]);
  if (random.chance(0.3)) parameters.push(['skip', String(random.pick([0, 1, 2, 3, 7, 1000]))]);
}

function addModelParameters(
  random: Random,
  view: View,
  path: string,
  parameters: (readonly [string, string])[],
): void {
  if (['/types', '/taxonomies', '/languages'].includes(path)) addPaging(random, parameters);
  if (path.startsWith('/types') && !path.includes('/elements/') && random.chance(0.4))
    parameters.push(['elements', projection(random, view)]);
}

function languageName(random: Random, { languages }: OracleContent): string {
  return random.chance(0.1) ? random.pick(['xx', 'EN-us', '']) : random.pick(languages).codename;
}

/** Codenames of elements, each once, more likely those that exist. */
function codenames(view: View): string[] {
  const all = view.content.types.flatMap((type) => fieldsOf(view.content, type));
  return [...new Set(all.map((field) => field.codename))];
}

function projection(random: Random, view: View): string {
  const names = random.some(codenames(view), 5);
  if (names.length === 0 || random.chance(0.1)) names.push('no_such_element');
  return names.join(',');
}

/** An order, more often than by chance one on an attribute of a filter. */
function orderBeside(
  random: Random,
  view: View,
  bases: Bases,
  parameters: readonly (readonly [string, string])[],
): string {
  const attributes = parameters.map(([name]) => name.replace(/\[.*/, ''));
  const orders = random.times(1, 8, () => randomOrder(random, view, bases));
  return orders.find((order) => attributes.includes(order.replace(/\[.*/, ''))) ?? random.pick(orders);
}

function randomOrder(random: Random, view: View, bases: Bases): string {
  const direction = random.pick(['[asc]', '[desc]', '[ASC]']);
  if (random.chance(0.4)) return `system.${random.pick(SYSTEM.slice(0, -1))}${direction}`;
  const orderable = codenames(view).filter(
    (codename) => kindsOf(view, codename) !== 'mixed' && !refers(view, codename, bases),
  );
  const codename = random.chance(0.05) || orderable.length === 0 ? 'no_such_element' : random.pick(orderable);
  return `elements.${codename}${direction}`;
}

/** Whether the types that have such an element agree that its values are numbers, or texts. */
function kindsOf(view: View, codename: string): 'number' | 'text' | 'mixed' {
  const fields: OracleField[] = view.content.types
    .flatMap((type) => fieldsOf(view.content, type))
    .filter((field) => field.codename === codename);
  const numbers = fields.filter((field) => field.element.kind === 'number').length;
  if (numbers === 0) return 'text';
  return numbers === fields.length ? 'number' : 'mixed';
}

/** Rich text that refers to things has no spelling of its own to order by. */
function refers(view: View, codename: string, bases: Bases): boolean {
  return findAll(view)
    .map((found) => facetOf(view, found, `elements.${codename}`, bases))
    .some((facet) => facet?.is === 'rich' && facet.value.includes('data-'));
}

/** A listing with many conditions on few attributes: all must hold, however they overlap or contradict each other. */
export function randomRepetition(random: Random, content: OracleContent, bases: Bases): RandomQuery {
  const channel = random.pick(['published', 'latest'] as const);
  const view = openView(content, channel, undefined);
  const attributes = random.times(1, 2, () => randomAttribute(random, view));
  const parameters: (readonly [string, string])[] = random.times(2, 9, () =>
    randomFilter(random, view, bases, random.pick(attributes)),
  );
  // The same one twice, now and then.
  if (random.chance(0.3)) parameters.push(random.pick(parameters));
  addPaging(random, parameters);
  if (random.chance(0.5)) parameters.push(['includeTotalCount', 'true']);
  if (random.chance(0.3)) parameters.push(['order', randomOrder(random, view, bases)]);
  return { path: '/items', parameters: random.shuffled(parameters), channel };
}

function randomAttribute(random: Random, view: View): string {
  return random.chance(0.35)
    ? `system.${random.pick(SYSTEM)}`
    : `elements.${random.chance(0.04) ? 'no_such_element' : random.pick([...codenames(view), 'title'])}`;
}

function randomFilter(
  random: Random,
  view: View,
  bases: Bases,
  attribute = randomAttribute(random, view),
): [string, string] {
  const facets = findAll(view).flatMap((found) => facetOf(view, found, attribute, bases) ?? []);
  const facet = facets.length === 0 ? undefined : random.pick(facets);
  const rich = facets.some(({ is }) => is === 'rich');
  let operators = facet?.is === 'array' ? ARRAY : SIMPLE;
  // Rich text that refers to things has no spelling of its own a reader could order by.
  if (rich) operators = ['', '[eq]', '[neq]', '[in]', '[nin]'];
  if (random.chance(0.15)) operators = EITHER;
  if (random.chance(0.06) && !rich) operators = [...SIMPLE, ...ARRAY];
  const operator = random.pick(operators);
  if (operator === '[empty]' || operator === '[nempty]') return [attribute + operator, ''];
  const value = () => filterValue(random, facets);
  if (operator === '[range]') return [`${attribute}[range]`, range(random, value)];
  if (['[in]', '[nin]', '[any]', '[all]'].includes(operator))
    return [attribute + operator, random.times(1, 4, value).join(',')];
  return [attribute + operator, value()];
}

/** Two bounds that do not cross. */
function range(random: Random, value: () => string): string {
  const bounds = [value(), value()].map((bound) => bound.replaceAll(',', ''));
  const numbers = bounds.map(Number);
  const numeric = bounds.every((bound) => bound.trim() !== '') && numbers.every(Number.isFinite);
  const ordered = numeric ? numbers.sort((a, b) => a - b).map(String) : bounds.sort(byBytes);
  return random.chance(0.5) && !numeric ? `${ordered[0]},${ordered[0]}` : ordered.join(',');
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Mostly a value that some item has. */
function filterValue(random: Random, facets: readonly Facet[]): string {
  if (facets.length === 0 || random.chance(0.15))
    return random.chance(0.5) ? text(random) : String(number(random));
  const facet = random.pick(facets);
  switch (facet.is) {
    case 'array':
      return facet.members.length === 0 ? 'nothing' : random.pick(facet.members);
    case 'rich':
      return /data-|href/.test(facet.value) ? '<p>word</p>' : facet.value;
    case 'number':
      return facet.value === null ? '0' : random.pick([String(facet.value), String(facet.value + 0.5)]);
    case 'text': {
      const value = facet.value ?? '';
      // A time with fewer fraction digits is the same time.
      if (facet.time)
        return random.pick([value, value, value.replace(/0+Z$/, 'Z').replace('.Z', 'Z'), value.slice(0, 10)]);
      return value;
    }
  }
}

export type Style = 'raw' | 'percent' | 'form';

/** Writes parameters the ways clients do. */
export function queryText(parameters: RandomQuery['parameters'], style: Style): string {
  return parameters
    .map(([name, value]) => {
      const bare = value === '' && /\[n?empty\]$|^includeTotalCount$/.test(name) && style === 'raw';
      return bare ? encode(name, style) : `${encode(name, style)}=${encode(value, style)}`;
    })
    .join('&');
}

function encode(value: string, style: Style): string {
  const percent = encodeURIComponent(value);
  if (style === 'percent') return percent;
  if (style === 'form') return percent.replaceAll('%20', '+');
  return percent.replace(/%(5B|5D|2C|3A|2F|24|40)/g, decodeURIComponent);
}
