import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Allowed } from '../../acts/act-data.ts';
import type { OpenForm } from '../../acts/item-acts.tsx';
import { get, query } from '../../api.ts';
import { browserCopies } from '../../copies/browser-copies.ts';
import { LocalCopies } from '../../copies/local-copies.ts';
import { createItem } from '../../list/create-item.ts';
import { savingTexts } from '../../messages/saving.ts';
import { announce } from '../../parts/announce.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useSession } from '../../session.ts';
import type { ListedItem } from '../listed-item.ts';
import { withOwnComponents } from './copied-components.ts';
import { nameOfCopy, writeCopy } from './copied-variant.ts';
import { formKey } from './edited-item.ts';
import { type ContentModel, elementsOf } from './form-groups.ts';
import type { UnsavedElement } from './item-form.ts';
import type { ManagedVariant, Reference } from './managed.ts';
import { variantServer } from './server.ts';

interface DuplicateButtonProps {
  readonly project: string;
  readonly model: ContentModel;
  readonly item: Pick<ListedItem, 'id' | 'name' | 'type'> & {
    readonly languages: readonly (ListedItem['languages'][number] & {
      readonly allowed: readonly Allowed[];
    })[];
  };
  /** Codename of the language that is shown. */
  readonly language: string;
  /** Undefined until it is there. */
  readonly form: OpenForm | undefined;
}

/**
 * Makes another item of the same content: drafts in all languages that the person may write. What the server refuses there is
 * kept in the browser, which offers it in the form of the copy.
 */
export function DuplicateButton({ project, model, item, language, form }: DuplicateButtonProps) {
  const texts = savingTexts();
  const queries = useQueryClient();
  const session = useSession();
  const [, navigate] = useLocation();
  const { run, error, isBusy } = useAct();
  /** Made by an attempt that failed afterwards: the next one goes on with it. */
  const made = useSignal<string | undefined>(undefined);
  /** Of the languages that are written, by such an attempt too. */
  const refused = useRef<{ readonly language: string; readonly elements: readonly UnsavedElement[] }[]>([]);
  const items = `manage/projects/${project}/items`;
  // A change of step needs the permission to edit alone; the copy of a scheduled draft is not scheduled.
  const written = item.languages.filter(
    ({ state, allowed }) =>
      allowed.includes('change_step') && state !== 'not_translated' && state !== 'archived',
  );
  const name = nameOfCopy(item.name, texts.copyOf);
  const type = model.types.get(item.type.id);
  const nameOf = (id: string) =>
    (type && elementsOf(model, type).find((element) => element.id === id)?.name) ?? id;

  const duplicate = () =>
    run(async () => {
      if (form && !(await form.save())) return;
      if (made.value === undefined) {
        const { sitemap_locations } = await get<{ sitemap_locations: readonly Reference[] }>(
          `${items}/${item.id}`,
        );
        const copy = { name, type: { id: item.type.id }, sitemap_locations };
        made.value = (await createItem(project, copy)).id;
      }
      const copy = made.value;
      for (const { language: to } of written) {
        const path = `variants/${to.id}`;
        const { elements } = await get<ManagedVariant>(`${items}/${item.id}/${path}`);
        const server = variantServer(`${items}/${copy}/${path}`);
        const left = await writeCopy(server, withOwnComponents(elements), nameOf);
        if (left.length === 0) continue;
        refused.current.push({ language: to.codename, elements: left });
        await keep(formKey(session.data?.person.id, project, copy, to.id), name, left);
      }
      const fields = new Set(
        refused.current.flatMap(({ elements }) => elements.map((element) => element.name)),
      );
      announce(fields.size === 0 ? texts.duplicated(name) : texts.duplicatedPartly(name, [...fields]));
      await queries.invalidateQueries({ queryKey: [project] });
      // The language with something left to do, else the one that was shown where the copy has it.
      const codenames = written.map(({ language: to }) => to.codename);
      const next = refused.current[0]?.language ?? (codenames.includes(language) ? language : codenames[0]);
      navigate(`/projects/${project}/items/${copy}${query({ language: next })}`);
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

/** Writes a copy for a form that is not open yet. @param key of that form */
async function keep(key: string, title: string, elements: readonly UnsavedElement[]): Promise<void> {
  const copies = new LocalCopies<UnsavedElement>(browserCopies, {
    of: key,
    changed: () => elements,
    titleOf: () => ({ title, fields: elements.map(({ name }) => name) }),
    onResult: () => undefined,
    onClosed: () => undefined,
  });
  await copies.write();
  copies.close();
}
