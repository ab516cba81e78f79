import { type AddressState, useAddressState } from '../parts/address-state.ts';
import { FILTERS, listQuery, type Name } from './list-query.ts';

/** What a content list shows. */
export interface ListState extends AddressState<Name> {
  /** Everything, as a query of the listing; days become instants. */
  readonly query: string;
  /** Only what selects items: what an act on all of them sends. */
  readonly filter: string;
}

export function useListState(): ListState {
  const { search, ...state } = useAddressState<Name>();
  return { ...state, query: listQuery(search), filter: listQuery(search, [...FILTERS, 'language']) };
}
