import { useSignal } from '@preact/signals';
import { Link } from 'wouter-preact';
import { call } from '../../api.ts';
import { createItem, mayCreate } from '../../list/create-item.ts';
import { savingTexts } from '../../messages/saving.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAct } from '../../parts/use-act.ts';
import { permits, type SessionProject } from '../../session.ts';
import type { ListedItem } from '../listed-item.ts';
import { nameOfCopy } from './copied-variant.ts';
import type { ItemForm } from './item-form.ts';
import { elementText } from './plain-text.ts';
import type { Obstacle } from './saving.ts';
import { variantServer } from './server.ts';

interface UnsavedTextProps {
  readonly form: ItemForm;
  readonly project: string;
  readonly item: Pick<ListedItem, 'id' | 'name' | 'type'>;
  readonly language: { readonly id: string; readonly codename: string };
  readonly obstacle: Obstacle | undefined;
  readonly permitted: SessionProject | undefined;
}

/** Why what is in the form cannot be saved, and what can be done with it. */
export function UnsavedText({ form, project, item, language, obstacle, permitted }: UnsavedTextProps) {
  const { run, error, isBusy } = useAct();
  const made = useSignal<string | undefined>(undefined);
  /** Made by an attempt that failed afterwards: the next one goes on with it. */
  const begun = useSignal<string | undefined>(undefined);
  const texts = savingTexts();
  const removed = [...form.changed.value].filter(({ isRemoved }) => isRemoved.value);
  const unplaced = form.unplaced.value;
  if (obstacle === undefined && removed.length === 0 && unplaced.length === 0) return null;

  const saveNew = () =>
    run(async () => {
      if (begun.value === undefined) {
        const copy = {
          name: nameOfCopy(item.name, texts.copyOf),
          type: { id: item.type.id },
          sitemap_locations: [],
        };
        begun.value = (await createItem(project, copy)).id;
      }
      const id = begun.value;
      const server = variantServer(`manage/projects/${project}/items/${id}/variants/${language.id}`);
      const values = [...form.elements.values()].filter(({ isRemoved }) => !isRemoved.peek());
      await server.write(
        values.map((element) => element.json()),
        undefined,
        false,
      );
      made.value = id;
    });
  const restore = () =>
    run(async () => {
      await call('POST', `admin/projects/${project}/items/${item.id}/restore`);
      await form.reload();
    });

  const text = textOf(form, obstacle !== undefined);
  return (
    <section class="failure" aria-label={texts.typed}>
      <p role="alert">{obstacle === undefined ? texts.removed : texts.obstacles[obstacle]}</p>
      <label>
        {texts.unsaved}
        <textarea readOnly rows={6} value={text} />
      </label>
      <Failure error={error.value} />
      <div class="actions">
        <CopyButton text={text}>{texts.copy}</CopyButton>
        {obstacle === undefined && (
          <button
            type="button"
            onClick={() => {
              for (const element of removed) element.restore(element.saved);
              form.unplaced.value = [];
              form.onChange();
            }}
          >
            {texts.giveUp}
          </button>
        )}
        {obstacle === 'variant' &&
          permits(permitted, 'edit-content', item.type.codename, language.codename) && (
            <button
              type="button"
              disabled={isBusy.value}
              onClick={() => void run(() => form.saveAgain().then(() => {}))}
            >
              {texts.saveAgain}
            </button>
          )}
        {obstacle === 'item' && permits(permitted, 'delete-content', item.type.codename, 'all') && (
          <button type="button" disabled={isBusy.value} onClick={() => void restore()}>
            {texts.restoreItem}
          </button>
        )}
        {(obstacle === 'item' || obstacle === 'forbidden') &&
          mayCreate(permitted, item.type.codename, language.codename) &&
          (made.value === undefined ? (
            <button type="button" disabled={isBusy.value} onClick={() => void saveNew()}>
              {texts.saveNew}
            </button>
          ) : (
            <Link href={`/projects/${project}/items/${made.value}`}>{texts.openNew}</Link>
          ))}
      </div>
    </section>
  );
}

/** The texts that the server does not have; all of the form where it has none of them. */
function textOf(form: ItemForm, isAll: boolean): string {
  const changed = [...form.changed.value];
  const elements = changed.length === 0 && isAll ? [...form.elements.values()] : changed;
  return [
    ...elements.map((element) => ({ name: element.definition.name, mine: element.json() })),
    ...form.unplaced.value,
  ]
    .map(({ name, mine }) => `${name}:\n${elementText(mine)}\n`)
    .join('\n');
}
