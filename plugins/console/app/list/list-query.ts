/** The names of everything that a content list shows; its address and the listing call have the same. */

/** Filters that can be removed one by one. */
export const FILTERS = [
  'text',
  'type',
  'state',
  'term',
  'location',
  'author',
  'changed_from',
  'changed_before',
] as const;
export type FilterName = (typeof FILTERS)[number];

const OTHERS = ['language', 'beside', 'order', 'descending', 'elements'] as const;
/** `add`: the dialog that creates an item is open; the listing call has no such parameter. */
export type Name = FilterName | (typeof OTHERS)[number] | 'add';

/** Rows of a page. */
export const PAGE = 50;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** What an address selects, as a query of the listing; days become instants. */
export function listQuery(search: URLSearchParams, names: readonly Name[] = [...FILTERS, ...OTHERS]): string {
  return new URLSearchParams(
    names.flatMap((name): [string, string][] => {
      const value = search.get(name) ?? '';
      return value === '' ? [] : [[name, instantOf(name, value)]];
    }),
  ).toString();
}

/** The listing call. @param query from `listQuery` */
export function listPath(project: string, query: string, offset: number): string {
  return `admin/projects/${project}/content?${query === '' ? '' : `${query}&`}offset=${offset}&limit=${PAGE}`;
}

/** The day begins where this person is, and the last one is included. */
function instantOf(name: Name, value: string): string {
  if (!DAY.test(value) || !name.startsWith('changed_')) return value;
  const day = new Date(`${value}T00:00:00`);
  if (Number.isNaN(day.getTime())) return value;
  if (name === 'changed_before') day.setDate(day.getDate() + 1);
  return day.toISOString();
}
