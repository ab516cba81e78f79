import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { Link, useLocation } from 'wouter-preact';
import { query } from '../api.ts';
import { newItemTexts } from '../messages/new-item.ts';
import { announce } from '../parts/announce.tsx';
import { Cancel, Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { useSession } from '../session.ts';
import { createDraft, createItem, mayCreate } from './create-item.ts';
import { LocationChecks, locationsIn } from './location-checks.tsx';
import { type ContentType, type Named, useLanguages, useTypes } from './project-data.ts';

interface NewItemDialogProps {
  readonly project: string;
  /** Codenames that the list is filtered by, or empty. */
  readonly type: string;
  readonly language: string;
  readonly onClose: () => void;
}

/** Creates an item, and opens its form. */
export function NewItemDialog(props: NewItemDialogProps) {
  const texts = newItemTexts();
  const types = useTypes(props.project);
  const languages = useLanguages(props.project);
  const act = useAct();
  return (
    <Dialog title={texts.title} {...(!act.isBusy.value && { onClose: props.onClose })} isForm>
      <Loaded query={types}>
        {(types) => (
          <Loaded query={languages}>
            {(languages) => <NewItemForm {...props} {...{ act, types, languages }} />}
          </Loaded>
        )}
      </Loaded>
    </Dialog>
  );
}

interface NewItemFormProps extends NewItemDialogProps {
  readonly act: ReturnType<typeof useAct>;
  readonly types: readonly ContentType[];
  readonly languages: readonly Named[];
}

function NewItemForm({ project, act, types, languages, onClose, ...filtered }: NewItemFormProps) {
  const texts = newItemTexts();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { run, error, isBusy } = act;
  const unsaved = useUnsaved('item', project);
  const chosenType = useSignal(filtered.type);
  const chosenLanguage = useSignal(filtered.language);
  const permitted = useSession().data?.projects.find(({ id }) => id === project);
  const writable = (type: Named) =>
    languages.filter(({ codename }) => mayCreate(permitted, type.codename, codename));
  const offered = types.filter((one) => writable(one).length > 0);
  const type = offered.find(({ codename }) => codename === chosenType.value) ?? offered[0];
  if (!type)
    return (
      <>
        <p>{types.length > 0 ? texts.notPermitted : texts.noTypes}</p>
        <div class="actions">
          {types.length === 0 && <Link href={`/projects/${project}/types`}>{texts.types}</Link>}
          <Cancel>{texts.cancel}</Cancel>
        </div>
      </>
    );
  const among = writable(type);
  const language = among.find(({ codename }) => codename === chosenLanguage.value) ?? (among[0] as Named);
  const optionsOf = (all: readonly Named[]) =>
    all.map(({ codename, name }) => ({ value: codename, text: name }));

  const create = (form: HTMLFormElement) =>
    run(async () => {
      const given = new FormData(form);
      const name = String(given.get('name')).trim();
      const codename = String(given.get('codename')).trim();
      const { id } = await createItem(project, {
        name,
        type: { id: type.id },
        sitemap_locations: locationsIn(form),
        ...(codename !== '' && { codename }),
      });
      // Where this fails, the form creates the draft with the first text, or says what is in the way.
      await createDraft(project, id, language.id).catch(() => undefined);
      void unsaved.clear();
      announce(texts.created(name));
      void queries.invalidateQueries({ queryKey: [project] });
      navigate(`/projects/${project}/items/${id}${query({ language: language.codename })}`, {
        replace: true,
      });
    });
  return (
    <UnsavedForm
      unsaved={unsaved}
      onSubmit={(event) => {
        event.preventDefault();
        void create(event.currentTarget);
      }}
    >
      <Field label={texts.name} name="name" required maxLength={50} autocomplete="off" />
      <Choice
        label={texts.type}
        value={type.codename}
        options={optionsOf(offered)}
        onChange={(codename) => (chosenType.value = codename)}
      />
      <Choice
        label={texts.language}
        value={language.codename}
        options={optionsOf(among)}
        onChange={(codename) => (chosenLanguage.value = codename)}
      />
      <Field
        label={texts.codename}
        hint={texts.codenameHint}
        name="codename"
        maxLength={60}
        autocomplete="off"
      />
      <LocationChecks project={project} legend={texts.locations} />
      <Failure error={error.value} />
      <div class="actions">
        <Cancel disabled={isBusy.value}>{texts.cancel}</Cancel>
        <button type="submit" class="primary" disabled={isBusy.value}>
          {texts.create}
        </button>
      </div>
    </UnsavedForm>
  );
}
