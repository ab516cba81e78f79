import { useSignal, useSignalEffect } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { get } from '../../api.ts';
import { Grid } from '../../list/grid.tsx';
import { PAGE } from '../../list/list-query.ts';
import { Pages } from '../../list/pages.ts';
import { useLanguages } from '../../list/project-data.ts';
import { Selection } from '../../list/selection.ts';
import { useFollowedPages } from '../../list/use-followed-pages.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice } from '../../parts/field.tsx';
import { loaded } from '../../parts/loaded-chunk.tsx';
import { listingCalls } from '../../parts/object-calls.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { useShownList } from '../../parts/shown-list.ts';
import { permits, useSession } from '../../session.ts';
import { assetColumns } from './asset-columns.tsx';
import { assetPath, type ListedAsset, NO_FOLDER, nameOf, useFolders } from './asset-data.ts';
import { AssetFilters } from './asset-filters.tsx';
import { FILTERS, useAssetState } from './asset-state.ts';
import { MOST } from './many.ts';
import { uploadsOf } from './send-asset.ts';
import { Tiles } from './tiles.tsx';
import { UnsavedTexts } from './unsaved-texts-list.tsx';
import { UploadPanel } from './upload-panel.tsx';

const DeleteDialog = lazy(() => loaded(import('./delete-dialog.tsx'), 'DeleteDialog'));
const FolderDialog = lazy(() => loaded(import('./folder-dialog.tsx'), 'FolderDialog'));
const MoveDialog = lazy(() => loaded(import('./move-dialog.tsx'), 'MoveDialog'));

const ORDERS = { created: '', name: 'name.asc', changed: 'changed.desc', size: 'size.desc' } as const;

interface Listing {
  readonly assets: readonly ListedAsset[];
  readonly total: number;
  readonly unlisted: number;
}

