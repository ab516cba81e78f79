import type { GatewayContext, OnRequestResult, PluginInstance } from '../../plugins/contract.ts';

/** One step of a request: a plugin, or a check of the gateway itself. */
export type Stage = Pick<PluginInstance, 'onRequest' | 'handle' | 'wraps'>;

/** How far the fast path got. */
export interface FastPathProgress {
  /** What `onRequest` of a stage returned there; undefined where it has not run. Throws what it threw. */
  resultOf(at: number): OnRequestResult | undefined;
}

/** @param fast where the request took the fast path */
export type Chain = (ctx: GatewayContext, fast?: FastPathProgress) => Promise<void>;

/**
 * The stages of a surface as one Koa middleware; made when the pipeline is built. A stage that throws instead of
 * rejecting, or calls `next` twice, is a rejection.
 */
export function chain(stages: readonly Stage[], last: (ctx: GatewayContext) => Promise<void>): Chain {
  return function run(ctx, fast) {
    let reached = -1;
    return from(0, ctx);

    function from(first: number, current: GatewayContext): Promise<void> {
      if (first <= reached) return Promise.reject(new Error('A plugin called next() twice.'));
      reached = first;
      try {
        for (let at = first; at < stages.length; at += 1) {
          const stage = stages[at]!;
          const result = fast?.resultOf(at) ?? stage.onRequest?.(current) ?? 'handle';
          if (result === 'responded') return Promise.resolve();
          if (stage.handle !== undefined && (result === 'handle' || stage.wraps)) {
            return stage.handle(current, (other = current) => from(at + 1, other));
          }
        }
        return last(current);
      } catch (error) {
        return Promise.reject(error);
      }
    }
  };
}
