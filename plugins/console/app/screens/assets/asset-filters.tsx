import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Named } from '../../list/project-data.ts';
import { Choice, Field } from '../../parts/field.tsx';
import { folderOptions, KINDS, type Leveled, NO_FOLDER } from './asset-data.ts';
import { type AssetState, FILTERS, type FilterName } from './asset-state.ts';
import { texts } from './texts.ts';

/** Pause after a key before the list is searched, ms. */
const TYPED = 150;

interface AssetFiltersProps {
  readonly state: AssetState;
  readonly folders: readonly Leveled[];
  readonly languages: readonly Named[];
}

/** Search and filters; what is filtered is shown as chips. */
export function AssetFilters({ state, folders, languages }: AssetFiltersProps) {
  const { any, kinds, ...own } = texts();
  const options: Readonly<Record<'type' | 'folder' | 'undescribed', { value: string; text: string }[]>> = {
    type: KINDS.map((value) => ({ value, text: kinds[value] })),
    folder: [{ value: NO_FOLDER, text: own.noFolder }, ...folderOptions(folders)],
    undescribed: languages.map(({ codename, name }) => ({ value: codename, text: name })),
  };
  const labels: Readonly<Record<FilterName, string>> = {
    text: own.search,
    type: own.kind,
    folder: own.folder,
    undescribed: own.undescribed,
    unused: own.unused,
  };
  const textOf = (name: FilterName): string => {
    if (name === 'unused') return labels.unused;
    const value = state.get(name);
    const text =
      name === 'text' ? value : options[name].find((option) => option.value === value)?.text.trim();
    return `${labels[name]}: ${text ?? value}`;
  };
  const active = FILTERS.filter((name) => state.get(name) !== '');
  return (
    <search>
      <div class="filters">
        <SearchField state={state} />
        {(['type', 'folder', 'undescribed'] as const).map((name) => (
          <Choice
            key={name}
            label={labels[name]}
            value={state.get(name)}
            options={[{ value: '', text: any }, ...options[name]]}
            onChange={(value) => state.set({ [name]: value })}
          />
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={state.get('unused') === 'true'}
            onChange={({ currentTarget }) => state.set({ unused: currentTarget.checked ? 'true' : '' })}
          />{' '}
          {own.unused}
        </label>
      </div>
      {active.length > 0 && (
        <ul class="chips" aria-label={own.activeFilters}>
          {active.map((name) => (
            <li key={name}>
              <button
                type="button"
                aria-label={own.removeFilter(textOf(name))}
                onClick={() => state.set({ [name]: '' })}
              >
                {textOf(name)} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
          <li>
            <button
              type="button"
              onClick={() => state.set(Object.fromEntries(FILTERS.map((name) => [name, ''])))}
            >
              {own.clearFilters}
            </button>
          </li>
        </ul>
      )}
    </search>
  );
}

/** Searches a moment after the last key; the address never overwrites what is being typed. */
function SearchField({ state }: { readonly state: AssetState }) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const typed = useSignal<string | undefined>(undefined);
  return (
    <Field
      label={texts().search}
      type="search"
      value={typed.value ?? state.get('text')}
      onInput={({ currentTarget: { value: text } }) => {
        typed.value = text;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          typed.value = undefined;
          state.set({ text }, true);
        }, TYPED);
      }}
    />
  );
}
