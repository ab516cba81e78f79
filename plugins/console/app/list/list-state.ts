/** What a content list shows. All of it is in the address, under the names of the listing call. */
import { useSearchParams } from 'wouter-preact';

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
type Name = FilterName | (typeof OTHERS)[number];

export interface ListState {
  /** Empty where it is not given. */
  get(name: Name): string;
  /** @param replaces no step in the history: for what is typed */
  set(values: Readonly<Partial<Record<Name, string>>>, replaces?: boolean): void;
  /** Everything, as a query of the listing; days become instants. */
  readonly query: string;
  /** Only what selects items: what an act on all of them sends. */
  readonly filter: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

export function useListState(): ListState {
  const [search, setSearch] = useSearchParams();
  const textOf = (name: Name) => search.get(name) ?? '';
  const queryOf = (names: readonly Name[]) =>
    new URLSearchParams(
      names.flatMap((name) => {
        const value = textOf(name);
        return value === '' ? [] : [[name, instantOf(name, value)]];
      }),
    ).toString();
  return {
    get: textOf,
    set(values, replaces = false) {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values))
            if (value === '') next.delete(name);
            else next.set(name, value);
          return next;
        },
        { replace: replaces },
      );
    },
    query: queryOf([...FILTERS, ...OTHERS]),
    filter: queryOf([...FILTERS, 'language']),
  };
}

/** The day begins where this person is, and the last one is included. */
function instantOf(name: Name, value: string): string {
  if (!DAY.test(value) || !name.startsWith('changed_')) return value;
  const day = new Date(`${value}T00:00:00`);
  if (Number.isNaN(day.getTime())) return value;
  if (name === 'changed_before') day.setDate(day.getDate() + 1);
  return day.toISOString();
}
