import type { Named } from '../../list/project-data.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { Choice } from '../../parts/field.tsx';
import { FilterChips } from '../../parts/filter-chips.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { folderOptions, KINDS, type Leveled, NO_FOLDER } from './asset-data.ts';
import { type AssetState, FILTERS, type FilterName } from './asset-state.ts';

interface AssetFiltersProps {
  readonly state: AssetState;
  readonly folders: readonly Leveled[];
  readonly languages: readonly Named[];
}

/** Search and filters; what is filtered is shown as chips. */
export function AssetFilters({ state, folders, languages }: AssetFiltersProps) {
  const { any, kinds, ...own } = assetsTexts();
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
  return (
    <search>
      <div class="filters">
        <SearchField label={own.search} state={state} />
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
      <FilterChips state={state} names={FILTERS} textOf={textOf} texts={own} />
    </search>
  );
}
