import type { History } from './history.ts';
import { texts } from './texts.ts';

interface EditBarProps<T> {
  readonly history: History<T>;
  readonly isChanged: boolean;
  readonly isNew: boolean;
  readonly isBusy: boolean;
}

/** Undo, redo and save. The save of what exists shows what it does first. */
export function EditBar<T>({ history, isChanged, isNew, isBusy }: EditBarProps<T>) {
  const t = texts();
  return (
    <div class="form-bar">
      <p>{isChanged ? t.isChanged : t.isUnchanged}</p>
      <button type="button" aria-disabled={!history.canUndo} onClick={() => history.undo()}>
        {t.undo}
      </button>
      <button type="button" aria-disabled={!history.canRedo} onClick={() => history.redo()}>
        {t.redo}
      </button>
      <button type="submit" class="primary" disabled={!isChanged || isBusy}>
        {isNew ? t.save : t.saveReviewed}
      </button>
    </div>
  );
}
