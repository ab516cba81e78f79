import { COUNTED_SURFACES, type CountedSurface, type UsageCount } from '../../core/contract.ts';

type Calls = Record<CountedSurface, number>;

const DAY_MS = 86_400_000;

/**
 * Calls that core does not know of yet, by project, surface and day. They are either waiting or on their way; until
 * they have arrived both count, so that a quota sees every call once.
 */
export class CallCounts {
  /** Of the day that is open, by project: counting is a look into a map, without text to be made for a key. */
  #open = new Map<string, Calls>();
  #openDay = '';
  /** Of other days, and what did not arrive. */
  #waiting: UsageCount[] = [];
  #sending: readonly UsageCount[] = [];
  #day = '';
  #dayBegan = Number.POSITIVE_INFINITY;

  /** @param now milliseconds since 1970 */
  note(project: string, surface: CountedSurface, now: number): void {
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

  /** Calls of the days from `from` on that core does not know of. */
  pending(project: string, surface: CountedSurface, from: string): number {
    let sum = this.#openDay >= from ? (this.#open.get(project)?.[surface] ?? 0) : 0;
    for (const counts of [this.#waiting, this.#sending]) {
      for (const count of counts) {
        if (count.project === project && count.surface === surface && count.day >= from) sum += count.calls;
      }
    }
    return sum;
  }

  /** What is to be sent now; nothing while something is on its way. */
  begin(): readonly UsageCount[] {
    if (this.#sending.length > 0) return [];
    this.#close();
    this.#sending = summed(this.#waiting);
    this.#waiting = [];
    return this.#sending;
  }

  arrived(): void {
    this.#sending = [];
  }

  /** What was sent has not arrived; it waits again. */
  failed(): void {
    const sent = this.#sending;
    this.#sending = [];
    this.#close();
    this.#waiting = summed([...sent, ...this.#waiting]);
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

/** However long core is away, there is one count for each project, surface and day. */
function summed(counts: readonly UsageCount[]): UsageCount[] {
  const sums = new Map<string, UsageCount>();
  for (const count of counts) {
    const key = `${count.project} ${count.surface} ${count.day}`;
    sums.set(key, { ...count, calls: count.calls + (sums.get(key)?.calls ?? 0) });
  }
  return [...sums.values()];
}
