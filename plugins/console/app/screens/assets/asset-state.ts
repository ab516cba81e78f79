import { type AddressState, useAddressState } from '../../parts/address-state.ts';

export const FILTERS = ['text', 'type', 'folder', 'undescribed', 'unused'] as const;
export type FilterName = (typeof FILTERS)[number];

const ORDER = ['order', 'descending'] as const;
type Name = FilterName | (typeof ORDER)[number] | 'view' | 'edit';

/** What the list of assets shows. */
export interface AssetState extends AddressState<Name> {
  /** Filters and order, as a query of the listing. */
  readonly query: string;
  /** Only the filters. */
  readonly filter: string;
}

export function useAssetState(): AssetState {
  const { search: _, ...state } = useAddressState<Name>();
  const queryOf = (names: readonly Name[]) =>
    new URLSearchParams(
      names.flatMap((name) => (state.get(name) === '' ? [] : [[name, state.get(name)]])),
    ).toString();
  return { ...state, query: queryOf([...FILTERS, ...ORDER]), filter: queryOf(FILTERS) };
}
