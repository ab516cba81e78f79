import { ServiceError } from '../errors.ts';
import { type DeliveryParameter, isReserved } from '../http/delivery-parameters.ts';
import { isOperator, OPERATORS, type Operator } from './operators.ts';

/** A parameter as received, decoded; `value` is null for a bare name. */
export interface Parameter {
  readonly name: string;
  readonly value: string | null;
}

export interface Filter {
  readonly scope: 'system' | 'elements';
  /** Attribute of the system object, or codename of an element. */
  readonly name: string;
  readonly operator: Operator;
  /** Split at commas where the operator takes several. */
  readonly values: readonly string[];
}

export interface OrderBy {
  readonly scope: 'system' | 'elements';
  readonly name: string;
  readonly descending: boolean;
}

/** The query of a delivery request (spec 4.1), checked as far as that needs no model. */
export interface DeliveryQuery {
  readonly language: string | null;
  /** Element codenames; null = no projection. */
  readonly elements: readonly string[] | null;
  readonly depth: number;
  readonly skip: number;
  /** null = all entries */
  readonly limit: number | null;
  readonly order: OrderBy | null;
  readonly includeTotalCount: boolean;
  readonly filters: readonly Filter[];
  /** All known parameters in the order given: `next_page` repeats them. */
  readonly parameters: readonly Parameter[];
}

const INT32_MAX = 2_147_483_647;
/** Each can be a test of its own on every candidate; a statement takes less than a thousand. */
const CONDITION_LIMIT = 200;
const SYSTEM_ATTRIBUTES: ReadonlySet<string> = new Set([
  'id',
  'name',
  'codename',
  'type',
  'language',
  'sitemap_locations',
  'last_modified',
]);

/**
 * Decodes and checks a query string. Unknown names are ignored: newer clients add parameters.
 * @throws ServiceError 1000–1009, and badRequest for broken percent-encoding
 */
export function parseQuery(query: string): DeliveryQuery {
  const given: Partial<Record<DeliveryParameter, string>> = {};
  const filters: Filter[] = [];
  const parameters: Parameter[] = [];
  let conditions = 0;
  for (const parameter of splitQuery(query)) {
    const { name, value } = parameter;
    if (isReserved(name)) {
      if (name in given) throw onlyOnce(name);
      given[name] = value ?? '';
    } else {
      const filter = parseFilter(name, value ?? '');
      if (!filter) continue;
      conditions += filter.operator === 'all' ? filter.values.length : 1;
      if (conditions > CONDITION_LIMIT)
        throw new ServiceError('badRequest', `A query can have at most ${CONDITION_LIMIT} filters.`);
      filters.push(filter);
    }
    parameters.push(parameter);
  }
  return {
    language: given.language || null,
    elements: given.elements === undefined ? null : parseElements(given.elements),
    depth: given.depth === undefined ? 1 : parseCount('depth', given.depth, 0),
    skip: given.skip === undefined ? 0 : parseCount('skip', given.skip, 0),
    limit: given.limit === undefined ? null : parseCount('limit', given.limit, 1),
    order: given.order === undefined ? null : parseOrder(given.order),
    includeTotalCount: ['', '1', 'true'].includes(given.includeTotalCount?.toLowerCase() ?? 'false'),
    filters,
    parameters,
  };
}

/**
 * Of the parameters of a listing those that make sense for one item.
 * @throws as `parseQuery`
 */
export function parseItemQuery(query: string): DeliveryQuery {
  return { ...parseQuery(query), skip: 0, limit: 1, order: null, includeTotalCount: false };
}

/** `a=b&c` → decoded pairs. `+` is a space: one client form-encodes. */
export function splitQuery(query: string): Parameter[] {
  if (query === '') return [];
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0
        ? { name: decode(part), value: null }
        : { name: decode(part.slice(0, at)), value: decode(part.slice(at + 1)) };
    });
}

function decode(text: string): string {
  try {
    const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
    const decoded = spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
    if (!decoded.includes('\0')) return decoded;
  } catch {}
  throw new ServiceError('badRequest', 'The query string is not valid percent-encoded UTF-8.');
}

function parseFilter(name: string, value: string): Filter | null {
  const bracket = name.indexOf('[');
  const attribute = bracket < 0 ? name : name.slice(0, bracket);
  const dot = attribute.indexOf('.');
  if (dot < 0) {
    if (bracket >= 0 && (isReserved(attribute) || attribute === 'system'))
      throw new ServiceError(
        'reservedParameter',
        `'${attribute}' is a reserved parameter and takes no operator. To filter by an element of that name, write 'elements.${attribute}'.`,
      );
    return null;
  }
  const scope = attribute.slice(0, dot);
  if (scope !== 'system' && scope !== 'elements') return null;
  const operator = bracket < 0 ? 'eq' : name.slice(bracket + 1, -1);
  if (!isOperator(operator) || (bracket >= 0 && !name.endsWith(']')))
    throw new ServiceError(
      'unknownOperator',
      `'${bracket < 0 ? operator : name.slice(bracket)}' is not a filter operator. Use one of ${Object.keys(
        OPERATORS,
      )
        .map((known) => `[${known}]`)
        .join(', ')}.`,
    );
  const values = OPERATORS[operator].takesList ? value.split(',') : [value];
  if (operator === 'range' && (values.length !== 2 || values.includes('')))
    throw new ServiceError('rangeNeedsTwoValues', `'${name}' needs two values, as in '${name}=1,5'.`);
  return { scope, name: attribute.slice(dot + 1), operator, values };
}

function parseElements(value: string): string[] {
  const names = value.split(',').map((name) => name.trim());
  if (names.some((name) => name === ''))
    throw new ServiceError(
      'projectionNeedsNames',
      "'elements' needs the codenames of elements, separated by commas.",
    );
  return names;
}

function parseCount(name: string, value: string, least: 0 | 1): number {
  const number = /^\+?\d{1,10}$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (number >= least && number <= INT32_MAX) return number;
  throw least === 1
    ? new ServiceError('notPositive', `'${name}' must be a positive integer, at most ${INT32_MAX}.`)
    : new ServiceError(
        'notPositiveOrZero',
        `'${name}' must be a positive integer or zero, at most ${INT32_MAX}.`,
      );
}

function parseOrder(value: string): OrderBy {
  if (value.includes(',')) throw new ServiceError('orderOnce', "'order' takes one attribute only.");
  const bracket = value.indexOf('[');
  const attribute = bracket < 0 ? value : value.slice(0, bracket);
  const direction = bracket < 0 ? 'asc' : value.slice(bracket + 1, -1).toLowerCase();
  const dot = attribute.indexOf('.');
  const scope = attribute.slice(0, dot);
  const name = attribute.slice(dot + 1);
  if (
    (scope !== 'system' && scope !== 'elements') ||
    name === '' ||
    (scope === 'system' && !SYSTEM_ATTRIBUTES.has(name))
  )
    throw new ServiceError(
      'orderAttribute',
      "'order' takes an attribute of the system object or an element, as in 'system.last_modified[desc]' or 'elements.title[asc]'.",
    );
  if ((direction !== 'asc' && direction !== 'desc') || (bracket >= 0 && !value.endsWith(']')))
    throw new ServiceError('orderDirection', "The direction of 'order' must be [asc] or [desc].");
  return { scope, name, descending: direction === 'desc' };
}

function onlyOnce(name: string): ServiceError {
  return name === 'order'
    ? new ServiceError('orderOnce', "'order' may be given once only.")
    : new ServiceError('parameterOnce', `'${name}' may be given once only.`);
}
