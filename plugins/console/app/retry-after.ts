/** When a call may be sent again that failed for a time. */

/** Seconds of `Retry-After` (RFC 9110, 10.2.3): the service sends a number, a proxy may send a time. */
export function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** In milliseconds. */
interface Pauses {
  /** Where the answer does not say when to try again. */
  readonly pause: number;
  /** All pauses together are no longer. */
  readonly longest: number;
}

/** The limit of a session permits further calls after some seconds. */
const PAUSES: Pauses = { pause: 2000, longest: 120_000 };

/**
 * Tries again what a limit refused, when the server says that it may. Of 200 files
 * at once, the limit of the session refused 10.
 *
 * @throws what the last attempt has thrown; the reason of the signal once it has fired
 */
export async function retryLimited<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  { pause, longest }: Pauses = PAUSES,
): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      const { status, retryAfter } = error as { readonly status?: number; readonly retryAfter?: number };
      if (status !== 429) throw error;
      const next = retryAfter === undefined ? pause : retryAfter * 1000;
      if (waited + next > longest) throw error;
      waited += next;
      await pauseFor(next, signal);
    }
  }
}

/** Of calls that read. */
const MOST_REPETITIONS = 5;

/** Whether a call that reads is sent again after so many failures: no answer, too many calls, or a failure of the server. */
export function isReadAgain(failures: number, error: unknown): boolean {
  const { status = 0 } = error as { readonly status?: number };
  return failures < MOST_REPETITIONS && (status === 0 || status === 429 || status >= 500);
}

/**
 * Until then, in milliseconds: twice as long after each failure, and as long as the server says. A browser that opens many tabs
 * at once exceeds the limit of its session in all of them: not all of them ask again at the same time.
 */
export function pauseAfter(failures: number, error: unknown): number {
  const { retryAfter = 0 } = error as { readonly retryAfter?: number };
  return Math.max(1000 * 2 ** failures, retryAfter * 1000) + Math.random() * 1000;
}

export function pauseFor(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, time);
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
