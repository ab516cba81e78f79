import { useRef } from 'preact/hooks';
import { modelTexts } from '../../messages/model.ts';
import { useSaveKey } from '../../parts/use-save-key.ts';
import type { History } from './history.ts';
import '../../style/form.css';

interface EditBarProps<T> {
  readonly history: History<T>;
  readonly isChanged: boolean;
  readonly isNew: boolean;
  readonly isBusy: boolean;
}

/** Undo, redo and save. The save of what exists shows what it does first. */
export function EditBar<T>({ history, isChanged, isNew, isBusy }: EditBarProps<T>) {
  const t = modelTexts();
  const save = useRef<HTMLButtonElement>(null);
  useSaveKey(() => {
    if (save.current && !save.current.disabled) save.current.form?.requestSubmit();
  });
  return (
    <div class="form-bar model-bar">
      <p class="states">{isChanged ? t.isChanged : t.isUnchanged}</p>
      <div class="actions">
        <button type="button" aria-disabled={!history.canUndo} onClick={() => history.undo()}>
          {t.undo}
        </button>
        <button type="button" aria-disabled={!history.canRedo} onClick={() => history.redo()}>
          {t.redo}
        </button>
        <button
          ref={save}
          type="submit"
          class="primary"
          aria-keyshortcuts="Control+S Meta+S"
          disabled={!isChanged || isBusy}
        >
          {isNew ? t.save : t.saveReviewed}
        </button>
      </div>
    </div>
  );
}
