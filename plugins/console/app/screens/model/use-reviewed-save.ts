import { type Signal, useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { ApiError } from '../../api.ts';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import type { TaggedObject } from '../../parts/use-tagged.ts';

interface ReviewedSave {
  /** The plan of the save is shown. */
  readonly isReviewing: Signal<boolean>;
  /** A save was refused because someone else changed or deleted the object. */
  readonly isRefused: Signal<boolean>;
  /** @param onSaved called before the object is read again */
  save(write: () => Promise<unknown>, name: string, onSaved: () => void): Promise<void>;
}

/** The save of a form, after its plan. */
export function useReviewedSave(project: string, object: Pick<TaggedObject<object>, 'reload'>): ReviewedSave {
  const queries = useQueryClient();
  const isReviewing = useSignal(false);
  const isRefused = useSignal(false);
  return {
    isReviewing,
    isRefused,
    async save(write, name, onSaved) {
      try {
        await write();
      } catch (failure) {
        // What someone else changed is shown beside the form.
        if (!(failure instanceof ApiError) || failure.status !== 412) throw failure;
        isReviewing.value = false;
        isRefused.value = true;
        return;
      }
      announce(modelTexts().saved(name));
      onSaved();
      void queries.invalidateQueries({ queryKey: [project] });
      await object.reload();
      document.getElementById('content')?.focus();
    },
  };
}
