import { boundedCache } from '../../config/bounded-cache.ts';
import type { CountedSurface, QuotaState } from '../../core/contract.ts';
import type { CallTotals, CountedCalls } from '../counters/call-totals.ts';

const COUNTS = 40_000;
/** Of one exchange; the others follow with the next. */
const MOST = 200;

interface Count {
  /** Of all gateways, as far as this one knows. */
  total: number;
  /** Calls of this gateway that the others do not know of. */
  unsent: number;
  readonly ends: number;
}

/**
 * Calls of projects that have quotas, over all gateways: exchanged in batches, so that each gateway knows what the others
 * counted until a moment ago. What core has counted is a lower bound, so that counts which were lost come back.
 */
export class QuotaCounts {
  readonly #shared: CallTotals;
  readonly #counts = boundedCache<string, Count>(COUNTS);
  /** Those with unsent calls, and what core has counted. */
  readonly #changed = new Map<string, number>();
  #isExchanging = false;

  constructor(shared: CallTotals) {
    this.#shared = shared;
  }

  used(project: string, state: QuotaState): number {
    const count = this.#counts.get(nameOf(project, state));
    return count === undefined ? 0 : count.total + count.unsent;
  }

  /** Counts a call in each quota of its surface. */
  add(project: string, surface: CountedSurface, states: readonly QuotaState[]): void {
    for (const state of states) {
      if (state.surface !== surface) continue;
      const name = nameOf(project, state);
      let count = this.#counts.get(name);
      if (count === undefined) {
        count = { total: 0, unsent: 0, ends: Date.parse(state.ends) };
        this.#counts.set(name, count);
      }
      count.unsent += 1;
      this.#changed.set(name, state.used);
    }
  }

  /** Exchanges counts with the other gateways. While that fails, each counts by itself. */
  async exchange(): Promise<void> {
    if (this.#isExchanging || this.#changed.size === 0) return;
    this.#isExchanging = true;
    const sent: (readonly [Count, CountedCalls])[] = [];
    for (const [name, atLeast] of this.#changed) {
      if (sent.length === MOST) break;
      this.#changed.delete(name);
      const count = this.#counts.get(name);
      if (count === undefined) continue;
      sent.push([count, { name, calls: count.unsent, atLeast, ends: count.ends }]);
      count.total += count.unsent;
      count.unsent = 0;
    }
    try {
      const totals = await this.#shared.add(sent.map(([, calls]) => calls));
      for (const [at, [count]] of sent.entries()) count.total = Math.max(count.total, totals[at] ?? 0);
    } catch {
      // Core gets the calls as well, and with the next exchange the shared counts are no lower than those of core.
    } finally {
      this.#isExchanging = false;
    }
  }
}

function nameOf(project: string, { surface, period, ends }: QuotaState): string {
  return `${project}:${surface}:${period}:${ends.slice(0, 10)}`;
}
