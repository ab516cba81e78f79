import { useSignal } from '@preact/signals';
import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { Link, useSearchParams } from 'wouter-preact';
import { get, query } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { Failure } from '../parts/failure.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Present } from '../parts/present.tsx';
import { useSession } from '../session.ts';
import { type ListedItem, STATES } from './listed-item.ts';
import { PublishDialog } from './publish-dialog.tsx';

interface Page {
  readonly items: readonly ListedItem[];
  readonly pagination: { readonly next: string | null };
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}

/** The items of a project: find them by type, state, language and text; publish several at once. The address has the filters. */
export function ContentList({ project }: { readonly project: string }) {
  const { content, loading } = messages();
  const [search, setSearch] = useSearchParams();
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const isPublishing = useSignal(false);
  const session = useSession();
  const mayPublish = session.data?.projects.find(({ id }) => id === project)?.permissions.includes('publish');

  const filter = (name: string) => search.get(name) ?? '';
  const change = (name: string, value: string) => {
    selected.value = new Set();
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: name === 'text' },
    );
  };
  const filters = {
    type: filter('type'),
    state: filter('state'),
    language: filter('language'),
    text: filter('text'),
  };

  const types = useQuery({
    queryKey: [project, 'types'],
    meta: { follows: ['content_type'] },
    queryFn: () => get<{ readonly types: readonly Named[] }>(`manage/projects/${project}/types`),
  });
  const languages = useQuery({
    queryKey: [project, 'languages'],
    meta: { follows: ['language'] },
    queryFn: () => get<{ readonly languages: readonly Named[] }>(`manage/projects/${project}/languages`),
  });
  const listed = useInfiniteQuery({
    queryKey: [project, 'items', filters],
    meta: { follows: ['content_item', 'content_item_variant'] },
    queryFn: ({ pageParam, signal }) =>
      get<Page>(`admin/projects/${project}/items${query({ ...filters, after: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.next ?? undefined,
    placeholderData: (before) => before,
  });
  const items = listed.data?.pages.flatMap((page) => page.items) ?? [];
  const chosen = items.filter(({ id }) => selected.value.has(id));
  const languageId = languages.data?.languages.find(
    ({ id, codename }) => id === filters.language || codename === filters.language,
  )?.id;

  const toggle = (id: string, isOn: boolean) => {
    const next = new Set(selected.value);
    if (isOn) next.add(id);
    else next.delete(id);
    selected.value = next;
  };
  const any = { value: '', text: content.any };

  return (
    <>
      <h1>{content.title}</h1>
      <search class="filters">
        <Field
          label={content.search}
          type="search"
          value={filters.text}
          onInput={(event) => change('text', event.currentTarget.value)}
        />
        <Choice
          label={content.type}
          value={filters.type}
          options={[
            any,
            ...(types.data?.types ?? []).map(({ codename, name }) => ({ value: codename, text: name })),
          ]}
          onChange={(value) => change('type', value)}
        />
        <Choice
          label={content.state}
          value={filters.state}
          options={[any, ...STATES.map((value) => ({ value, text: content.states[value] }))]}
          onChange={(value) => change('state', value)}
        />
        <Choice
          label={content.language}
          value={filters.language}
          options={[
            any,
            ...(languages.data?.languages ?? []).map(({ codename, name }) => ({
              value: codename,
              text: name,
            })),
          ]}
          onChange={(value) => change('language', value)}
        />
      </search>
      <div class="bar">
        <p role="status">
          {chosen.length > 0
            ? content.selected(chosen.length)
            : listed.data
              ? content.shown(items.length)
              : ''}
        </p>
        {chosen.length > 0 && mayPublish && (
          <button type="button" class="primary" onClick={() => (isPublishing.value = true)}>
            {content.publish}
          </button>
        )}
      </div>
      {listed.isError && <Failure error={listed.error} onRetry={() => void listed.refetch()} />}
      {listed.isPending && <p class="loading">{loading}</p>}
      {listed.data && items.length === 0 && (
        <p>{Object.values(filters).some((value) => value !== '') ? content.none : content.empty}</p>
      )}
      {items.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label={content.selectAll}
                  checked={chosen.length === items.length}
                  onChange={(event) => {
                    selected.value = new Set(event.currentTarget.checked ? items.map(({ id }) => id) : []);
                  }}
                />
              </th>
              <th scope="col">{content.name}</th>
              <th scope="col">{content.type}</th>
              <th scope="col">{content.state}</th>
              <th scope="col">{content.modified}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={item.id}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={content.select(item.name)}
                    checked={selected.value.has(item.id)}
                    onChange={(event) => toggle(item.id, event.currentTarget.checked)}
                  />
                </td>
                <th scope="row">
                  <Link
                    href={`/projects/${project}/items/${item.id}${query({ language: filters.language })}`}
                  >
                    {item.name}
                  </Link>
                  <Present item={item.id} />
                </th>
                <td>{item.type.name}</td>
                <td>
                  <ul class="states">
                    {item.languages
                      .filter(({ state }) => state !== 'not_translated')
                      .map(({ language, state }) => (
                        <li key={language.id} class={`state ${state}`}>
                          {language.codename}: {content.states[state]}
                        </li>
                      ))}
                  </ul>
                </td>
                <td>{formatTime(item.last_modified)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {listed.hasNextPage && (
        <button
          type="button"
          disabled={listed.isFetchingNextPage}
          onClick={() => void listed.fetchNextPage()}
        >
          {content.more}
        </button>
      )}
      {isPublishing.value && (
        <PublishDialog
          project={project}
          items={chosen}
          language={languageId}
          onClose={() => (isPublishing.value = false)}
          onDone={() => {
            isPublishing.value = false;
            selected.value = new Set();
            void listed.refetch();
          }}
        />
      )}
    </>
  );
}
