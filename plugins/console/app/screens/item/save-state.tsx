import { itemTexts } from '../../messages/item.ts';
import { savingTexts } from '../../messages/saving.ts';
import { FailureText } from '../../parts/failure.tsx';
import type { ElementForm } from './element-form.ts';
import type { FormFindings } from './form-findings.ts';
import type { ItemForm } from './item-form.ts';
import { isOffline } from './server.ts';
import { type ElementPath, showElement } from './show-element.ts';
import type { Saving } from './use-saving.ts';

interface SaveStateProps {
  readonly form: ItemForm;
  readonly saving: Saving;
}

/** What of the form the server has, and what happens with the rest, in words. */
export function SaveState({ form, saving: { willRetry, hasCopy } }: SaveStateProps) {
  const count = form.changed.value.size;
  if (form.saving.value && !willRetry) return <>{itemTexts().saving}</>;
  if (count === 0) return <>{form.exists.value ? itemTexts().saved : ''}</>;
  const error = form.error.value;
  const copy = hasCopy.value === undefined ? '' : hasCopy.value ? itemTexts().hasCopy : itemTexts().noCopy;
  if (isOffline(error))
    return (
      <>
        {savingTexts().offline(count)} {copy}
      </>
    );
  const failed = willRetry && error !== undefined;
  return (
    <>
      {failed && (
        <>
          {itemTexts().saveFailed} <FailureText error={error} /> {savingTexts().retry}{' '}
        </>
      )}
      {itemTexts().unsaved(count)} {copy}
    </>
  );
}

interface OpenFindingsProps {
  readonly form: ItemForm;
  readonly findings: FormFindings;
}

/** What someone has to decide or correct, with the way to it. */
export function OpenFindings({ form, findings }: OpenFindingsProps) {
  const conflicts = [...form.changed.value].filter(({ theirs }) => theirs.value !== undefined);
  const { refused } = form;
  const { open } = findings;
  return (
    <div role="status">
      {conflicts.length > 0 && (
        <p class="notice">
          {savingTexts().conflicts(conflicts.length)} <ShowButton paths={conflicts.map(pathTo)} />
        </p>
      )}
      {refused.length > 0 && (
        <p class="notice">
          {savingTexts().refused(refused.length)} <ShowButton paths={refused.map(pathTo)} />
        </p>
      )}
      {open.length > 0 && (
        <p class="notice">
          {savingTexts().publishFindings(open.length)} <ShowButton paths={open} />
        </p>
      )}
    </div>
  );
}

const pathTo = (element: ElementForm): ElementPath => ({ elements: [element], components: [] });

/** Moves the focus to an element, the next one each time. */
function ShowButton({ paths }: { readonly paths: readonly ElementPath[] }) {
  return (
    <button
      type="button"
      onClick={({ currentTarget }) => {
        const last = Number(currentTarget.dataset['shown'] ?? -1);
        const next = (last + 1) % paths.length;
        currentTarget.dataset['shown'] = String(next);
        const found = paths[next];
        if (found) void showElement(found);
      }}
    >
      {savingTexts().show}
    </button>
  );
}
