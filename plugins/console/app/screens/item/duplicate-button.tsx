import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { useLocation } from 'wouter-preact';
import type { Allowed } from '../../acts/act-data.ts';
import { call, get } from '../../api.ts';
import { createItem } from '../../list/create-item.ts';
import { savingTexts } from '../../messages/saving.ts';
import { announce } from '../../parts/announce.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAct } from '../../parts/use-act.ts';
import type { ListedItem } from '../listed-item.ts';
import { withOwnComponents } from './copied-components.ts';
import type { ManagedVariant, Reference } from './managed.ts';

interface DuplicateButtonProps {
  readonly project: string;
  readonly item: Pick<ListedItem, 'id' | 'name' | 'type'> & {
    readonly languages: readonly (ListedItem['languages'][number] & {
      readonly allowed: readonly Allowed[];
    })[];
  };
}

/** Makes another item of the same content: drafts in all languages that the person may write. */
export function DuplicateButton({ project, item }: DuplicateButtonProps) {
  const texts = savingTexts();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { run, error, isBusy } = useAct();
  /** Made by an attempt that failed afterwards: the next one goes on with it. */
  const made = useSignal<string | undefined>(undefined);
  const items = `manage/projects/${project}/items`;
  const written = item.languages.filter(
    ({ state, allowed }) => allowed.includes('edit') && state !== 'not_translated' && state !== 'archived',
  );
  const name = texts.copyOf(item.name);

  const duplicate = () =>
    run(async () => {
      if (made.value === undefined) {
        const { sitemap_locations } = await get<{ sitemap_locations: readonly Reference[] }>(
          `${items}/${item.id}`,
        );
        const copy = { name, type: { id: item.type.id }, sitemap_locations };
        made.value = (await createItem(project, copy)).id;
      }
      for (const { language } of written) {
        const path = `variants/${language.id}`;
        const { elements } = await get<ManagedVariant>(`${items}/${item.id}/${path}`);
        await call('PUT', `${items}/${made.value}/${path}`, { elements: withOwnComponents(elements) });
      }
      announce(texts.duplicated(name));
      await queries.invalidateQueries({ queryKey: [project] });
      navigate(`/projects/${project}/items/${made.value}`);
    });
  if (written.length === 0) return null;
  return (
    <>
      <button type="button" disabled={isBusy.value} onClick={() => void duplicate()}>
        {texts.duplicate}
      </button>
      <Failure error={error.value} />
    </>
  );
}
