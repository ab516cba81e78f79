/**
 * Two clocks: timestamps come from the wall clock, waits from the monotonic clock. A wall clock that jumps an hour
 * neither fires all retries at once nor delays one.
 */
export interface DispatchClock {
  /** Wall clock, ms since 1970. */
  now(): number;
  /** Milliseconds of the monotonic clock. */
  elapsed(): number;
  /** Calls `listener` after `ms`; the returned function cancels that. Does not keep the process alive. */
  after(ms: number, listener: () => void): () => void;
}

/** Longest delay that `setTimeout` supports. */
const LONGEST = 2 ** 31 - 1;

export function systemClock(now: () => Date = () => new Date()): DispatchClock {
  return {
    now: () => now().getTime(),
    elapsed: () => performance.now(),
    after: (ms, listener) => {
      const timer = setTimeout(listener, Math.min(Math.max(ms, 0), LONGEST)).unref();
      return () => clearTimeout(timer);
    },
  };
}
