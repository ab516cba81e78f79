import { newCallTiming } from '../call-timing.ts';
import type { Transaction } from '../storage/ports.ts';
import { Busy, cancelled } from '../storage/read-scope.ts';
import { beginning } from '../transaction/batchable-work.ts';
import type { Operations } from '../transaction/operations.ts';
import type { CoreRequest } from './request.ts';

/** Operations of one request, and the sequence that the last of them committed under. */
export interface Committing<T extends Operations> {
  readonly operations: T;
  /** Undefined: nothing was changed. */
  committed(): number | undefined;
}

/**
 * @param request its timing gets the time of the operations. A write does not begin once the caller is gone: a core that stood
 * still finds calls that were answered with an error long ago.
 * @param longestWait milliseconds after which a write whose turn has not come is refused
 */
export function committing<T extends Operations>(
  operations: T,
  { timing = newCallTiming(), signal }: Pick<CoreRequest, 'timing' | 'signal'> = {},
  longestWait?: number,
): Committing<T> {
  let sequence: number | undefined;
  const during = async <R>(
    run: (record: (tx: Transaction) => void, check: () => void) => Promise<R>,
  ): Promise<R> => {
    let last: Transaction | undefined;
    const began = performance.now();
    let started = Number.POSITIVE_INFINITY;
    let isRefused = false;
    let timer: NodeJS.Timeout | undefined;
    const check = () => {
      if (sequence === undefined) {
        if (signal?.aborted) throw cancelled();
        if (isRefused) throw new Busy();
      }
      started = Math.min(started, performance.now());
    };
    const written = run((tx) => {
      last = tx;
    }, check);
    const refused = () =>
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          if (started < Number.POSITIVE_INFINITY) return;
          isRefused = true;
          reject(new Busy());
        }, longestWait);
      });
    const mayBeRefused = longestWait !== undefined && sequence === undefined;
    const result = await (mayBeRefused ? Promise.race([written, refused()]) : written).finally(() => {
      clearTimeout(timer);
      const ended = performance.now();
      const waited = Math.min(started, ended) - began;
      timing.queue += waited;
      timing.database += ended - began - waited;
    });
    if (last?.logged) sequence = Math.max(sequence ?? 0, last.sequence);
    return result;
  };
  return {
    operations: {
      ...operations,
      inProject: (project, actor, work, options) =>
        during((record, check) =>
          operations.inProject(project, actor, beginning(work, record), { ...options, check }),
        ),
      installation: (actor, work) =>
        during((record, check) =>
          operations.installation(
            actor,
            (installation) => {
              record(installation.tx);
              return work(installation);
            },
            check,
          ),
        ),
    },
    committed: () => sequence,
  };
}
