import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { ApiError, call } from '../../api.ts';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { Conflict } from '../../parts/conflict.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog, FormActions } from '../../parts/dialog.tsx';
import { Edited } from '../../parts/edited.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { listingCalls } from '../../parts/object-calls.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { UnsavedForm, type UnsavedInput, useUnsaved } from '../../parts/unsaved-form.tsx';
import { useAct } from '../../parts/use-act.ts';
import { type TaggedObject, useTagged } from '../../parts/use-tagged.ts';
import { useContentModel } from '../item/content-model.ts';
import { ImpactDialog } from './impact-dialog.tsx';
import { ModelNav } from './model-nav.tsx';

interface Language {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly is_active: boolean;
  readonly is_default: boolean;
  /** Itself: none. */
  readonly fallback_language: { readonly id: string };
}

/** The languages of a project and which others their readers get. */
export function Languages({ project }: { readonly project: string }) {
  const t = modelTexts();
  const model = useContentModel(project);
  const edited = useSignal<Language | 'new' | undefined>(undefined);
  const queries = useQueryClient();
  const close = () => {
    edited.value = undefined;
    void queries.invalidateQueries({ queryKey: [project] });
  };
  return (
    <>
      <ModelNav project={project} />
      <PageHeading>{t.languages}</PageHeading>
      <p class="hint">{t.language.defaultHint}</p>
      <div class="bar">
        <button
          type="button"
          class="primary"
          onClick={() => {
            edited.value = 'new';
          }}
        >
          {t.language.add} …
        </button>
        <ApiCallButton project={project} calls={() => listingCalls('languages')} />
      </div>
      <Loaded query={model}>
        {(data) => {
          const languages = data.languages as readonly Language[];
          const nameOf = (id: string) => languages.find((language) => language.id === id)?.name ?? id;
          return (
            <>
              <DataTable
                columns={[t.name, t.codename, t.language.state, t.language.fallback, t.acts]}
                empty=""
                rows={languages.map((language) => ({
                  key: language.id,
                  cells: [
                    language.name,
                    <code key="codename">{language.codename}</code>,
                    [
                      language.is_active ? t.language.active : t.language.inactive,
                      ...(language.is_default ? [t.language.isDefault] : []),
                    ].join(', '),
                    language.fallback_language.id === language.id
                      ? t.language.noFallback
                      : nameOf(language.fallback_language.id),
                    <button
                      key="edit"
                      type="button"
                      aria-label={t.language.edit(language.name)}
                      onClick={() => {
                        edited.value = language;
                      }}
                    >
                      ✎
                    </button>,
                  ],
                }))}
              />
              {edited.value !== undefined && (
                <LanguageDialog
                  project={project}
                  listed={edited.value === 'new' ? undefined : edited.value}
                  languages={languages}
                  onClose={close}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

interface LanguageDialogProps {
  readonly project: string;
  /** Undefined: a new one. */
  readonly listed: Language | undefined;
  readonly languages: readonly Language[];
  readonly onClose: () => void;
}

function LanguageDialog(props: LanguageDialogProps) {
  const { project, listed, onClose } = props;
  const unsaved = useUnsaved('language', project, listed?.id);
  const object = useTagged<Language>(listed && `manage/projects/${project}/languages/${listed.id}`);
  const { language } = modelTexts();
  return (
    <Dialog title={listed ? language.edit(listed.name) : language.add} onClose={onClose} isForm>
      <Edited object={object} isNew={!listed}>
        <LanguageForm {...props} object={object} unsaved={unsaved} />
      </Edited>
    </Dialog>
  );
}

type Operation = { readonly op: 'replace'; readonly property_name: string; readonly value: unknown };

interface LanguageFormProps extends LanguageDialogProps {
  readonly object: TaggedObject<Language>;
  readonly unsaved: UnsavedInput;
}

function LanguageForm({ project, languages, object, unsaved, onClose }: LanguageFormProps) {
  const t = modelTexts();
  const path = `manage/projects/${project}/languages`;
  const language = object.value;
  const standard = languages.find(({ is_default }) => is_default);
  const fallback = useSignal(language?.fallback_language.id ?? standard?.id ?? '');
  /** What is shown before it is saved. */
  const planned = useSignal<readonly Operation[] | undefined>(undefined);
  const { run, error } = useAct();

  const submit = (form: HTMLFormElement) =>
    run(async () => {
      const given = new FormData(form);
      const next: Readonly<Record<string, unknown>> = {
        name: String(given.get('name')),
        codename: String(given.get('codename')),
        ...(!language?.is_default && { is_active: given.has('is_active') }),
        ...(!language?.is_default && { fallback_language: { id: fallback.value } }),
      };
      if (!language) {
        await call('POST', path, next);
        void unsaved.clear();
        announce(t.saved(String(next['name'])));
        onClose();
        return;
      }
      const before = language as unknown as Readonly<Record<string, unknown>>;
      const operations = Object.entries(next)
        .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
        .map(([property_name, value]) => ({ op: 'replace' as const, property_name, value }));
      if (operations.length === 0) onClose();
      else planned.value = operations;
    });

  const save = async () => {
    try {
      await object.write('PATCH', `${path}/${language?.id}`, planned.value);
    } catch (failure) {
      planned.value = undefined;
      if (!(failure instanceof ApiError) || failure.status !== 412) error.value = failure;
      return;
    }
    void unsaved.clear();
    announce(t.saved(language?.name ?? ''));
    onClose();
  };

  const others = languages.filter(({ id, is_active }) => id !== language?.id && is_active);
  return (
    <>
      <UnsavedForm
        unsaved={unsaved}
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <Field label={t.name} name="name" required maxLength={25} defaultValue={language?.name ?? ''} />
        <Field
          label={t.codename}
          name="codename"
          required
          pattern="[A-Za-z0-9_\-]+"
          maxLength={25}
          defaultValue={language?.codename ?? ''}
        />
        {language?.is_default ? (
          <p class="hint">{t.language.defaultHint}</p>
        ) : (
          <>
            <label class="check">
              <input type="checkbox" name="is_active" defaultChecked={language?.is_active ?? true} />{' '}
              {t.language.isActive}
            </label>
            <Choice
              label={t.language.fallback}
              value={fallback.value}
              options={[
                ...(language ? [{ value: language.id, text: t.language.noFallback }] : []),
                ...others.map(({ id, name }) => ({ value: id, text: name })),
              ]}
              onChange={(id) => {
                fallback.value = id;
              }}
            />
          </>
        )}
        <Failure error={error.value} />
        <Conflict
          object={object}
          labels={{
            name: t.name,
            codename: t.codename,
            is_active: t.language.active,
            fallback_language: t.language.fallback,
          }}
        />
        <FormActions submit={language ? t.saveReviewed : t.save} />
      </UnsavedForm>
      {planned.value && language && (
        <ImpactDialog
          title={t.impact.title(language.name)}
          changes={[]}
          path={`admin/projects/${project}/languages/${language.id}/impact`}
          body={{ operations: planned.value }}
          confirm={t.saveNow}
          onConfirm={save}
          onClose={() => {
            planned.value = undefined;
          }}
        />
      )}
    </>
  );
}
