import { type Signal, useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import type { OpenForm } from '../../acts/item-acts.tsx';
import { itemTexts } from '../../messages/item.ts';
import { formatTime } from '../../messages/messages.ts';
import { savingTexts } from '../../messages/saving.ts';
import { announce } from '../../parts/announce.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { usePresence } from '../../parts/use-presence.ts';
import { useSaveKey } from '../../parts/use-save-key.ts';
import { useSession } from '../../session.ts';
import { type EditedItem, formKey } from './edited-item.ts';
import { FormBar } from './form-bar.tsx';
import { FormBody } from './form-body.tsx';
import { FormContext } from './form-context.ts';
import type { FormFindings } from './form-findings.ts';
import type { ContentModel } from './form-groups.ts';
import type { ItemForm } from './item-form.ts';
import { ItemTools } from './item-tools.tsx';
import { LaterType } from './later-type.tsx';
import { OpenFindings } from './save-state.tsx';
import { isTemporary } from './server.ts';
import type { SourceVariant } from './source-variant.ts';
import { UnsavedText } from './unsaved-text.tsx';
import { useSaving } from './use-saving.ts';

interface EditedFormProps {
  readonly project: string;
  readonly model: ContentModel;
  readonly listed: EditedItem;
  /** It was not refused when it was read last. */
  readonly isListedNow: boolean;
  /** Id. */
  readonly language: string;
  /** Of the variant in the management API. */
  readonly path: string;
  readonly form: ItemForm;
  readonly findings: FormFindings;
  /** Set while the form is there. */
  readonly opened: Signal<OpenForm | undefined>;
  /** Makes the form anew from the type as it is now. */
  readonly onRenew: () => Promise<void>;
}

/** The form of a variant with its state, what stands in its way, and what is found in it. */
export function EditedForm(props: EditedFormProps) {
  const { project, model, listed, isListedNow, language, path, form, findings, opened, onRenew } = props;
  const session = useSession();
  const queries = useQueryClient();
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
  const refresh = () => queries.invalidateQueries({ queryKey: [project, 'item', listed.id] });
  const key = formKey(session.data?.person.id, project, listed.id, language);
  useEffect(() => findings.follow(form), [findings, form]);
  const saving = useSaving(form, key, listed.name, !isReadOnly, refresh);
  const found = saving.found.value;
  useEffect(() => {
    // Where another person saved, and the form knows an older version; where the variant was archived or restored; where
    // the person may read the item again.
    if (
      (known && form.lastModified && known !== form.lastModified) ||
      form.obstacle.peek() ||
      (form.exists.peek() && state === 'archived')
    )
      saving.readOthers();
  }, [form, known, state, mayEdit, listed.archived, isListedNow]);
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
    // Then the bar says it, too.
    const isInBar = form.changed.peek().size > 0;
    const isSaved = await saving.save();
    if (isSaved) announce(<span aria-hidden={isInBar}>{itemTexts().saved}</span>);
    return isSaved;
  }

  useSaveKey(() => {
    if (!isReadOnly) void save();
  });
  useEffect(() => {
    opened.value = {
      get hasConflict() {
        return form.hasConflict;
      },
      save: async () => (isReadOnly && form.changed.peek().size === 0) || save(),
    };
    return () => {
      opened.value = undefined;
    };
  }, [form, isReadOnly]);

  return (
    <FormContext.Provider value={facts}>
      <FormBar {...{ project, listed, language, path, form, saving, findings, refresh, save }} />
      <ItemTools listed={listed} />
      {isPublic && mayEdit && (
        <p class={form.changed.value.size > 0 ? 'notice' : 'hint'}>
          {form.changed.value.size > 0 ? savingTexts().publishedMeanwhile : itemTexts().readOnly}
        </p>
      )}
      {!mayEdit && (
        <p class="hint">{state === 'scheduled' ? itemTexts().mayNotEditScheduled : itemTexts().mayNotEdit}</p>
      )}
      {!form.exists.value && <p class="hint">{itemTexts().notTranslated}</p>}
      {form.isMerged.value && <p class="notice">{itemTexts().changedElsewhere}</p>}
      {isStuck && <Failure error={form.error.value} onRetry={() => void save()} />}
      <OpenFindings form={form} findings={findings} />
      <LaterType
        form={form}
        onLoad={async () => {
          await saving.save();
          await onRenew();
        }}
      />
      <UnsavedText
        form={form}
        project={project}
        item={listed}
        language={model.languages.find(({ id }) => id === language) ?? { id: language, codename: '' }}
        obstacle={obstacle}
        permitted={session.data?.projects.find(({ id }) => id === project)}
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
      >
        {body}
      </form>
      {found && !isReadOnly && (
        <Dialog title={itemTexts().restoreTitle} isUnasked>
          <p>{itemTexts().restore(formatTime(found.at))}</p>
          <div class="actions">
            <button type="button" onClick={saving.dropFound}>
              {itemTexts().restoreNo}
            </button>
            <button type="button" class="primary" onClick={saving.restoreFound}>
              {itemTexts().restoreYes}
            </button>
          </div>
        </Dialog>
      )}
    </FormContext.Provider>
  );
}
