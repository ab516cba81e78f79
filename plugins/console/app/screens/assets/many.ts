/** One act on each of several assets, a few at the same time. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ListedAsset } from './asset-data.ts';

const AT_ONCE = 4;
/** Assets of one act. */
export const MOST = 1000;

export interface Failed {
  readonly asset: ListedAsset;
  readonly error: unknown;
}

/** How far the act is. */
export interface ManyState {
  readonly total: number;
  readonly done: readonly ListedAsset[];
  readonly failed: readonly Failed[];
  readonly isRunning: boolean;
}

/** Stops with the dialog that shows it, between two assets. */
export function useMany() {
  const state = useSignal<ManyState | undefined>(undefined);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  return {
    state,
    async run(assets: readonly ListedAsset[], work: (asset: ListedAsset) => Promise<unknown>): Promise<void> {
      let now: ManyState = { total: assets.length, done: [], failed: [], isRunning: true };
      const set = (next: Partial<ManyState>) => {
        now = { ...now, ...next };
        state.value = now;
      };
      set({});
      const waiting = [...assets];
      const one = async () => {
        for (let asset = waiting.shift(); asset && !isStopped.current; asset = waiting.shift())
          try {
            await work(asset);
            set({ done: [...now.done, asset] });
          } catch (error) {
            set({ failed: [...now.failed, { asset, error }] });
          }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
      set({ isRunning: false });
    },
  };
}
