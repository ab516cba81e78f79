import { useSignal } from '@preact/signals';
import { lazy, Suspense } from 'preact/compat';
import { useRef } from 'preact/hooks';
import { previewTexts } from '../../messages/preview.ts';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import type { ApiCall } from '../../parts/api-snippets.ts';
import { loaded } from '../../parts/loaded-chunk.tsx';
import type { ListedItem } from '../listed-item.ts';
import { type FormFacts, useForm } from './form-context.ts';
import { SourceChoice } from './source-choice.tsx';

const PreviewPanel = lazy(() => loaded(import('./preview/preview-panel.tsx'), 'PreviewPanel'));

/** What is shown beside the form of a variant: another language, the preview, the requests of the APIs. */
export function ItemTools({ listed }: { readonly listed: ListedItem }) {
  const form = useForm();
  const isPreviewed = useSignal(false);
  const preview = useRef<HTMLButtonElement>(null);
  return (
    <div class="item-tools">
      <SourceChoice listed={listed} />
      <button
        ref={preview}
        type="button"
        aria-expanded={isPreviewed.value}
        onClick={() => (isPreviewed.value = !isPreviewed.value)}
      >
        {previewTexts().open}
      </button>
      <ApiCallButton project={form.project} calls={() => itemCalls(form)} />
      {isPreviewed.value && (
        <Suspense fallback={null}>
          <PreviewPanel
            listed={listed}
            onClose={() => {
              isPreviewed.value = false;
              preview.current?.focus();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

function itemCalls({ item, model, language }: FormFacts): readonly ApiCall[] {
  const codename = model.languages.find(({ id }) => id === language)?.codename ?? '';
  const path = `/items/${item.codename}?language=${encodeURIComponent(codename)}`;
  const client = `.item(${JSON.stringify(item.codename)}).languageParameter(${JSON.stringify(codename)})`;
  return [
    { api: 'delivery', path, client },
    { api: 'preview', path, client },
    {
      api: 'manage',
      path: `/items/${item.id}/variants/${language}`,
      client: `.viewLanguageVariant().byItemId(${JSON.stringify(item.id)}).byLanguageId(${JSON.stringify(language)})`,
    },
    { api: 'admin', path: `/items/${item.id}` },
  ];
}
