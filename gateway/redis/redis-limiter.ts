import { LRUCache } from 'lru-cache';
import { type Limiter, type Limits, type LocalCounts, type Verdict, WINDOWS } from '../../plugins/limiter.ts';

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
  #rejections = new LRUCache<string, Rejection>({ max: 1 });

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
    try {
      verdict = await this.#shared.take(subject, limits);
    } catch {
      this.#onFailure();
      return this.#own.take(subject, limits);
    }
    if (verdict.admitted) this.#own.charge(subject);
    else this.#rejections.set(subject, { verdict, limits, at: this.#clock.monotonic() });
    return verdict;
  }

  resize(most: number): void {
    this.#own.resize(most);
    if (most !== this.#rejections.max) this.#rejections = new LRUCache({ max: most });
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
