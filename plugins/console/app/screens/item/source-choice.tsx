import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { announce } from '../../parts/announce.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice } from '../../parts/field.tsx';
import type { ListedItem } from '../listed-item.ts';
import { type FormFacts, useForm } from './form-context.ts';
import type { ManagedVariant } from './managed.ts';
import { plainText } from './plain-text.ts';
import { variantServer } from './server.ts';
import { type Since, sourceBefore } from './source-history.ts';
import { copyElement, type SourceVariant, sourceVariant } from './source-variant.ts';
import { texts } from './texts.ts';

/** Chooses the language that is shown beside this one, and copies from it. The address has it as `beside`. */
export function SourceChoice({ listed }: { readonly listed: ListedItem }) {
  const form = useForm();
  const [search, setSearch] = useSearchParams();
  const { item, model, language, source } = form;
  const offered = translated(listed).filter((id) => id !== language);
  const codename = search.get('beside') ?? '';
  const chosen = model.languages.find((one) => one.codename === codename && offered.includes(one.id));
  const variant = useSourceVariant(form, chosen?.id);
  const since = useSignal<Since>('saved');
  const before = useSourceBefore(form, listed, chosen?.id, since.value);
  const type = model.types.get(item.type.id);
  useEffect(() => {
    source.value =
      chosen && type && variant.data
        ? sourceVariant(model, type, chosen, variant.data, before.data ?? undefined)
        : undefined;
  }, [model, type, chosen, variant.data, before.data]);
  if (offered.length === 0) return null;
  const shown = source.value;
  return (
    <div class="filters">
      <Choice
        label={texts().beside}
        value={chosen?.codename ?? ''}
        options={[
          { value: '', text: texts().besideNone },
          ...model.languages
            .filter(({ id }) => offered.includes(id))
            .map((one) => ({ value: one.codename, text: one.name })),
        ]}
        onChange={(next) =>
          setSearch(
            (before) => {
              const changed = new URLSearchParams(before);
              if (next === '') changed.delete('beside');
              else changed.set('beside', next);
              return changed;
            },
            { replace: true },
          )
        }
      />
      {shown && (
        <Choice
          label={texts().changesSince}
          value={since.value}
          options={[
            { value: 'saved', text: texts().sinceSaved },
            { value: 'published', text: texts().sincePublished },
          ]}
          onChange={(next) => (since.value = next as Since)}
        />
      )}
      {shown && (
        <p class="hint" role="status">
          {before.data === null && texts().changesUnknown}
          {shown.before && texts().changedElements(countChanged(shown))}
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
            announce(texts().copiedAll(shown.language.name));
          }}
        >
          {texts().copyAll(shown.language.name)}
        </button>
      )}
      {chosen && variant.error && <Failure error={variant.error} onRetry={() => void variant.refetch()} />}
    </div>
  );
}

function translated({ languages }: ListedItem): readonly string[] {
  return languages
    .filter(({ state }) => state !== 'not_translated' && state !== 'archived')
    .map(({ language: { id } }) => id);
}

/** The source when the translation was saved last before this form was opened, or published last; null: not known. */
function useSourceBefore(
  { project, item, language }: FormFacts,
  listed: ListedItem,
  from: string | undefined,
  since: Since,
) {
  const saved = useSignal(
    listed.languages.find((one) => one.language.id === language)?.last_modified ?? undefined,
  ).value;
  const path = (id: string) => `admin/projects/${project}/items/${item.id}/variants/${id}`;
  return useQuery({
    queryKey: [project, 'source before', item.id, language, from, since, saved],
    enabled: from !== undefined && saved !== undefined,
    queryFn: async ({ signal }) =>
      (await sourceBefore(path(from ?? ''), path(language), since, saved ?? '', signal)) ?? null,
    retry: false,
  });
}

function countChanged({ elements, before }: SourceVariant): number {
  return [...elements.values()].filter(
    ({ definition: { id }, value }) => plainText(before?.get(id)?.value ?? null) !== plainText(value.value),
  ).length;
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
