/** One act on each of several assets, a few at the same time. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../parts/announce.tsx';
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
  /** Not begun: the act was stopped before, or has not come to them. */
  readonly waiting: readonly ListedAsset[];
  readonly isRunning: boolean;
}

/**
 * Stops between two assets, where it is asked to, or where its dialog is gone.
 * @param report what came of it, where the dialog cannot show it any more
 */
export function useMany(report: (state: ManyState) => string) {
  const state = useSignal<ManyState | undefined>(undefined);
  const isStopped = useRef(false);
  const isGone = useRef(false);
  const stop = () => {
    isStopped.current = true;
  };
  useEffect(
    () => () => {
      isGone.current = true;
      stop();
    },
    [],
  );
  return {
    state,
    stop,
    async run(assets: readonly ListedAsset[], work: (asset: ListedAsset) => Promise<unknown>): Promise<void> {
      const waiting = [...assets];
      let now: ManyState = { total: assets.length, done: [], failed: [], waiting: assets, isRunning: true };
      const set = (next: Partial<ManyState>) => {
        now = { ...now, ...next };
        state.value = now;
      };
      set({});
      const one = async () => {
        while (!isStopped.current) {
          const asset = waiting.shift();
          if (!asset) return;
          try {
            await work(asset);
            set({ done: [...now.done, asset] });
          } catch (error) {
            set({ failed: [...now.failed, { asset, error }] });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
      set({ waiting, isRunning: false });
      if (isGone.current) announce(report(now));
    },
  };
}
