import { type Signal, useSignal } from '@preact/signals';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import type { Allowed } from '../../acts/act-data.ts';
import { ActDialog } from '../../acts/act-dialog.tsx';
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
import { FormBody } from './form-body.tsx';
import { FormContext } from './form-context.ts';
import type { ContentModel } from './form-groups.ts';
import { ItemForm, type ServedVariant } from './item-form.ts';
import { ItemTools } from './item-tools.tsx';
import { LocalCopies, type LocalCopy } from './local-copy.ts';
import { variantServer } from './server.ts';
import type { SourceVariant } from './source-variant.ts';
import { texts } from './texts.ts';

/** An item with the state of each language. */
interface EditedItem extends ListedItem {
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
  const model = useContentModel(project);
  const states = useQuery({
    queryKey: [project, 'item', item],
    queryFn: ({ signal }) => get<EditedItem>(`admin/projects/${project}/items/${item}`, signal),
    meta: { follows: ['content_item', 'content_item_variant'] },
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
              const { language } =
                listed.languages.find(
                  ({ language: { id, codename } }) => codename === given || id === given,
                ) ?? (listed.languages[0] as EditedItem['languages'][number]);
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
                  <p>
                    <Link href={historyPath(project, listed, language)}>{texts().history}</Link>
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

function VariantForm({ project, model, listed, language, path, served }: VariantFormProps) {
  const session = useSession();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAct();
  const isPublishing = useSignal(false);
  const isKept = useSignal<boolean | undefined>(undefined);
  const copy = useSignal<LocalCopy | undefined>(undefined);
  const focused = useSignal<string | null>(null);
  const source = useSignal<SourceVariant | undefined>(undefined);
  usePresence({ project, item: listed.id, language, element: focused.value });
  const type = model.types.get(listed.type.id);
  const form = useMemo(
    () => (type ? new ItemForm(model, type, served, variantServer(path)) : undefined),
    // Made once: what is read later goes through the form.
    [path],
  );
  const person = session.data?.person.id;
  const copies = useMemo(
    () =>
      new LocalCopies(
        `${person} ${project} ${listed.id} ${language}`,
        () => form?.kept() ?? [],
        (result) => {
          isKept.value = result;
        },
      ),
    [person, path],
  );
  useEffect(() => {
    if (!form) return undefined;
    let isOpen = true;
    void copies.read().then((found) => {
      if (isOpen && found && found.elements.length > 0) copy.value = found;
      form.onChange = () => {
        if (isKept.value) isKept.value = undefined;
        copies.schedule();
      };
    });
    // A form without changes must not delete a copy of an earlier visit or of another tab.
    const leave = () => {
      if (form.changed.value.size > 0) void copies.write();
    };
    const warn = (event: BeforeUnloadEvent) => {
      if (form.changed.value.size > 0 && !isKept.value) event.preventDefault();
    };
    addEventListener('pagehide', leave);
    addEventListener('beforeunload', warn);
    return () => {
      isOpen = false;
      leave();
      removeEventListener('pagehide', leave);
      removeEventListener('beforeunload', warn);
    };
  }, [form, copies]);
  const {
    state,
    allowed = [],
    last_modified: known,
  } = listed.languages.find((one) => one.language.id === language) ?? {};
  const mayEdit = allowed.includes('edit');
  const isPublic = state === 'published';
  const isReadOnly = !mayEdit || isPublic;
  useEffect(() => {
    // Where another person saved, and the form knows an older version.
    if (form && known && form.lastModified && known !== form.lastModified)
      form.reload().catch(() => undefined);
  }, [form, known]);
  const { id, name, codename, type: itemType } = listed;
  // The same object until it is renamed: with another one each input is drawn again.
  const item = useMemo(() => ({ id, name, codename, type: itemType }), [id, name, codename, itemType.id]);
  const facts = useMemo(
    () => ({
      project,
      item,
      elements: form?.elements ?? new Map(),
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
  const body = useMemo(() => form && <FormBody groups={form.groups} elements={form.elements} />, [form]);
  if (!form) return <p>{messages().failure.notFound}</p>;
  const refresh = () => queries.invalidateQueries({ queryKey: [project, 'item', listed.id] });

  async function save(): Promise<boolean> {
    if (!form) return false;
    const isSaved = await form.save();
    await copies.write();
    if (isSaved) {
      await refresh();
      announce(texts().saved);
    }
    return isSaved;
  }

  return (
    <FormContext.Provider value={facts}>
      <div class="form-bar">
        <p role="status">
          <SaveState form={form} isKept={isKept} />
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
            <button type="button" class="primary" disabled={form.saving.value} onClick={() => void save()}>
              {texts().save}
            </button>
            {allowed.includes('publish') && (
              <button
                type="button"
                disabled={form.saving.value || form.hasConflict}
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
      {isPublic && mayEdit && <p class="hint">{texts().readOnly}</p>}
      {!mayEdit && <p class="hint">{texts().mayNotEdit}</p>}
      {!form.exists.value && <p class="hint">{texts().notTranslated}</p>}
      {form.isMerged.value && <p class="notice">{texts().changedElsewhere}</p>}
      {error.value !== undefined && <Failure error={error.value} />}
      {form.error.value !== undefined && <Failure error={form.error.value} onRetry={() => void save()} />}
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
      {copy.value && !isReadOnly && (
        <Dialog title={texts().restoreTitle}>
          <p>{texts().restore(formatTime(copy.value.at))}</p>
          <div class="actions">
            <button
              type="button"
              onClick={() => {
                copy.value = undefined;
                void copies.write();
              }}
            >
              {texts().restoreNo}
            </button>
            <button
              type="button"
              class="primary"
              onClick={() => {
                form.restore(copy.value?.elements ?? []);
                copy.value = undefined;
              }}
            >
              {texts().restoreYes}
            </button>
          </div>
        </Dialog>
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

interface SaveStateProps {
  readonly form: ItemForm;
  /** Whether the browser has a copy of the changes; undefined: it is about to get one. */
  readonly isKept: Signal<boolean | undefined>;
}

/** What of the form the server has, in words. */
function SaveState({ form, isKept }: SaveStateProps) {
  const count = form.changed.value.size;
  if (form.saving.value) return <>{texts().saving}</>;
  if (count === 0) return <>{form.exists.value ? texts().saved : ''}</>;
  const failed = form.error.value === undefined ? '' : `${texts().saveFailed} `;
  return (
    <>
      {failed}
      {texts().unsaved(count)} {isKept.value && texts().keptHere} {isKept.value === false && texts().notKept}
    </>
  );
}
