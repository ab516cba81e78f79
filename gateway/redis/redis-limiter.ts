import { boundedCache } from '../../config/bounded-cache.ts';
import {
  DEFAULT_SUBJECTS,
  type Limiter,
  type Limits,
  type LocalCounts,
  type Verdict,
  WINDOWS,
} from '../../plugins/counters/limiter.ts';

/** By then it is known whether the shared counts admit a call; milliseconds. */
export const DECIDED_WITHIN_MS = 30;

/** Counts the calls that all gateways admit. */
export interface SharedLimits {
  /** @throws Error where they cannot be had in time */
  take(subject: string, limits: Limits): Promise<Verdict>;
}

/** A rejection stays one until its wait is over, whatever other gateways do. */
interface Rejection {
  readonly verdict: Verdict;
  readonly limits: Limits;
  readonly at: number;
}

/**
 * Limits over all gateways. What this machine admitted is counted here, too: it rejects without a round trip, and decides
 * where the shared counts cannot be had, so that n machines admit n times the limits at most then.
 */
export class RedisLimiter implements Limiter {
  readonly #shared: SharedLimits;
  readonly #own: LocalCounts;
  readonly #clock: { monotonic(): number };
  readonly #onFailure: () => void;
  #rejections = boundedCache<string, Rejection>(DEFAULT_SUBJECTS);
  /** Calls of a subject that the shared counts have not decided yet. */
  readonly #undecided = new Map<string, number>();

  /** @param onFailure is called for each call that the shared counts did not decide */
  constructor(options: {
    readonly shared: SharedLimits;
    readonly own: LocalCounts;
    readonly clock: { monotonic(): number };
    readonly onFailure: () => void;
  }) {
    this.#shared = options.shared;
    this.#own = options.own;
    this.#clock = options.clock;
    this.#onFailure = options.onFailure;
  }

  async take(subject: string, limits: Limits): Promise<Verdict> {
    const known = this.#known(subject, limits);
    if (known !== undefined) return known;
    const own = this.#own.peek(subject, limits);
    if (!own.admitted) return own;
    let verdict: Verdict;
    this.#undecided.set(subject, this.#undecidedOf(subject) + 1);
    try {
      verdict = await this.#shared.take(subject, limits);
    } catch {
      this.#decided(subject);
      this.#onFailure();
      return this.#takeAlone(subject, limits);
    }
    this.#decided(subject);
    if (verdict.admitted) this.#own.charge(subject);
    else this.#rejections.set(subject, { verdict, limits, at: this.#clock.monotonic() });
    return verdict;
  }

  /** Leaves room for the calls that the shared counts may still admit, or this machine would admit more than the limits. */
  #takeAlone(subject: string, limits: Limits): Verdict | Promise<Verdict> {
    const own = this.#own.peek(subject, limits);
    const undecided = this.#undecidedOf(subject);
    const windows = own.windows.map((window) => ({
      ...window,
      remaining: Math.max(0, window.remaining - undecided),
    }));
    if (windows.some(({ remaining }) => remaining === 0)) {
      const waitMilliseconds = Math.max(own.waitMilliseconds, DECIDED_WITHIN_MS);
      return { admitted: false, waitMilliseconds, windows };
    }
    return this.#own.take(subject, limits);
  }

  #undecidedOf(subject: string): number {
    return this.#undecided.get(subject) ?? 0;
  }

  #decided(subject: string): void {
    const left = this.#undecidedOf(subject) - 1;
    if (left > 0) this.#undecided.set(subject, left);
    else this.#undecided.delete(subject);
  }

  resize(most: number): void {
    this.#own.resize(most);
    if (most !== this.#rejections.maxSize) this.#rejections = boundedCache(most);
  }

  /** The last rejection with what is left of its wait. */
  #known(subject: string, limits: Limits): Verdict | undefined {
    const rejection = this.#rejections.get(subject);
    if (rejection === undefined) return undefined;
    const { verdict } = rejection;
    const passed = this.#clock.monotonic() - rejection.at;
    const isSame = WINDOWS.every((name) => rejection.limits[name] === limits[name]);
    if (passed >= verdict.waitMilliseconds || !isSame) {
      this.#rejections.delete(subject);
      return undefined;
    }
    return {
      admitted: false,
      waitMilliseconds: verdict.waitMilliseconds - passed,
      windows: verdict.windows.map((window) => ({
        ...window,
        resetMilliseconds: Math.max(0, window.resetMilliseconds - passed),
      })),
    };
  }
}
