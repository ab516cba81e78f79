import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { ApiError, get, query } from '../../../api.ts';
import { previewTexts } from '../../../messages/preview.ts';
import { FramedPage } from '../../../parts/framed-page.tsx';
import { JsonTree } from '../../../parts/json-tree.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { permits, useSession } from '../../../session.ts';
import type { ListedItem } from '../../listed-item.ts';
import { useForm } from '../form-context.ts';
import { filledUrl, type Previewed, type PreviewUrls, previewUrlFor } from './preview-urls.ts';
import { PreviewUrlsDialog } from './preview-urls-dialog.tsx';

type View = 'json' | 'site';

interface PreviewPanelProps {
  readonly listed: ListedItem;
  readonly onClose: () => void;
}

/** What readers will get, next to the form: the JSON of the preview API, or the site. */
export function PreviewPanel({ listed, onClose }: PreviewPanelProps) {
  const texts = previewTexts();
  const view = useSignal<View>('json');
  return (
    <aside class="preview-panel" aria-label={texts.title}>
      <div class="actions">
        <fieldset class="plain" aria-label={texts.views}>
          {(['json', 'site'] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={view.value === one}
              onClick={() => (view.value = one)}
            >
              {texts[one]}
            </button>
          ))}
        </fieldset>
        <button type="button" aria-label={texts.close} onClick={onClose}>
          ×
        </button>
      </div>
      <p class="hint">{texts.savedOnly}</p>
      {view.value === 'json' ? <JsonPreview listed={listed} /> : <SitePreview listed={listed} />}
    </aside>
  );
}

type ListedProps = Pick<PreviewPanelProps, 'listed'>;

function useSaved({ listed }: ListedProps) {
  const { model, language } = useForm();
  return {
    codename: model.languages.find(({ id }) => id === language)?.codename ?? '',
    /** Another one after each save. */
    at: listed.languages.find((one) => one.language.id === language)?.last_modified ?? null,
  };
}

function JsonPreview(props: ListedProps) {
  const { project, item } = useForm();
  const { codename, at } = useSaved(props);
  const answer = useQuery({
    queryKey: [project, 'preview', item.id, codename, at],
    queryFn: ({ signal }) =>
      get<unknown>(`preview/${project}/items/${item.codename}${query({ language: codename })}`, signal),
    placeholderData: (before) => before,
    retry: false,
    meta: { follows: ['content_item_variant', 'asset'] },
  });
  if (answer.error instanceof ApiError && answer.error.status === 404)
    return <p>{previewTexts().noVariant}</p>;
  return (
    <section aria-label={previewTexts().jsonOf}>
      <Loaded query={answer}>{(body) => <JsonTree value={body} />}</Loaded>
    </section>
  );
}

function SitePreview(props: ListedProps) {
  const texts = previewTexts();
  const { project, item, language, elements } = useForm();
  const { codename, at } = useSaved(props);
  const session = useSession();
  const isConfiguring = useSignal(false);
  const urls = useQuery({
    queryKey: [project, 'preview urls'],
    queryFn: ({ signal }) => get<PreviewUrls>(`admin/projects/${project}/preview-urls`, signal),
  });
  const mayConfigure = permits(
    session.data?.projects.find(({ id }) => id === project),
    'manage-project',
  );
  const slug = [...elements.values()].find(({ definition }) => definition.type === 'url_slug');
  const previewed: Previewed = {
    type: item.type.id,
    language,
    values: {
      '{URLslug}': slug && String(slug.saved.value ?? ''),
      '{Codename}': item.codename,
      '{Lang}': codename,
      '{ItemId}': item.id,
    },
  };
  return (
    <Loaded query={urls}>
      {({ preview_urls }) => {
        const template = previewUrlFor(preview_urls, previewed);
        const filled = template === undefined ? undefined : filledUrl(template, previewed);
        return (
          <>
            {filled === undefined && (
              <p>
                {texts.noUrl} {!mayConfigure && texts.noUrlSeen}
              </p>
            )}
            {filled && 'missing' in filled && <p>{texts.missing(filled.missing)}</p>}
            {filled && 'url' in filled && (
              <>
                <p>
                  <a href={filled.url} target="_blank" rel="noreferrer">
                    {texts.newTab}
                  </a>
                </p>
                <FramedPage
                  key={`${filled.url} ${at}`}
                  project={project}
                  url={filled.url}
                  title={texts.frame(item.name)}
                />
              </>
            )}
            {mayConfigure && (
              <button type="button" onClick={() => (isConfiguring.value = true)}>
                {texts.configure}
              </button>
            )}
            {isConfiguring.value && (
              <PreviewUrlsDialog
                onClose={() => {
                  isConfiguring.value = false;
                  void urls.refetch();
                }}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
