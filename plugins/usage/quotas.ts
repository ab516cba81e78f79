import { LRUCache } from 'lru-cache';
import { type Core, type CountedSurface, type QuotaState, ServiceError } from '../../core/contract.ts';
import type { CallCounts } from './call-counts.ts';

const PROJECTS = 10_000;

/** Where the quotas of projects stand: what core has counted, and the calls that it does not know of yet. */
export class Quotas {
  readonly #usage: Core['usage'];
  readonly #counts: CallCounts;
  readonly #known = new LRUCache<string, readonly QuotaState[]>({ max: PROJECTS });
  readonly #flights = new Map<string, Promise<void>>();
  /** How often calls have arrived in core. */
  #arrivals = 0;

  constructor(usage: Core['usage'], counts: CallCounts) {
    this.#usage = usage;
    this.#counts = counts;
  }

  /** The quota that is used up; null when none is; undefined when core has to be asked. */
  usedUp(project: string, surface: CountedSurface, clock: () => number): QuotaState | null | undefined {
    const states = this.#known.get(project);
    if (states === undefined) return undefined;
    if (states.length === 0) return null;
    const now = clock();
    for (const state of states) {
      if (state.surface !== surface) continue;
      if (Date.parse(state.ends) <= now) return undefined;
      const today = this.#counts.dayOf(now);
      const from = state.period === 'day' ? today : `${today.slice(0, 8)}01`;
      if (state.used + this.#counts.pending(project, surface, from) >= state.limit) return state;
    }
    return null;
  }

  /** Asks core; requests that come meanwhile share the question. */
  ask(project: string): Promise<void> {
    const running = this.#flights.get(project);
    if (running) return running;
    const flight = this.#read(project).finally(() => this.#flights.delete(project));
    this.#flights.set(project, flight);
    return flight;
  }

  /** Once more if calls arrived meanwhile: nobody can say whether they are in what was read. */
  async #read(project: string): Promise<void> {
    const arrivals = this.#arrivals;
    const states = await this.#usage.quotas(project);
    if (arrivals !== this.#arrivals) return this.#read(project);
    this.#known.set(project, states);
  }

  /** What core knows after calls were added; to be told with `adopt` when they no longer count as pending. */
  async reread(projects: Iterable<string>): Promise<[string, readonly QuotaState[]][]> {
    const concerned = [...new Set(projects)].filter((project) => this.#known.get(project)?.length);
    return Promise.all(
      concerned.map(
        async (project): Promise<[string, readonly QuotaState[]]> => [
          project,
          await this.#usage.quotas(project),
        ],
      ),
    );
  }

  adopt(states: Iterable<[string, readonly QuotaState[]]>): void {
    this.#arrivals += 1;
    for (const [project, state] of states) this.#known.set(project, state);
  }
}

/** 429, with the time until the next period. */
export function quotaExceeded({ limit, period, surface, ends }: QuotaState, now: number): ServiceError {
  const seconds = Math.max(1, Math.ceil((Date.parse(ends) - now) / 1000));
  return new ServiceError(
    'quotaExceeded',
    `The project has used up its ${limit} calls of ${surface} this ${period}; the next ${period} begins at ${ends}.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
