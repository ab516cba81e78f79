import { useSignal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { ACTS, type ActBody, type ActName, type Allowed } from '../acts/act-data.ts';
import { get } from '../api.ts';
import { takeAnswerInPage } from '../early-answers.ts';
import type { ContentItem } from '../list/content-item.ts';
import { mayCreate } from '../list/create-item.ts';
import { FilterBar } from '../list/filter-bar.tsx';
import { Grid } from '../list/grid.tsx';
import { listCalls } from '../list/list-calls.ts';
import { itemPath, listColumns } from '../list/list-columns.tsx';
import { FILTERS, listPath } from '../list/list-query.ts';
import { useListState } from '../list/list-state.ts';
import { Pages } from '../list/pages.ts';
import { useLanguages, useTypes } from '../list/project-data.ts';
import { Selection } from '../list/selection.ts';
import { useFollowedPages } from '../list/use-followed-pages.ts';
import { messages } from '../messages/messages.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { loaded } from '../parts/loaded-chunk.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useShownList } from '../parts/shown-list.ts';
import { whenIdle } from '../parts/when-idle.ts';
import { permits, useSession } from '../session.ts';

const ActDialog = lazy(() => loaded(import('../acts/act-dialog.tsx'), 'ActDialog'));
const ColumnsDialog = lazy(() => loaded(import('../list/columns-dialog.tsx'), 'ColumnsDialog'));
const NewItemDialog = lazy(() => loaded(import('../list/new-item-dialog.tsx'), 'NewItemDialog'));
const ViewsDialog = lazy(() => loaded(import('../list/views-dialog.tsx'), 'ViewsDialog'));

interface Listing {
  readonly items: readonly ContentItem[];
  readonly total: number;
  /** With some of the items. */
  readonly allowed: { readonly items: readonly Allowed[]; readonly variants: readonly Allowed[] };
}

