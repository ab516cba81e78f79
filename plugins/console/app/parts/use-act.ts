import { useSignal } from '@preact/signals';

/**
 * Runs what a person does: one act at a time, its error in words. The work ends before a list shows what it did: acts on what
 * is new in the list would be dropped.
 */
export function useAct() {
  const error = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  return {
    error,
    isBusy,
    async run(work: () => Promise<void>): Promise<void> {
      if (isBusy.value) return;
      isBusy.value = true;
      error.value = undefined;
      try {
        await work();
      } catch (failure) {
        error.value = failure;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
