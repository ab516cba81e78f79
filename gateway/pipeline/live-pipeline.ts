import { setImmediate } from 'node:timers/promises';
import type { RequestHandler } from '../listeners/http1-pipelining.ts';
import type { Pipeline } from './pipeline.ts';

export interface LivePipeline {
  readonly handle: RequestHandler;
  readonly order: Pipeline['order'];
  report: Pipeline['report'];
  /**
   * The next request passes this one. What runs on the one before ends there, however long it takes, and only
   * then that one is disposed of.
   */
  replace(next: Pipeline): void;
  stopping(): void;
  /** Disposes of all there are; for when no request runs any more. */
  dispose(): Promise<void>;
}

/**
 * The pipeline behind one pointer, so that it can be swapped while requests run.
 *
 * @param settled resolves when every request that runs at the time of the call is over
 */
export function livePipeline(first: Pipeline, settled: () => Promise<void>): LivePipeline {
  let current = first;
  first.activate();
  const leaving = new Map<Pipeline, Promise<void>>();
  return {
    handle: (request, response) => current.handle(request, response),
    get order() {
      return current.order;
    },
    report: () => current.report(),
    replace(next) {
      const before = current;
      current = next;
      next.activate();
      leaving.set(
        before,
        // Plugins hear of the end of an answer a moment after its connection does.
        settled()
          .then(() => setImmediate())
          .then(() => before.dispose())
          .finally(() => leaving.delete(before)),
      );
    },
    stopping() {
      for (const pipeline of [current, ...leaving.keys()]) pipeline.stopping();
    },
    async dispose() {
      await Promise.all(leaving.values());
      await current.dispose();
    },
  };
}
