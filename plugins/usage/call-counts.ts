import type { CountedSurface, UsageCount } from '../../core/contract.ts';

type Count = UsageCount & { calls: number };

const DAY_MS = 86_400_000;

/**
 * Calls that core does not know of yet, by project, surface and day. They are either waiting or on their way; until
 * they have arrived both count, so that a quota sees every call once.
 */
export class CallCounts {
  #waiting = new Map<string, Count>();
  #sending: ReadonlyMap<string, Count> | undefined;
  #day = '';
  #dayBegan = Number.POSITIVE_INFINITY;

  /** @param now milliseconds since 1970 */
  note(project: string, surface: CountedSurface, now: number): void {
    const day = this.dayOf(now);
    const key = `${project} ${surface} ${day}`;
    const count = this.#waiting.get(key);
    if (count === undefined) this.#waiting.set(key, { project, surface, day, calls: 1 });
    else count.calls += 1;
  }

  /** Calls of the days from `from` on that core does not know of. */
  pending(project: string, surface: CountedSurface, from: string): number {
    let calls = 0;
    for (const counts of [this.#waiting, this.#sending]) {
      for (const count of counts?.values() ?? []) {
        if (count.project === project && count.surface === surface && count.day >= from) calls += count.calls;
      }
    }
    return calls;
  }

  /** What is to be sent now; nothing while something is on its way. */
  begin(): readonly UsageCount[] {
    if (this.#sending !== undefined || this.#waiting.size === 0) return [];
    this.#sending = this.#waiting;
    this.#waiting = new Map();
    return [...this.#sending.values()];
  }

  arrived(): void {
    this.#sending = undefined;
  }

  /** What was sent has not arrived; it waits again. */
  failed(): void {
    for (const [key, count] of this.#sending ?? []) {
      const since = this.#waiting.get(key);
      if (since === undefined) this.#waiting.set(key, count);
      else since.calls += count.calls;
    }
    this.#sending = undefined;
  }

  /** UTC; made once a day, because making it costs more than counting. */
  dayOf(now: number): string {
    if (!(now >= this.#dayBegan && now < this.#dayBegan + DAY_MS)) {
      this.#dayBegan = Math.floor(now / DAY_MS) * DAY_MS;
      this.#day = new Date(now).toISOString().slice(0, 10);
    }
    return this.#day;
  }
}
