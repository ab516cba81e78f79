import {
  COUNTED_SURFACES,
  type CountedSurface,
  type UsageBatch,
  type UsageCount,
} from '../../core/contract.ts';

type Calls = Record<CountedSurface, number>;

const DAY_MS = 86_400_000;

/**
 * Calls that core does not have yet, by project, surface and day. They are waiting or in a batch; both count until
 * core has them, so that a quota counts each call once. A batch without an answer is sent again as it is: core
 * may have counted it, and recognizes it by its number.
 */
export class CallCounts {
  /** Of the current day, by project: counting is a map look-up, without a string for a key. */
  #open = new Map<string, Calls>();
  #openDay = '';
  /** Of other days. */
  #waiting: UsageCount[] = [];
  #batch: UsageBatch;
  #isSending = false;
  #day = '';
  #dayBegan = Number.POSITIVE_INFINITY;

  /** @param source see `UsageBatch` */
  constructor(source: string) {
    this.#batch = { source, number: 0, counts: [] };
  }

  /** @param now milliseconds since 1970 */
  add(project: string, surface: CountedSurface, now: number): void {
    const day = this.dayOf(now);
    if (day !== this.#openDay) {
      this.#close();
      this.#openDay = day;
    }
    let calls = this.#open.get(project);
    if (calls === undefined) {
      calls = { delivery: 0, preview: 0, manage: 0, assets: 0 };
      this.#open.set(project, calls);
    }
    calls[surface] += 1;
  }

  /** Calls of the days from `from` on that core does not have. */
  pending(project: string, surface: CountedSurface, from: string): number {
    let sum = this.#openDay >= from ? (this.#open.get(project)?.[surface] ?? 0) : 0;
    for (const counts of [this.#waiting, this.#batch.counts]) {
      for (const count of counts) {
        if (count.project === project && count.surface === surface && count.day >= from) sum += count.calls;
      }
    }
    return sum;
  }

  /** What is to be sent now; undefined while a batch is being sent, and where there are no calls. */
  startSending(): UsageBatch | undefined {
    if (this.#isSending) return undefined;
    if (this.#batch.counts.length === 0) {
      this.#close();
      if (this.#waiting.length === 0) return undefined;
      const { source, number } = this.#batch;
      this.#batch = { source, number: number + 1, counts: summed(this.#waiting) };
      this.#waiting = [];
    }
    this.#isSending = true;
    return this.#batch;
  }

  sent(): void {
    this.#batch = { ...this.#batch, counts: [] };
    this.#isSending = false;
  }

  /** Core may or may not have got the batch; it is the next one again. */
  sendingFailed(): void {
    this.#isSending = false;
  }

  /** UTC; made once a day, because making it costs more than counting. */
  dayOf(now: number): string {
    if (!(now >= this.#dayBegan && now < this.#dayBegan + DAY_MS)) {
      this.#dayBegan = Math.floor(now / DAY_MS) * DAY_MS;
      this.#day = new Date(now).toISOString().slice(0, 10);
    }
    return this.#day;
  }

  #close(): void {
    const day = this.#openDay;
    for (const [project, calls] of this.#open) {
      for (const surface of COUNTED_SURFACES) {
        if (calls[surface] > 0) this.#waiting.push({ project, surface, day, calls: calls[surface] });
      }
    }
    this.#open = new Map();
  }
}

/** One count for each project, surface and day, however long core is unavailable. */
function summed(counts: readonly UsageCount[]): UsageCount[] {
  const sums = new Map<string, UsageCount>();
  for (const count of counts) {
    const key = `${count.project} ${count.surface} ${count.day}`;
    sums.set(key, { ...count, calls: count.calls + (sums.get(key)?.calls ?? 0) });
  }
  return [...sums.values()];
}
