import { useSignal } from '@preact/signals';
import { formatDay, messages } from '../messages/messages.ts';
import { Choice, Field } from '../parts/field.tsx';
import { FilterChips } from '../parts/filter-chips.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { STATES } from '../screens/listed-item.ts';
import { FILTERS, type FilterName } from './list-query.ts';
import type { ListState } from './list-state.ts';
import {
  type ContentType,
  type Leveled,
  type Named,
  useAuthors,
  useLocations,
  useTerms,
} from './project-data.ts';

interface FilterBarProps {
  readonly project: string;
  readonly state: ListState;
  readonly types: readonly ContentType[];
  readonly languages: readonly Named[];
  readonly person: Omit<Named, 'codename'> | undefined;
}

/** Search, filters and language; what is filtered is shown as chips. */
export function FilterBar({ project, state, types, languages, person }: FilterBarProps) {
  const { content } = messages();
  const isMore = useSignal(false);
  const locations = useLocations(project, isMore.value || state.get('location') !== '');
  const terms = useTerms(project, isMore.value || state.get('term') !== '');
  const members = useAuthors(project, isMore.value || state.get('author') !== '');
  // An operator may have no role in the project.
  const authors = [
    ...(person ? [person] : []),
    ...(members.data ?? []).filter(({ id }) => id !== person?.id),
  ];
  const any = { value: '', text: content.any };
  const named = (all: readonly Named[]) => all.map(({ codename, name }) => ({ value: codename, text: name }));
  const indented = (all: readonly Leveled[]) =>
    all.map(({ id, name, level }) => ({ value: id, text: '\u2003'.repeat(level) + name }));
  const termOptions = (terms.data ?? []).flatMap((group) =>
    indented(group.terms).map(({ value, text }) => ({ value, text: `${group.name}: ${text}` })),
  );
  const textOf = (name: FilterName): string => {
    const value = state.get(name);
    const among = (options: readonly { readonly value: string; readonly text: string }[]) =>
      options.find((option) => option.value === value)?.text.trim() ?? value;
    switch (name) {
      case 'type':
        return among(named(types));
      case 'state':
        return value in content.states ? content.states[value as keyof typeof content.states] : value;
      case 'location':
        return among(indented(locations.data ?? []));
      case 'term':
        return among(termOptions);
      case 'author':
        return authors.find(({ id }) => id === value)?.name ?? value;
      case 'changed_from':
      case 'changed_before':
        return Number.isNaN(Date.parse(value)) ? value : formatDay(value);
      default:
        return value;
    }
  };
  return (
    <search>
      <div class="filters">
        <SearchField label={content.search} state={state} />
        <Choice
          label={content.type}
          value={state.get('type')}
          options={[any, ...named(types)]}
          // The columns and the order may be of the type before.
          onChange={(type) => state.set({ type, elements: '', order: '', descending: '' })}
        />
        <Choice
          label={content.state}
          value={state.get('state')}
          options={[any, ...STATES.map((value) => ({ value, text: content.states[value] }))]}
          onChange={(value) => state.set({ state: value })}
        />
        <Choice
          label={content.language}
          value={state.get('language') || (languages[0]?.codename ?? '')}
          options={named(languages)}
          onChange={(language) =>
            state.set({ language: language === languages[0]?.codename ? '' : language })
          }
        />
        <button type="button" aria-expanded={isMore.value} onClick={() => (isMore.value = !isMore.value)}>
          {content.moreFilters}
        </button>
      </div>
      {isMore.value && (
        <div class="filters">
          <Choice
            label={content.filters.term}
            value={state.get('term')}
            options={[any, ...termOptions]}
            onChange={(term) => state.set({ term })}
          />
          <Choice
            label={content.filters.location}
            value={state.get('location')}
            options={[any, ...indented(locations.data ?? [])]}
            onChange={(location) => state.set({ location })}
          />
          <Choice
            label={content.filters.author}
            value={state.get('author')}
            options={[any, ...authors.map(({ id, name }) => ({ value: id, text: name }))]}
            onChange={(author) => state.set({ author })}
          />
          {(['changed_from', 'changed_before'] as const).map((name) => (
            <Field
              key={name}
              label={content.filters[name]}
              type="date"
              value={state.get(name)}
              // A year that is typed is a day at each of its digits.
              onChange={(event) => state.set({ [name]: event.currentTarget.value }, state.get(name) !== '')}
            />
          ))}
        </div>
      )}
      <FilterChips
        state={state}
        names={FILTERS}
        textOf={(name) => `${content.filters[name]}: ${textOf(name)}`}
        texts={content}
      />
    </search>
  );
}
