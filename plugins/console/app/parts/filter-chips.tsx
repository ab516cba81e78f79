import type { AddressState } from './address-state.ts';

interface FilterChipsProps<Name extends string> {
  readonly state: AddressState<NoInfer<Name>>;
  /** All filters of the list. */
  readonly names: readonly Name[];
  /** The filter that is set, in words. */
  textOf(name: NoInfer<Name>): string;
  readonly texts: {
    readonly activeFilters: string;
    readonly clearFilters: string;
    removeFilter(what: string): string;
  };
}

/** What is filtered; each filter can be removed, and all of them. */
export function FilterChips<Name extends string>({ state, names, textOf, texts }: FilterChipsProps<Name>) {
  const active = names.filter((name) => state.get(name) !== '');
  if (active.length === 0) return null;
  const clear = (removed: readonly Name[]) =>
    state.set(Object.fromEntries(removed.map((name) => [name, ''])) as Partial<Record<Name, string>>);
  return (
    <ul class="chips" aria-label={texts.activeFilters}>
      {active.map((name) => (
        <li key={name}>
          <button type="button" aria-label={texts.removeFilter(textOf(name))} onClick={() => clear([name])}>
            {textOf(name)} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" onClick={() => clear(names)}>
          {texts.clearFilters}
        </button>
      </li>
    </ul>
  );
}
