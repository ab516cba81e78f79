import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { createDraft, createItem, mayCreate } from '../../list/create-item.ts';
import { itemTexts } from '../../messages/item.ts';
import { Failure } from '../../parts/failure.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { isOfInputMethod } from '../../parts/input-method.ts';
import { useAct } from '../../parts/use-act.ts';
import { useSession } from '../../session.ts';
import { useForm } from './form-context.ts';
import type { ContentType } from './managed.ts';
import type { Picked } from './picked.ts';
import '../../style/item.css';

interface NewItemProps {
  readonly types: readonly ContentType[];
  readonly onMade: (made: Picked) => void;
}

/** Makes an item, with an empty variant in the language of the form. */
export function NewItem({ types, onMade }: NewItemProps) {
  const { project, model, language } = useForm();
  const queries = useQueryClient();
  const session = useSession();
  const { run, error, isBusy } = useAct();
  const name = useSignal('');
  const chosen = useSignal<string | undefined>(undefined);
  const permitted = session.data?.projects.find(({ id }) => id === project);
  const codename = model.languages.find(({ id }) => id === language)?.codename;
  const offered = types.filter((type) => mayCreate(permitted, type.codename, codename));
  const type = offered.find(({ id }) => id === chosen.value) ?? offered[0];
  if (!type) return null;
  const make = () =>
    run(async () => {
      const given = { name: name.value.trim(), type: { id: type.id } };
      const { id } = await createItem(project, given);
      // Where this fails, the form of the item creates the draft; a further attempt would make a second item.
      await createDraft(project, id, language).catch(() => undefined);
      await queries.invalidateQueries({ queryKey: [project, 'picker'] });
      onMade({ id, name: given.name });
    });
  return (
    <details>
      <summary>{itemTexts().newItem}</summary>
      <Field
        label={itemTexts().newItemName}
        value={name.value}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || isOfInputMethod(event)) return;
          event.preventDefault();
          if (name.value.trim() !== '') void make();
        }}
      />
      {offered.length > 1 && (
        <Choice
          label={itemTexts().newItemType}
          value={type.id}
          options={offered.map((one) => ({ value: one.id, text: one.name }))}
          onChange={(id) => (chosen.value = id)}
        />
      )}
      <button type="button" disabled={isBusy.value || name.value.trim() === ''} onClick={() => void make()}>
        {itemTexts().newItemMake}
      </button>
      <Failure error={error.value} />
    </details>
  );
}
