import { useSignal } from '@preact/signals';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { Allowed } from '../../acts/act-data.ts';
import { ActDialog } from '../../acts/act-dialog.tsx';
import { ItemActs } from '../../acts/item-acts.tsx';
import { call, get } from '../../api.ts';
import { formatTime, messages } from '../../messages/messages.ts';
import { announce } from '../../parts/announce.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice } from '../../parts/field.tsx';
import { historyPath } from '../../parts/item-path.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Present } from '../../parts/present.tsx';
import { useAct } from '../../parts/use-act.ts';
import { usePresence } from '../../parts/use-presence.ts';
import { useSession } from '../../session.ts';
import type { ListedItem } from '../listed-item.ts';
import { useContentModel } from './content-model.ts';
import { DiscardDialog } from './discard-dialog.tsx';
import { DuplicateButton } from './duplicate-button.tsx';
import { FormBody } from './form-body.tsx';
import { FormContext } from './form-context.ts';
import type { ContentModel } from './form-groups.ts';
import { ItemForm, type ServedVariant } from './item-form.ts';
import { ItemTools } from './item-tools.tsx';
import { KeptText } from './kept-text.tsx';
import { OpenFindings, SaveState } from './save-state.tsx';
import { savingTexts } from './saving-texts.ts';
import { isTemporary, variantServer } from './server.ts';
import type { SourceVariant } from './source-variant.ts';
import { texts } from './texts.ts';
import { useSaving } from './use-saving.ts';

/** An item with the state of each language. */
interface EditedItem extends ListedItem {
  /** When it was. */
  readonly archived: string | null;
  readonly languages: readonly (ListedItem['languages'][number] & {
    readonly last_modified: string | null;
    readonly allowed: readonly Allowed[];
  })[];
}

interface ItemEditorProps {
  readonly project: string;
  readonly item: string;
}

