import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { itemTexts } from '../../messages/item.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { announce } from '../../parts/announce.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice } from '../../parts/field.tsx';
import { variantPath } from '../history/history-data.ts';
import type { ListedItem } from '../listed-item.ts';
import { type FormFacts, useForm } from './form-context.ts';
import type { ManagedVariant } from './managed.ts';
import { variantServer } from './server.ts';
import { type Since, sourceChanges } from './source-history.ts';
import { copyElement, sourceVariant } from './source-variant.ts';

/** Chooses the language that is shown beside this one, and copies from it. The address has it as `beside`. */
export function SourceChoice({ listed }: { readonly listed: ListedItem }) {
  const form = useForm();
  const address = useAddressState<'beside'>();
  const { item, model, language, source } = form;
  const offered = translated(listed).filter((id) => id !== language);
  const codename = address.get('beside');
  const chosen = model.languages.find((one) => one.codename === codename && offered.includes(one.id));
  const variant = useSourceVariant(form, chosen?.id);
  const since = useSignal<Since>('saved');
  const changes = useSourceChanges(form, listed, chosen?.id, since.value);
  const type = model.types.get(item.type.id);
  useEffect(() => {
    source.value =
      chosen && type && variant.data
        ? sourceVariant(model, type, chosen, variant.data, changes.data ?? undefined)
        : undefined;
  }, [model, type, chosen, variant.data, changes.data]);
  if (offered.length === 0) return null;
  const shown = source.value;
  return (
    <div class="filters">
      <Choice
        label={itemTexts().beside}
        value={chosen?.codename ?? ''}
        options={[
          { value: '', text: itemTexts().besideNone },
          ...model.languages
            .filter(({ id }) => offered.includes(id))
            .map((one) => ({ value: one.codename, text: one.name })),
        ]}
        onChange={(beside) => address.set({ beside }, true)}
      />
      {shown && (
        <Choice
          label={itemTexts().changesSince}
          value={since.value}
          options={[
            { value: 'saved', text: itemTexts().sinceSaved },
            { value: 'published', text: itemTexts().sincePublished },
          ]}
          onChange={(next) => (since.value = next as Since)}
        />
      )}
      {shown && (
        <p class="hint" role="status">
          {changes.data === null && itemTexts().changesUnknown}
          {shown.changes && itemTexts().changedElements(shown.changes.size)}
        </p>
      )}
      {shown && !form.isReadOnly && (
        <button
          type="button"
          onClick={() => {
            for (const [id, from] of shown.elements) {
              const to = form.elements.get(id);
              if (to) copyElement(from, to);
            }
            announce(itemTexts().copiedAll(shown.language.name));
          }}
        >
          {itemTexts().copyAll(shown.language.name)}
        </button>
      )}
      {chosen && <Failure error={variant.error} onRetry={() => void variant.refetch()} />}
    </div>
  );
}

function translated({ languages }: ListedItem): readonly string[] {
  return languages
    .filter(({ state }) => state !== 'not_translated' && state !== 'archived')
    .map(({ language: { id } }) => id);
}

/** What changed in the source since the translation was saved last before this form was opened, or published last. */
function useSourceChanges(
  { project, item, model, language }: FormFacts,
  listed: ListedItem,
  from: string | undefined,
  since: Since,
) {
  const modifiedOf = (id: string | undefined) =>
    listed.languages.find((one) => one.language.id === id)?.last_modified ?? undefined;
  const saved = useSignal(modifiedOf(language)).value;
  return useQuery({
    queryKey: [project, 'source changes', item.id, language, from, modifiedOf(from), since, saved],
    enabled: from !== undefined && saved !== undefined,
    queryFn: async ({ signal }) => {
      const translation = variantPath(project, item.id, language);
      const source = variantPath(project, item.id, from ?? '');
      return (await sourceChanges(model, { source, translation, saved: saved ?? '' }, since, signal)) ?? null;
    },
    retry: false,
  });
}

function useSourceVariant({ project, item }: FormFacts, language: string | undefined) {
  return useQuery({
    queryKey: [project, 'source', item.id, language],
    enabled: language !== undefined,
    queryFn: async (): Promise<ManagedVariant | null> => {
      const { variant } = await variantServer(
        `manage/projects/${project}/items/${item.id}/variants/${language}`,
      ).read();
      return variant;
    },
    meta: { follows: ['content_item_variant'] },
  });
}
