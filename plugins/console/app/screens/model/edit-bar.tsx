import { useLayoutEffect, useRef } from 'preact/hooks';
import { modelTexts } from '../../messages/model.ts';
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
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // Behind a dialog nothing is saved.
      if (save.current && !save.current.disabled && !document.querySelector('dialog[open]'))
        save.current.form?.requestSubmit();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class="form-bar model-bar">
      <p>{isChanged ? t.isChanged : t.isUnchanged}</p>
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
  );
}