/** One variant of an item as a form made from its type. The address has the language. */
export function ItemEditor({ project, item }: ItemEditorProps) {
  const [search, setSearch] = useSearchParams();
  // A language that is deactivated meanwhile keeps its form.
  const opened = useRef<EditedItem['languages'][number] | null>(null);
  const model = useContentModel(project);
  const mayCreate = useSession()
    .data?.projects.find(({ id }) => id === project)
    ?.permissions.includes('create-content');
  const states = useQuery({
    queryKey: [project, 'item', item],
    queryFn: ({ signal }) => get<EditedItem>(`admin/projects/${project}/items/${item}`, signal),
    meta: { follows: ['content_item', 'content_item_variant', 'language', 'role', 'user'] },
  });
  const given = search.get('language');
  return (
    <>
      <p>
        <Link href={`/projects/${project}/content`}>{texts().back}</Link>
      </p>
      <Loaded query={model}>
        {(loaded) => (
          <Loaded query={states}>
            {(listed) => {
              const isGiven = ({ language: { id, codename } }: EditedItem['languages'][number]) =>
                codename === given || id === given;
              const last = opened.current;
              const shown =
                listed.languages.find(isGiven) ??
                (last && (given === null || isGiven(last)) ? last : undefined) ??
                (listed.languages[0] as EditedItem['languages'][number]);
              opened.current = shown;
              const { language } = shown;
              return (
                <>
                  <h1>{listed.name}</h1>
                  <Choice
                    label={texts().language}
                    value={language.codename}
                    options={listed.languages.map((one) => ({
                      value: one.language.codename,
                      text: `${loaded.languages.find(({ id }) => id === one.language.id)?.name ?? one.language.codename} – ${messages().content.states[one.state]}`,
                    }))}
                    onChange={(codename) => setSearch({ language: codename })}
                  />
                  <p class="filters">
                    <Link href={historyPath(project, listed, language)}>{texts().history}</Link>
                    <ItemActs
                      key={language.id}
                      project={project}
                      item={listed}
                      variant={shown}
                      languages={loaded.languages}
                    />
                    {mayCreate && !listed.archived && (
                      <DuplicateButton key={item} project={project} item={listed} />
                    )}
                  </p>
                  <VariantEditor
                    key={`${item} ${language.id}`}
                    project={project}
                    model={loaded}
                    listed={listed}
                    language={language.id}
                  />
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

interface VariantEditorProps {
  readonly project: string;
  readonly model: ContentModel;
  readonly listed: EditedItem;
  /** Id. */
  readonly language: string;
}

function VariantEditor(props: VariantEditorProps) {
  const { project, listed, language } = props;
  const path = `manage/projects/${project}/items/${listed.id}/variants/${language}`;
  const served = useQuery({
    queryKey: [project, 'variant', listed.id, language],
    queryFn: () => variantServer(path).read(),
    // The form is made once from what was read; afterwards it follows what it saves.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={served}>{(variant) => <VariantForm {...props} path={path} served={variant} />}</Loaded>
  );
}

interface VariantFormProps extends VariantEditorProps {
  readonly path: string;
  readonly served: ServedVariant;
}

function VariantForm(props: VariantFormProps) {
  const { model, listed, served, path } = props;
  const type = model.types.get(listed.type.id);
  // Made once: what is read later goes through the form.
  const form = useMemo(() => type && new ItemForm(model, type, served, variantServer(path)), [path]);
  useEffect(() => {
    if (form && type) form.followType(model, type);
  }, [form, model, type]);
  return form ? <EditedForm {...props} form={form} /> : <p>{messages().failure.notFound}</p>;
}

function EditedForm({
  project,
  model,
  listed,
  language,
  path,
  form,
}: VariantFormProps & { readonly form: ItemForm }) {
  const session = useSession();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAct();
  const isPublishing = useSignal(false);
  const isDiscarding = useSignal(false);
  const focused = useSignal<string | null>(null);
  const source = useSignal<SourceVariant | undefined>(undefined);
  usePresence({ project, item: listed.id, language, element: focused.value });
  const {
    state,
    allowed = [],
    last_modified: known,
  } = listed.languages.find((one) => one.language.id === language) ?? {};
  const mayEdit = allowed.includes('edit');
  const isPublic = state === 'published';
  const isReadOnly = !mayEdit || isPublic;
  const { permissions = [] } = session.data?.projects.find(({ id }) => id === project) ?? {};
  const refresh = () => queries.invalidateQueries({ queryKey: [project, 'item', listed.id] });
  const key = `${session.data?.person.id} ${project} ${listed.id} ${language}`;
  const saving = useSaving(form, key, !isReadOnly, refresh);
  const found = saving.found.value;
  useEffect(() => {
    // Where another person saved, and the form knows an older version; where the variant was archived or restored.
    if (
      (known && form.lastModified && known !== form.lastModified) ||
      form.obstacle.peek() ||
      (form.exists.peek() && state === 'archived')
    )
      form.reload().catch(() => undefined);
  }, [form, known, state, mayEdit, listed.archived]);
  const { id, name, codename, type: itemType } = listed;
  // The same object until it is renamed: with another one each input is drawn again.
  const item = useMemo(() => ({ id, name, codename, type: itemType }), [id, name, codename, itemType.id]);
  const facts = useMemo(
    () => ({
      project,
      item,
      elements: form.elements,
      depth: 0,
      model,
      language,
      isReadOnly,
      source,
      Body: FormBody,
    }),
    [project, item, form, model, language, isReadOnly, source],
  );
  // Drawn once: each input follows its own signal.
  const body = useMemo(() => <FormBody groups={form.groups} elements={form.elements} />, [form]);
  const isDeactivated = !listed.languages.some((one) => one.language.id === language);
  const obstacle =
    form.obstacle.value ??
    (isDeactivated ? 'language' : !mayEdit && form.changed.value.size > 0 ? 'forbidden' : undefined);
  const isStuck = form.error.value !== undefined && !isTemporary(form.error.value);

  async function save(): Promise<boolean> {
    const isSaved = await saving.save();
    if (isSaved) announce(texts().saved);
    return isSaved;
  }

  return (
    <FormContext.Provider value={facts}>
      <div class="form-bar">
        <p role="status">
          <SaveState form={form} saving={saving} />
        </p>
        <Present item={listed.id} language={language} />
        {mayEdit && isPublic && (
          <button
            type="button"
            class="primary"
            disabled={isBusy.value}
            onClick={() =>
              void run(async () => {
                await call('PUT', `${path}/new-version`);
                await form.reload();
                await refresh();
              })
            }
          >
            {texts().newVersion}
          </button>
        )}
        {!isReadOnly && (
          <>
            <button type="button" disabled={form.undoable.value.length === 0} onClick={() => form.undo()}>
              {texts().undo}
            </button>
            <button
              type="button"
              disabled={form.changed.value.size === 0}
              title={texts().discardHint}
              onClick={() => form.discard()}
            >
              {texts().discard}
            </button>
            <button type="button" class="primary" onClick={() => void save()}>
              {texts().save}
            </button>
            {state === 'changed' && (
              <button type="button" onClick={() => void save().then(() => (isDiscarding.value = true))}>
                {savingTexts().discardDraft}
              </button>
            )}
            {allowed.includes('publish') && (
              <button
                type="button"
                disabled={form.hasConflict}
                title={form.hasConflict ? savingTexts().publishClosed : undefined}
                onClick={() =>
                  void save().then((isSaved) => {
                    isPublishing.value = isSaved;
                  })
                }
              >
                {texts().publish}
              </button>
            )}
          </>
        )}
      </div>
      <ItemTools listed={listed} />
      {isPublic && mayEdit && (
        <p class={form.changed.value.size > 0 ? 'notice' : 'hint'}>
          {form.changed.value.size > 0 ? savingTexts().publishedMeanwhile : texts().readOnly}
        </p>
      )}
      {!mayEdit && <p class="hint">{texts().mayNotEdit}</p>}
      {!form.exists.value && <p class="hint">{texts().notTranslated}</p>}
      {form.isMerged.value && <p class="notice">{texts().changedElsewhere}</p>}
      {error.value !== undefined && <Failure error={error.value} />}
      {isStuck && <Failure error={form.error.value} onRetry={() => void save()} />}
      <OpenFindings form={form} />
      <KeptText
        form={form}
        project={project}
        item={listed}
        language={language}
        obstacle={obstacle}
        permissions={permissions}
      />
      <form
        onFocusCapture={({ target }) => {
          const element = (target as HTMLElement).closest<HTMLElement>('[data-element]');
          focused.value = element?.dataset['element'] ?? null;
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReadOnly) void save();
        }}
        onKeyDown={(event) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (!isReadOnly) void save();
        }}
      >
        {body}
      </form>
      {found && !isReadOnly && (
        <Dialog title={texts().restoreTitle}>
          <p>{texts().restore(formatTime(found.at))}</p>
          <div class="actions">
            <button type="button" onClick={saving.dropFound}>
              {texts().restoreNo}
            </button>
            <button type="button" class="primary" onClick={saving.restoreFound}>
              {texts().restoreYes}
            </button>
          </div>
        </Dialog>
      )}
      {isDiscarding.value && (
        <DiscardDialog
          project={project}
          item={listed.id}
          language={language}
          onClose={(isDone) => {
            isDiscarding.value = false;
            if (!isDone) return;
            void form
              .reload()
              .then(() => {
                // What is new in the form is what the person has chosen.
                form.isMerged.value = false;
                return refresh();
              })
              .catch(() => undefined);
          }}
        />
      )}
      {isPublishing.value && (
        <ActDialog
          project={project}
          act="publish"
          language={language}
          select={() => ({ objects: [{ item: { id: listed.id }, language: { id: language } }] })}
          onClose={(isChanged) => {
            isPublishing.value = false;
            if (isChanged) void refresh();
          }}
        />
      )}
    </FormContext.Provider>
  );
}
