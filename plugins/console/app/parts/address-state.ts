import { useSearchParams } from 'wouter-preact';

/** What a list shows. All of it is in the address, the filters under the names of the listing call. */
export interface AddressState<Name extends string> {
  /** Empty where it is not given. */
  get(name: Name): string;
  /** @param replaces no step in the history: for what is typed */
  set(values: Readonly<Partial<Record<Name, string>>>, replaces?: boolean): void;
}

export function useAddressState<Name extends string>(): AddressState<Name> & {
  readonly search: URLSearchParams;
} {
  const [search, setSearch] = useSearchParams();
  return {
    search,
    get: (name) => search.get(name) ?? '',
    set(values, replaces = false) {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries<string | undefined>(values))
            if (value === '' || value === undefined) next.delete(name);
            else next.set(name, value);
          return next;
        },
        { replace: replaces },
      );
    },
  };
}
