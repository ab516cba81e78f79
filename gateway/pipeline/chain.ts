import type { GatewayContext, Next } from '../../plugins/contract.ts';

export type Handler = (ctx: GatewayContext, next: Next) => Promise<void>;

/**
 * Composes handlers into one, once per surface when the pipeline is built; a request costs one closure per handler.
 * If a handler throws or calls `next` twice, its promise rejects.
 */
export function chain(handlers: readonly Handler[], last: (ctx: GatewayContext) => Promise<void>): Handler {
  return function run(ctx) {
    let reached = -1;
    return step(0);

    function step(at: number): Promise<void> {
      if (at <= reached) return Promise.reject(new Error('A plugin called next() twice.'));
      reached = at;
      try {
        const handler = handlers[at];
        return handler === undefined ? last(ctx) : handler(ctx, () => step(at + 1));
      } catch (error) {
        return Promise.reject(error);
      }
    }
  };
}
