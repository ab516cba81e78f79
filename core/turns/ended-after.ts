import type { CancelSignal } from './cancel-signal.ts';
import { Cancellation } from './cancellation.ts';

/**
 * Ends work after a time. Work that has ended goes on for its caller, who may read a stream.
 * @param signal ends the work as well
 * @param work gets a signal for all it does
 * @param late makes the error of work that took longer
 */
export function endedAfter<T>(
  milliseconds: number,
  signal: CancelSignal | undefined,
  work: (signal: CancelSignal) => Promise<T>,
  late: () => Error,
): Promise<T> {
  const own = new Cancellation();
  const follow = () => own.abort(signal?.reason as Error);
  signal?.addEventListener('abort', follow);
  if (signal?.aborted) follow();
  return new Promise<T>((resolve, reject) => {
    let hasEnded = false;
    const refuse = () => {
      if (hasEnded) return;
      const error = late();
      reject(error);
      own.abort(error);
    };
    // What arrived while this process was busy is in time.
    const timer = setTimeout(() => setImmediate(refuse), milliseconds);
    work(own)
      .finally(() => {
        hasEnded = true;
        clearTimeout(timer);
      })
      .then(resolve, reject);
  });
}
