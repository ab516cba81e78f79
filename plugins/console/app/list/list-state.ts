/** What a content list shows. All of it is in the address, under the names of the listing call. */
import { useSearchParams } from 'wouter-preact';
import { FILTERS, listQuery, type Name } from './list-query.ts';

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

export function useListState(): ListState {
  const [search, setSearch] = useSearchParams();
  const textOf = (name: Name) => search.get(name) ?? '';
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
    query: listQuery(search),
    filter: listQuery(search, [...FILTERS, 'language']),
  };
}