/** The assets of a project: find, upload, describe, move and delete them. The address has the filters. */
export function Assets({ project }: { readonly project: string }) {
  const own = assetsTexts();
  const state = useAssetState();
  useShownList();
  const [, navigate] = useLocation();
  const session = useSession();
  const folders = useFolders(project);
  const languages = useLanguages(project);
  const acting = useSignal<'delete' | 'folder' | 'move' | undefined>(undefined);
  const unlisted = useSignal(0);

  const selection = useMemo(() => new Selection<ListedAsset>(), [project, state.filter]);
  const pages = useMemo(
    () =>
      new Pages<ListedAsset>(async (offset, signal) => {
        const page = `offset=${offset}&limit=${PAGE}`;
        const path = `admin/projects/${project}/assets?${state.query === '' ? '' : `${state.query}&`}${page}`;
        const listing = await get<Listing>(path, signal);
        unlisted.value = listing.unlisted;
        selection.renew(listing.assets);
        return { rows: listing.assets, total: listing.total };
      }),
    [project, state.query],
  );
  useFollowedPages(pages, [project, 'asset list', state.query], ['asset', 'content_item_variant']);
  useRefreshAfterUploads(project, pages);

  const { isAll, rows } = selection.state.value;
  const total = pages.total.value;
  const count = isAll ? (total ?? 0) : rows.size;
  const permitted = session.data?.projects.find(({ id }) => id === project);
  const mayEdit = permits(permitted, 'edit-content', 'all', 'all');
  const mayDelete = permits(permitted, 'delete-content', 'all', 'all');
  const all = languages.data ?? [];
  const isTiles = state.get('view') === 'tiles';
  const isDescribing = state.get('edit') === 'descriptions' && !isTiles;
  const folder = state.get('folder');
  const open = ({ id }: ListedAsset) => navigate(assetPath(project, id));
  const list = { label: own.title, pages, selection, onOpen: open };
  /** @throws where it cannot be read */
  const chosen = async () =>
    isAll ? pages.range({ first: 0, end: Math.min(total ?? 0, MOST + 1) }) : [...rows.values()];
  const order = state.get('order');
  const isFiltered = FILTERS.some((name) => state.get(name) !== '');

  return (
    <div class="content-list">
      <PageHeading>{own.title}</PageHeading>
      <UnsavedTexts project={project} />
      {permits(permitted, 'edit-content') && (
        <UploadPanel project={project} folder={folder === '' || folder === NO_FOLDER ? null : folder} />
      )}
      <AssetFilters state={state} folders={folders.data ?? []} languages={all} />
      <div class="bar">
        <p role="status">{count > 0 ? own.selected(count) : total === undefined ? '' : own.shown(total)}</p>
        {total === undefined && pages.error.value === undefined && <p class="loading">{own.loading}</p>}
        {rows.size > 0 && total !== undefined && rows.size < total && (
          <button type="button" onClick={() => selection.all()}>
            {own.selectMatching(total)}
          </button>
        )}
        {count > 0 && (
          <>
            <button type="button" onClick={() => selection.clear()}>
              {own.clearSelection}
            </button>
            {mayEdit && (
              <button type="button" onClick={() => (acting.value = 'move')}>
                {own.move.button}
              </button>
            )}
            {mayDelete && (
              <button type="button" onClick={() => (acting.value = 'delete')}>
                {own.delete.button}
              </button>
            )}
          </>
        )}
        {mayEdit && folders.data?.some(({ id }) => id === folder) && (
          <button type="button" onClick={() => (acting.value = 'folder')}>
            {own.folders.button}
          </button>
        )}
        <span class="end">
          <ApiCallButton
            project={project}
            calls={() =>
              listingCalls('assets', `${state.query === '' ? '' : `${state.query}&`}limit=${PAGE}`)
            }
          />
          {!isTiles && permits(permitted, 'edit-content') && (
            <button
              type="button"
              aria-pressed={isDescribing}
              onClick={() => state.set({ edit: isDescribing ? '' : 'descriptions' })}
            >
              {own.editDescriptions}
            </button>
          )}
          <Choice
            label={own.order}
            value={order in ORDERS ? order : 'created'}
            options={(Object.keys(ORDERS) as (keyof typeof ORDERS)[]).map((value) => ({
              value,
              text: own.orders[value],
            }))}
            onChange={(value) => state.set(orderOf(ORDERS[value as keyof typeof ORDERS]))}
          />
          <Choice
            label={own.view}
            value={isTiles ? 'tiles' : ''}
            options={[
              { value: '', text: own.views.list },
              { value: 'tiles', text: own.views.tiles },
            ]}
            onChange={(view) => state.set({ view })}
          />
        </span>
      </div>
      {unlisted.value > 0 && <p class="warning">{own.unlisted(unlisted.value)}</p>}
      <Failure error={pages.error.value} onRetry={() => pages.refresh()} />
      {total === 0 && <p>{isFiltered ? own.none : own.empty}</p>}
      {isTiles ? (
        <Tiles {...list} />
      ) : (
        <Grid
          {...list}
          columns={assetColumns({
            project,
            folders: folders.data ?? [],
            described: isDescribing && permits(permitted, 'edit-content') ? all : [],
          })}
          order={order === '' ? '' : `${order}.${state.get('descending') === 'true' ? 'desc' : 'asc'}`}
          onOrder={(next) => state.set(orderOf(next))}
          selectText={(asset) => own.select(nameOf(asset))}
          selectAllText={own.selectAll}
          loadingText={own.loading}
        />
      )}
      <Suspense fallback={null}>
        {acting.value === 'delete' && (
          <DeleteDialog project={project} read={chosen} onClose={(isChanged) => close(isChanged)} />
        )}
        {acting.value === 'folder' && folders.data && (
          <FolderDialog
            project={project}
            folders={folders.data}
            folder={folder}
            onClose={(isDeleted) => {
              acting.value = undefined;
              if (!isDeleted) return;
              state.set({ folder: '' });
              focusList();
            }}
          />
        )}
        {acting.value === 'move' && (
          <MoveDialog
            project={project}
            folders={folders.data ?? []}
            read={chosen}
            onClose={(isChanged) => close(isChanged)}
          />
        )}
      </Suspense>
    </div>
  );

  function close(isChanged: boolean): void {
    acting.value = undefined;
    if (!isChanged) return;
    selection.clear();
    pages.refresh();
    focusList();
  }
}

/** The button that had the focus is gone with the selection or the folder. */
function focusList(): void {
  setTimeout(() => document.querySelector<HTMLElement>('[role=grid], [role=listbox]')?.focus());
}

/** @param given column and direction; empty: the newest first */
function orderOf(given: string): { order: string; descending: string } {
  const [order = '', direction] = given.split('.');
  return { order, descending: direction === 'desc' ? 'true' : '' };
}

/** Many files end in one moment. */
const GATHER_MS = 300;

/** The event stream reports them too, but later, or not where it is interrupted. */
function useRefreshAfterUploads(project: string, pages: Pages<ListedAsset>): void {
  const done = useSignal(0);
  useSignalEffect(() => {
    done.value = uploadsOf(project).entries.value.filter(({ state }) => state.value.kind === 'done').length;
  });
  useEffect(() => {
    if (done.value === 0) return;
    const timer = setTimeout(() => pages.refresh(), GATHER_MS);
    return () => clearTimeout(timer);
  }, [done.value]);
}
