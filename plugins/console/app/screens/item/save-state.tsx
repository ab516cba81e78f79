import { failureText } from '../../failure-text.ts';
import type { ElementForm } from './element-form.ts';
import type { ItemForm } from './item-form.ts';
import { savingTexts } from './saving-texts.ts';
import { isOffline } from './server.ts';
import { texts } from './texts.ts';
import type { Saving } from './use-saving.ts';

interface SaveStateProps {
  readonly form: ItemForm;
  readonly saving: Saving;
}

/** What of the form the server has, and what happens with the rest, in words. */
export function SaveState({ form, saving: { willRetry, isKept } }: SaveStateProps) {
  const count = form.changed.value.size;
  if (form.saving.value && !willRetry) return <>{texts().saving}</>;
  if (count === 0) return <>{form.exists.value ? texts().saved : ''}</>;
  const error = form.error.value;
  const kept = isKept.value === undefined ? '' : isKept.value ? texts().keptHere : texts().notKept;
  if (isOffline(error))
    return (
      <>
        {savingTexts().offline(count)} {kept}
      </>
    );
  const failed = willRetry && error !== undefined;
  return (
    <>
      {failed && `${texts().saveFailed} ${failureText(error)} ${savingTexts().retry} `}
      {texts().unsaved(count)} {kept}
    </>
  );
}

/** What someone has to decide or correct, with the way to it. */
export function OpenFindings({ form }: { readonly form: ItemForm }) {
  const conflicts = [...form.changed.value].filter(({ theirs }) => theirs.value !== undefined);
  return (
    <div role="status">
      {conflicts.length > 0 && (
        <p class="notice">
          {savingTexts().conflicts(conflicts.length)} <ShowButton elements={conflicts} />
        </p>
      )}
      {form.refused.length > 0 && (
        <p class="notice">
          {savingTexts().refused(form.refused.length)} <ShowButton elements={form.refused} />
        </p>
      )}
    </div>
  );
}

/** Moves the focus to an element, the next one each time. */
function ShowButton({ elements }: { readonly elements: readonly ElementForm[] }) {
  return (
    <button
      type="button"
      onClick={({ currentTarget }) => {
        const last = Number(currentTarget.dataset['shown'] ?? -1);
        const next = (last + 1) % elements.length;
        currentTarget.dataset['shown'] = String(next);
        const found = elements[next];
        if (found) focusElement(found.definition.codename);
      }}
    >
      {savingTexts().show}
    </button>
  );
}

/** Opens the group of an element of the item, and focuses its first input. */
export function focusElement(codename: string): void {
  const field = document.querySelector<HTMLElement>(`[data-element="${CSS.escape(codename)}"]`);
  const panel = field?.closest<HTMLElement>('[role=tabpanel]');
  if (panel?.hidden)
    document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(panel.id)}"]`)?.click();
  // The group is shown with the next drawing.
  requestAnimationFrame(() => {
    field?.scrollIntoView({ block: 'center' });
    field
      ?.querySelector<HTMLElement>('.failure button, input, textarea, select, [contenteditable=true], button')
      ?.focus();
  });
}
