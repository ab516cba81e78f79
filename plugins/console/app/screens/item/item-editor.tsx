import { type Signal, useSignal } from '@preact/signals';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { ItemActs, type OpenForm } from '../../acts/item-acts.tsx';
import { get } from '../../api.ts';
import { variantPath } from '../../first-data.ts';
import { mayCreate } from '../../list/create-item.ts';
import { itemTexts } from '../../messages/item.ts';
import { messages } from '../../messages/messages.ts';
import { renameTexts } from '../../messages/rename.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { Choice } from '../../parts/field.tsx';
import { historyPath } from '../../parts/item-path.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { loaded as loadedChunk } from '../../parts/loaded-chunk.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { shownList } from '../../parts/shown-list.ts';
import { permits, useSession } from '../../session.ts';
import { useContentModel } from './content-model.ts';
import { DuplicateButton } from './duplicate-button.tsx';
import { EditedForm } from './edited-form.tsx';
import { type EditedItem, shownVariant } from './edited-item.ts';
import { FormFindings } from './form-findings.ts';
import type { ContentModel } from './form-groups.ts';
import { ItemForm, type ServedVariant } from './item-form.ts';
import { variantServer } from './server.ts';
import '../../style/item.css';
import '../../style/rich-text.css';

const RenameDialog = lazy(() => loadedChunk(import('../../acts/rename-dialog.tsx'), 'RenameDialog'));

interface ItemEditorProps {
  readonly project: string;
  readonly item: string;
}

/** One variant of an item as a form made from its type. The address has the language. */
export function ItemEditor({ project, item }: ItemEditorProps) {
  const address = useAddressState<'language'>();
  // A language that is deactivated meanwhile keeps its form.
  const opened = useRef<EditedItem['languages'][number] | null>(null);
  const model = useContentModel(project);
  const states = useQuery({
    queryKey: [project, 'item', item],
    queryFn: ({ signal }) => get<EditedItem>(`admin/projects/${project}/items/${item}`, signal),
    meta: { follows: ['content_item', 'content_item_variant', 'language', 'project', 'role', 'user'] },
  });
  const given = address.get('language') || null;
  return (
    <>
      <p>
        <Link href={shownList(`/projects/${project}/content`)}>{itemTexts().back}</Link>
      </p>
      <Loaded query={model}>
        {(loaded) => (
          <Loaded query={states}>
            {(listed) => {
              const shown = shownVariant(listed.languages, given, opened.current);
              opened.current = shown;
              const { language } = shown;
              return (
                <>
                  <div class="bar">
                    <PageHeading tabIndex={-1}>{listed.name}</PageHeading>
                    <Choice
                      label={itemTexts().language}
                      value={language.codename}
                      options={listed.languages.map((one) => ({
                        value: one.language.codename,
                        text: `${loaded.languages.find(({ id }) => id === one.language.id)?.name ?? one.language.codename} – ${messages().content.states[one.state]}`,
                      }))}
                      onChange={(language) => address.set({ language })}
                    />
                  </div>
                  <ShownVariant
                    key={`${item} ${language.id}`}
                    project={project}
                    model={loaded}
                    listed={listed}
                    isListedNow={!states.isError}
                    variant={shown}
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

interface ShownVariantProps {
  readonly project: string;
  readonly model: ContentModel;
  readonly listed: EditedItem;
  /** It was not refused when it was read last. */
  readonly isListedNow: boolean;
  readonly variant: EditedItem['languages'][number];
}

/** What can be done with a variant and its item, and its form. */
function ShownVariant({ project, model, listed, isListedNow, variant }: ShownVariantProps) {
  const { language } = variant;
  const findings = useMemo(() => new FormFindings(listed.id, language.id), [listed.id, language.id]);
  const opened = useSignal<OpenForm | undefined>(undefined);
  const queries = useQueryClient();
  const isRenaming = useSignal(false);
  const permitted = useSession().data?.projects.find(({ id }) => id === project);
  const mayRename =
    !listed.archived &&
    permits(permitted, 'create-content') &&
    permits(permitted, 'edit-content', listed.type.codename, 'all');
  return (
    <>
      <p class="filters">
        <Link class="button" href={historyPath(project, listed, language)}>
          {itemTexts().history}
        </Link>
        <ItemActs
          project={project}
          item={listed}
          variant={variant}
          languages={model.languages}
          findings={findings}
          form={opened.value}
        />
        {mayRename && (
          <button type="button" onClick={() => (isRenaming.value = true)}>
            {renameTexts().open}
          </button>
        )}
        {!listed.archived && mayCreate(permitted, listed.type.codename) && (
          <DuplicateButton
            project={project}
            model={model}
            item={listed}
            language={language.codename}
            form={opened.value}
          />
        )}
      </p>
      <Suspense fallback={null}>
        {isRenaming.value && (
          <RenameDialog
            project={project}
            item={listed.id}
            onClose={(isChanged) => {
              isRenaming.value = false;
              if (isChanged) void queries.invalidateQueries({ queryKey: [project, 'item', listed.id] });
            }}
          />
        )}
      </Suspense>
      <VariantEditor {...{ project, model, listed, isListedNow, findings, opened }} language={language.id} />
    </>
  );
}

interface VariantEditorProps {
  readonly project: string;
  readonly model: ContentModel;
  readonly listed: EditedItem;
  readonly isListedNow: boolean;
  /** Id. */
  readonly language: string;
  readonly findings: FormFindings;
  /** Set while the form is there. */
  readonly opened: Signal<OpenForm | undefined>;
}

function VariantEditor(props: VariantEditorProps) {
  const { project, listed, language } = props;
  const path = variantPath(project, listed.id, language);
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
  const first = useMemo(() => type && new ItemForm(model, type, served, variantServer(path)), [path]);
  const renewed = useSignal<{ readonly form: ItemForm; readonly count: number } | undefined>(undefined);
  const { form, count } = renewed.value ?? { form: first, count: 0 };
  useEffect(() => {
    if (form && type) form.followType(model, type);
  }, [form, model, type]);
  const renew = async () => {
    if (!form || !type) return;
    renewed.value = { form: await form.renewed(model, type), count: count + 1 };
    // The button that had the focus is gone with the earlier form.
    setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus());
  };
  return form ? (
    <EditedForm key={count} {...props} form={form} onRenew={renew} />
  ) : (
    <p>{messages().failure.notFound}</p>
  );
}
