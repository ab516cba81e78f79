/**
 * Two clocks: what is written down is told by the wall clock, what is waited for by one that nobody sets. So a wall
 * clock that jumps an hour neither fires every retry at once nor holds one back.
 */
export interface DispatchClock {
  /** Wall clock, ms since 1970. */
  now(): number;
  /** Milliseconds since some moment, never set. */
  elapsed(): number;
  /** Calls `listener` after `ms`, unless what it answers is called before. Keeps no process alive. */
  after(ms: number, listener: () => void): () => void;
}

/** Longest pause that `setTimeout` knows. */
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