/** The items of a project in one language: find them, choose some or all of them, act on them. The address has the filters. */
export function ContentList({ project }: { readonly project: string }) {
  const { content, loading, bulk, views } = messages();
  const state = useListState();
  useShownList();
  const [, navigate] = useLocation();
  const session = useSession();
  const types = useTypes(project);
  const languages = useLanguages(project);
  const acting = useSignal<ActName | undefined>(undefined);
  const isChoosing = useSignal(false);
  const isViewing = useSignal(false);

  const ofAll = useSignal<Listing['allowed'] | undefined>(undefined);

  const selection = useMemo(() => new Selection<ContentItem>(), [project, state.filter]);
  const pages = useMemo(() => {
    const path = (offset: number) => listPath(project, state.query, offset);
    const read = ({ items, total, allowed }: Listing) => {
      ofAll.value = allowed;
      selection.renew(items);
      return { rows: items, total };
    };
    const first = takeAnswerInPage(path(0));
    return new Pages<ContentItem>(
      async (offset, signal) => read(await get<Listing>(path(offset), signal)),
      first && read(first.value as Listing),
    );
  }, [project, state.query]);
  useFollowedPages(
    pages,
    [project, 'content list', state.query],
    ['content_item', 'content_item_variant', 'content_type'],
  );

  const { isAll, rows } = selection.state.value;
  const total = pages.total.value;
  const isShown = total !== undefined;
  const isLoading = !isShown && pages.error.value === undefined;
  useEffect(() => {
    // The form is what most people open from here. A missing chunk is reported when it is needed.
    if (isShown) return whenIdle(() => void import('./item/item-editor.tsx').catch(() => undefined));
    return undefined;
  }, [isShown]);
  const count = isAll ? (total ?? 0) : rows.size;
  const type = types.data?.find(({ codename }) => codename === state.get('type'));
  const own = session.data?.projects.find(({ id }) => id === project);
  // The first one is that of a listing without a language.
  const all = (languages.data ?? []).filter(({ codename }) => permits(own, 'view-content', 'some', codename));
  const language = all.find(({ codename }) => codename === state.get('language')) ?? all[0];
  const isAllowed = (act: ActName, isWhole: boolean) =>
    isAll
      ? ofAll.value?.[isWhole ? 'items' : 'variants'].includes(act) === true
      : [...rows.values()].every((row) => (isWhole ? row : row.variants[0])?.allowed.includes(act));
  const offered = ACTS.filter((act) => isAllowed(act, true) || isAllowed(act, false));
  const person = session.data?.person;
  const isCreator = mayCreate(own);
  const isFiltered = FILTERS.some((name) => state.get(name) !== '');
  const order = `${state.get('order') || (state.get('text') === '' ? 'name' : 'relevance')}.${state.get('descending') === 'true' ? 'desc' : 'asc'}`;

  const select = (isWhole: boolean, isRestored: boolean): ActBody | undefined => {
    if (!language) return undefined;
    if (isAll) return { filter: state.filter, ...(!isWhole && { languages: [{ id: language.id }] }) };
    const chosen = [...rows.values()].filter(({ archived, variants: [variant] }) =>
      isRestored
        ? archived !== null || variant?.state === 'archived'
        : archived === null &&
          (isWhole || (variant && !['archived', 'not_translated'].includes(variant.state))),
    );
    if (chosen.length === 0) return undefined;
    return {
      objects: chosen.map(({ id }) => ({
        item: { id },
        ...(!isWhole && { language: { id: language.id } }),
      })),
    };
  };

  return (
    <div class="content-list">
      <PageHeading>{content.title}</PageHeading>
      <FilterBar
        project={project}
        state={state}
        types={(types.data ?? []).filter(({ codename }) => permits(own, 'view-content', codename))}
        languages={all}
        person={person}
      />
      <div class="bar">
        <p role="status">
          {count > 0 ? content.selected(count) : total === undefined ? '' : content.shown(total)}
        </p>
        {isLoading && <p class="loading">{loading}</p>}
        {rows.size > 0 && total !== undefined && rows.size < total && (
          <button type="button" onClick={() => selection.all()}>
            {content.selectMatching(total)}
          </button>
        )}
        {count > 0 && (
          <>
            <button type="button" onClick={() => selection.clear()}>
              {content.clearSelection}
            </button>
            <fieldset class="acts plain" aria-label={bulk.title}>
              {offered.map((act) => (
                <button
                  key={act}
                  type="button"
                  class={act === 'publish' ? 'primary' : undefined}
                  onClick={() => (acting.value = act)}
                >
                  {bulk.buttons[act]}
                </button>
              ))}
            </fieldset>
          </>
        )}
        <span class="end">
          {isCreator && (
            <button type="button" class="primary" onClick={() => state.set({ add: 'true' })}>
              {content.newItem}
            </button>
          )}
          <button type="button" onClick={() => (isViewing.value = true)}>
            {views.title} …
          </button>
          <button type="button" onClick={() => (isChoosing.value = true)}>
            {content.columns} …
          </button>
          <ApiCallButton project={project} calls={() => listCalls(state, language?.codename)} />
        </span>
      </div>
      <Failure error={pages.error.value} onRetry={() => pages.refresh()} />
      {total === 0 && <p>{isFiltered ? content.none : content.empty}</p>}
      <Grid
        label={content.title}
        pages={pages}
        selection={selection}
        columns={listColumns(project, state, type, all)}
        order={order}
        onOrder={(next) => {
          const at = next.lastIndexOf('.');
          state.set({ order: next.slice(0, at), descending: next.endsWith('.desc') ? 'true' : '' });
        }}
        onOpen={({ id }) => navigate(itemPath(project, id, state))}
        selectText={({ name }) => content.select(name)}
        selectAllText={content.selectAll}
        loadingText={loading}
      />
      <Suspense fallback={null}>
        {acting.value && language && (
          <ActDialog
            project={project}
            act={acting.value}
            language={language.name}
            select={(isWhole) => select(isWhole, acting.value === 'restore')}
            isAllowed={(isWhole) => acting.value !== undefined && isAllowed(acting.value, isWhole)}
            onClose={(isChanged) => {
              acting.value = undefined;
              if (!isChanged) return;
              selection.clear();
              pages.refresh();
              // The button that had the focus is gone with the selection.
              setTimeout(() => {
                if (!document.querySelector('main :focus'))
                  document.querySelector<HTMLElement>('[role=grid]')?.focus();
              });
            }}
          />
        )}
        {isCreator && state.get('add') !== '' && (
          <NewItemDialog
            project={project}
            type={state.get('type')}
            language={state.get('language')}
            onClose={() => state.set({ add: '' }, true)}
          />
        )}
        {isViewing.value && <ViewsDialog project={project} onClose={() => (isViewing.value = false)} />}
        {isChoosing.value && (
          <ColumnsDialog
            state={state}
            type={type}
            languages={all.filter((other) => other !== language)}
            onClose={() => (isChoosing.value = false)}
          />
        )}
      </Suspense>
    </div>
  );
}
