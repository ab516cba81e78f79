/** What the list of assets shows. All of it is in the address, the filters under the names of the listing call. */
import { useSearchParams } from 'wouter-preact';

export const FILTERS = ['text', 'type', 'folder', 'undescribed', 'unused'] as const;
export type FilterName = (typeof FILTERS)[number];

const ORDER = ['order', 'descending'] as const;
type Name = FilterName | (typeof ORDER)[number] | 'view' | 'edit';

export interface AssetState {
  /** Empty where it is not given. */
  get(name: Name): string;
  /** @param replaces no step in the history: for what is typed */
  set(values: Readonly<Partial<Record<Name, string>>>, replaces?: boolean): void;
  /** Filters and order, as a query of the listing. */
  readonly query: string;
  /** Only the filters. */
  readonly filter: string;
}

export function useAssetState(): AssetState {
  const [search, setSearch] = useSearchParams();
  const queryOf = (names: readonly Name[]) =>
    new URLSearchParams(
      names.flatMap((name) => {
        const value = search.get(name) ?? '';
        return value === '' ? [] : [[name, value]];
      }),
    ).toString();
  return {
    get: (name) => search.get(name) ?? '',
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
    query: queryOf([...FILTERS, ...ORDER]),
    filter: queryOf(FILTERS),
  };
}
