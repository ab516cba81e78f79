/** The query string of an items request (spec 4.1). */
import { type Filter, isOperator } from './filters.ts';
import type { Order } from './order.ts';
import type { Pairs } from './urls.ts';

/** An error answer: status and `error_code`. */
export class OracleError extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number) {
    super(`${status}, error code ${code}`);
    this.status = status;
    this.code = code;
  }
}

export interface Query {
  /** What `next_page` repeats: known parameters, decoded, in the order given. */
  readonly pairs: Pairs;
  readonly filters: readonly Filter[];
  readonly order: Order;
  readonly language: string | undefined;
  readonly projection: readonly string[] | undefined;
  readonly depth: number;
  readonly skip: number;
  readonly limit: number | undefined;
  readonly total: boolean;
}

const SYSTEM = ['id', 'name', 'codename', 'type', 'language', 'sitemap_locations', 'last_modified'];
const INT32_MAX = 2 ** 31 - 1;

/** Reserved names by endpoint; what an endpoint does not know it ignores. */
export type Reserved = 'elements' | 'depth' | 'skip' | 'limit' | 'order' | 'language' | 'includeTotalCount';
const ALL: readonly Reserved[] = [
  'elements',
  'depth',
  'skip',
  'limit',
  'order',
  'language',
  'includeTotalCount',
];

export function readQuery(text: string): Query {
  const filters: Filter[] = [];
  const given = new Map<string, string>();
  const pairs: [string, string][] = [];
  for (const [name, value] of decodePairs(text)) {
    const [, attribute, operator] = /^([^[]*)(?:\[([^\]]*)\])?$/.exec(name) ?? [];
    if (attribute === undefined) continue;
    if (isReserved(attribute)) {
      if (operator !== undefined) throw new OracleError(400, 1004);
      if (given.has(attribute)) throw new OracleError(400, attribute === 'order' ? 1009 : 1003);
      given.set(attribute, value);
    } else if (/^(system|elements)\../.test(attribute)) {
      if (operator !== undefined && !isOperator(operator)) throw new OracleError(400, 1002);
      filters.push(readFilter(attribute, operator, value));
    } else {
      continue;
    }
    pairs.push([name, value]);
  }
  const total = given.get('includeTotalCount');
  return {
    pairs,
    filters,
    order: readOrder(given.get('order')),
    language: given.get('language') || undefined,
    projection: readProjection(given.get('elements')),
    depth: readInteger(given.get('depth'), 0, 1006) ?? 1,
    skip: readInteger(given.get('skip'), 0, 1006) ?? 0,
    limit: readInteger(given.get('limit'), 1, 1005),
    total: total === '' || total === '1' || total === 'true',
  };
}

/** Form decoding: `+` is a space, a bare name has the value `''`. */
export function decodePairs(text: string): [string, string][] {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new OracleError(400, 2);
  }
}

function isReserved(name: string): name is Reserved {
  return (ALL as readonly string[]).includes(name);
}

function readFilter(attribute: string, operator: string | undefined, value: string): Filter {
  const values = ['in', 'nin', 'any', 'all', 'range'].includes(operator ?? '') ? value.split(',') : [value];
  const filter = { attribute, operator: operator ?? 'eq', values };
  if (operator === 'range' && (values.length !== 2 || values.includes(''))) throw new OracleError(400, 1000);
  return filter;
}

function readOrder(value: string | undefined): Order {
  if (value === undefined) return { attribute: 'system.codename', descending: false };
  if (value.includes(',')) throw new OracleError(400, 1009);
  const [, attribute, direction = 'asc'] = /^([^[]*)(?:\[([^\]]*)\])?$/.exec(value) ?? [];
  const known = SYSTEM.map((name) => `system.${name}`);
  if (attribute === undefined || !(known.includes(attribute) || /^elements\../.test(attribute)))
    throw new OracleError(400, 1008);
  if (!/^(asc|desc)$/i.test(direction)) throw new OracleError(400, 1007);
  return { attribute, descending: direction.toLowerCase() === 'desc' };
}

function readProjection(value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = value.split(',').map((name) => name.trim());
  if (names.includes('')) throw new OracleError(400, 1001);
  return names;
}

function readInteger(value: string | undefined, least: number, code: number): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new OracleError(400, code);
  const number = Number(value);
  if (number < least || number > INT32_MAX) throw new OracleError(400, code);
  return number;
}
