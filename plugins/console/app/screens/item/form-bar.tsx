import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ActDialog } from '../../acts/act-dialog.tsx';
import type { PlanFindings } from '../../acts/plan-findings.ts';
import { call } from '../../api.ts';
import { itemTexts } from '../../messages/item.ts';
import { savingTexts } from '../../messages/saving.ts';
import { Failure } from '../../parts/failure.tsx';
import { Present } from '../../parts/present.tsx';
import { useAct } from '../../parts/use-act.ts';
import { DiscardDialog } from './discard-dialog.tsx';
import type { EditedItem } from './edited-item.ts';
import { elementNamed } from './element-form.ts';
import type { ItemForm } from './item-form.ts';
import { SaveState } from './save-state.tsx';
import type { Saving } from './use-saving.ts';
import '../../style/form.css';

interface FormBarProps {
  readonly project: string;
  readonly listed: EditedItem;
  /** Id. */
  readonly language: string;
  /** Of the variant in the management API. */
  readonly path: string;
  readonly form: ItemForm;
  readonly saving: Saving;
  readonly findings: PlanFindings;
  /** Reads the states of the item again. */
  readonly refresh: () => Promise<void>;
  /** @returns whether the server has everything */
  readonly save: () => Promise<boolean>;
}

/** What of the form is saved, and what can be done with the whole of it. */
export function FormBar(props: FormBarProps) {
  const { project, listed, language, path, form, saving, findings, refresh, save } = props;
  const { run, error, isBusy } = useAct();
  const isPublishing = useSignal(false);
  const isDiscarding = useSignal(false);
  const { state, allowed = [] } = listed.languages.find((one) => one.language.id === language) ?? {};
  const mayEdit = allowed.includes('edit');
  const isPublic = state === 'published';
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = bar.current as HTMLDivElement;
    const watching = new ResizeObserver(() => {
      // Below it are the toolbars of texts that are scrolled.
      document.documentElement.style.setProperty('--form-bar', `${element.offsetHeight}px`);
    });
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  return (
    <>
      <div ref={bar} class="form-bar">
        <div class="states">
          <p role="status">
            <SaveState form={form} saving={saving} />
          </p>
          <Present
            item={listed.id}
            language={language}
            nameOf={(codename) => elementNamed(form.elements, codename)?.definition.name}
          />
        </div>
        <div class="actions">
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
              {itemTexts().newVersion}
            </button>
          )}
          {mayEdit && !isPublic && (
            <>
              <button type="button" disabled={form.undoable.value.length === 0} onClick={() => form.undo()}>
                {itemTexts().undo}
              </button>
              <button
                type="button"
                disabled={form.changed.value.size === 0}
                title={itemTexts().discardHint}
                onClick={() => form.discard()}
              >
                {itemTexts().discard}
              </button>
              <button
                type="button"
                class="primary"
                aria-keyshortcuts="Control+S Meta+S"
                onClick={() => void save()}
              >
                {itemTexts().save}
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
                  {itemTexts().publish}
                </button>
              )}
            </>
          )}
        </div>
      </div>
      <Failure error={error.value} />
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
          findings={findings}
          select={() => ({ objects: [{ item: { id: listed.id }, language: { id: language } }] })}
          onClose={(isChanged) => {
            isPublishing.value = false;
            if (isChanged) void refresh();
          }}
        />
      )}
    </>
  );
}
