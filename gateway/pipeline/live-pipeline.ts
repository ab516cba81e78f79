import { setImmediate } from 'node:timers/promises';
import type { RequestHandler } from '../listeners/http1-pipelining.ts';
import type { Pipeline } from './pipeline.ts';

export interface LivePipeline {
  readonly handle: RequestHandler;
  readonly order: Pipeline['order'];
  report: Pipeline['report'];
  requests: Pipeline['requests'];
  /** Further requests pass `next`. Running requests end in the pipeline before, which is then disposed of. */
  replace(next: Pipeline): void;
  stopping(): void;
  /** Disposes of all pipelines; for when no request runs any more. */
  dispose(): Promise<void>;
}

/**
 * The current pipeline, which a reload replaces while requests run.
 *
 * @param settled resolves when every request that runs at the time of the call has ended
 */
export function livePipeline(first: Pipeline, settled: () => Promise<void>): LivePipeline {
  let current = first;
  first.activate();
  const retiring = new Map<Pipeline, Promise<void>>();
  return {
    handle: (request, response) => current.handle(request, response),
    get order() {
      return current.order;
    },
    report: () => current.report(),
    requests: (after) => current.requests(after),
    replace(next) {
      const before = current;
      current = next;
      next.activate();
      retiring.set(
        before,
        // `onResponse` runs just after the response has ended.
        settled()
          .then(() => setImmediate())
          .then(() => before.dispose())
          .finally(() => retiring.delete(before)),
      );
    },
    stopping() {
      for (const pipeline of [current, ...retiring.keys()]) pipeline.stopping();
    },
    async dispose() {
      await Promise.all(retiring.values());
      await current.dispose();
    },
  };
}
