import { useSignal } from '@preact/signals';
import { useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { lazy, Suspense } from 'preact/compat';
import { Link } from 'wouter-preact';
import { get } from '../../api.ts';
import { useLanguages } from '../../list/project-data.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { formatSize, formatTime } from '../../messages/messages.ts';
import { announce } from '../../parts/announce.tsx';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { itemPath } from '../../parts/item-path.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { loaded } from '../../parts/loaded-chunk.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { objectCalls } from '../../parts/object-calls.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { shownList } from '../../parts/shown-list.ts';
import { permits, useSession } from '../../session.ts';
import { type ListedAsset, nameOf } from './asset-data.ts';
import { ImageWorkbench } from './image-workbench.tsx';
import { DescriptionField, SavedField } from './saved-field.tsx';
import { UnsavedTexts } from './unsaved-texts-list.tsx';
import '../../style/assets.css';

const ReplaceDialog = lazy(() => loaded(import('./replace-dialog.tsx'), 'ReplaceDialog'));

interface AssetDetailProps {
  readonly project: string;
  readonly id: string;
}

/** One asset: its file, title and descriptions, what uses it, and the URLs of its image. */
export function AssetDetail({ project, id }: AssetDetailProps) {
  const own = assetsTexts();
  const found = useQuery({
    queryKey: [project, 'listed asset', id],
    queryFn: ({ signal }) => get<ListedAsset>(`admin/projects/${project}/assets/${id}`, signal),
    meta: { follows: ['asset'] },
  });
  const session = useSession();
  const permitted = session.data?.projects.find((one) => one.id === project);
  return (
    <>
      <p>
        <Link href={shownList(`/projects/${project}/assets`)}>{own.detail.back}</Link>
      </p>
      <PageHeading>{found.data ? nameOf(found.data) : own.title}</PageHeading>
      <UnsavedTexts project={project} />
      <Loaded query={found}>
        {(asset) => (
          <Shown
            project={project}
            asset={asset}
            mayEdit={permits(permitted, 'edit-content')}
            mayReplace={permits(permitted, 'edit-content', 'all', 'all')}
            reload={() => void found.refetch()}
          />
        )}
      </Loaded>
    </>
  );
}

interface ShownProps {
  readonly project: string;
  readonly asset: ListedAsset;
  readonly mayEdit: boolean;
  readonly mayReplace: boolean;
  readonly reload: () => void;
}

function Shown({ project, asset, mayEdit, mayReplace, reload }: ShownProps) {
  const own = assetsTexts();
  const languages = useLanguages(project);
  const isReplacing = useSignal(false);
  const { image_width, image_height, url } = asset;
  return (
    <div class="parts">
      <section aria-labelledby="asset-file">
        <h2 id="asset-file">{own.detail.file}</h2>
        <p>
          {asset.file_name}, {asset.type}, {formatSize(asset.size)}
          {image_width !== null && `, ${image_width} × ${image_height}`}, {formatTime(asset.last_modified)}
        </p>
        {image_width !== null && (
          <img class="preview" src={`${url}?w=640&auto=format`} alt={own.detail.preview} />
        )}
        <div class="acts">
          <a class="button" href={url} target="_blank" rel="noreferrer">
            {own.detail.open}
          </a>
          {mayReplace && (
            <button type="button" onClick={() => (isReplacing.value = true)}>
              {own.replace.button}
            </button>
          )}
          <ApiCallButton project={project} calls={() => objectCalls('assets', asset)} />
        </div>
        <SavedField
          of={{ project, asset: asset.id, name: nameOf(asset), language: null }}
          stored={asset.title}
          label={own.detail.titleField}
          hint={own.detail.titleHint}
          maxLength={50}
          isReadOnly={!mayReplace}
        />
      </section>
      <section aria-labelledby="asset-descriptions">
        <h2 id="asset-descriptions">{own.detail.descriptions}</h2>
        <p class="hint">{own.detail.descriptionsHint}</p>
        <Loaded query={languages}>
          {(all) =>
            all.map((language) => (
              <DescriptionField
                key={language.id}
                project={project}
                asset={asset}
                language={language}
                isReadOnly={!mayEdit}
              />
            ))
          }
        </Loaded>
      </section>
      <UsedIn project={project} asset={asset.id} />
      <ImageWorkbench asset={asset} />
      {isReplacing.value && (
        <Suspense fallback={null}>
          <ReplaceDialog
            project={project}
            asset={asset}
            onClose={(isReplaced) => {
              isReplacing.value = false;
              if (!isReplaced) return;
              announce(own.replace.done);
              reload();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

interface Use {
  readonly item: { readonly id: string; readonly name: string };
  readonly language: { readonly id: string; readonly name: string; readonly codename: string };
  readonly published: boolean;
  readonly latest: boolean;
}

interface Uses {
  readonly used_in: readonly Use[];
  readonly pagination: { readonly next: string | null };
}

/** What content refers to the asset, in pages. */
function UsedIn({ project, asset }: { readonly project: string; readonly asset: string }) {
  const own = assetsTexts().detail;
  const uses = useInfiniteQuery({
    queryKey: [project, 'asset uses', asset],
    queryFn: ({ pageParam, signal }) =>
      get<Uses>(`admin/projects/${project}/assets/${asset}/used-in?limit=20&after=${pageParam}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ pagination }: Uses) => pagination.next ?? undefined,
    meta: { follows: ['content_item', 'content_item_variant'] },
  });
  return (
    <section aria-labelledby="asset-uses">
      <h2 id="asset-uses">{own.usedIn}</h2>
      <Loaded query={uses}>
        {({ pages }) => (
          <DataTable
            columns={[own.item, own.language, own.state]}
            empty={own.unused}
            rows={pages
              .flatMap((page) => page.used_in)
              .map(({ item, language, published, latest }) => ({
                key: `${item.id} ${language.id}`,
                cells: [
                  <Link key="item" href={`${itemPath(project, item)}?language=${language.codename}`}>
                    {item.name}
                  </Link>,
                  language.name,
                  [published && own.published, latest && own.latest].filter(Boolean).join(', '),
                ],
              }))}
          />
        )}
      </Loaded>
      <MoreButton list={uses} />
    </section>
  );
}
