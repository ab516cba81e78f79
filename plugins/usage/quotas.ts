import { boundedCache } from '../../config/bounded-cache.ts';
import { type Core, type CountedSurface, type QuotaState, ServiceError } from '../../core/contract.ts';
import type { CallCounts } from './call-counts.ts';
import type { QuotaCounts } from './quota-counts.ts';

const PROJECTS = 10_000;
/** Quotas are read again after so long: the cores may have been started with others. */
const REREAD_MS = 60_000;

/** Quotas of projects: what core has counted, and the calls that it does not have yet. */
export class Quotas {
  readonly #usage: Core['usage'];
  readonly #counts: CallCounts;
  readonly #ofAll: QuotaCounts | undefined;
  readonly #known = boundedCache<string, readonly QuotaState[]>(PROJECTS);
  readonly #loading = new Map<string, Promise<void>>();
  /** Projects whose quotas are read again with their next call. */
  #old = new Set<string>();
  /** Since when the known ones are not old. */
  #since: number | undefined;
  /** How often calls were added to the counts of core. */
  #additions = 0;

  /** @param ofAll what all gateways have counted, where they share it */
  constructor(usage: Core['usage'], counts: CallCounts, ofAll?: QuotaCounts) {
    this.#usage = usage;
    this.#counts = counts;
    this.#ofAll = ofAll;
  }

  isKnown(project: string): boolean {
    return this.#known.has(project);
  }

  /** The quota that is used up; null where none is; undefined where the quotas have to be loaded. */
  usedUp(project: string, surface: CountedSurface, clock: () => number): QuotaState | null | undefined {
    const states = this.#known.get(project);
    if (states === undefined) return undefined;
    // What is known holds meanwhile, also where core cannot be reached.
    if (this.#old.delete(project)) this.load(project).catch(() => {});
    if (states.length === 0) return null;
    const now = clock();
    for (const state of states) {
      if (state.surface !== surface) continue;
      if (Date.parse(state.ends) <= now) return undefined;
      const today = this.#counts.dayOf(now);
      const from = state.period === 'day' ? today : `${today.slice(0, 8)}01`;
      const used = state.used + this.#counts.pending(project, surface, from);
      if (Math.max(used, this.#ofAll?.used(project, state) ?? 0) >= state.limit) return state;
    }
    return null;
  }

  /** To be called again and again. @param now milliseconds of the monotonic clock */
  expire(now: number): void {
    this.#since ??= now;
    if (now - this.#since < REREAD_MS) return;
    this.#since = now;
    this.#old = new Set(this.#known.keys());
  }

  /** A call of a project with quotas, for the other gateways. */
  called(project: string, surface: CountedSurface): void {
    const states = this.#ofAll && this.#known.get(project);
    if (states?.length) this.#ofAll?.add(project, surface, states);
  }

  /** From core; requests share a load that is under way. */
  load(project: string): Promise<void> {
    const running = this.#loading.get(project);
    if (running) return running;
    const loading = this.#read(project).finally(() => this.#loading.delete(project));
    this.#loading.set(project, loading);
    return loading;
  }

  /** Again if core got calls meanwhile, which may or may not be in what was read. */
  async #read(project: string): Promise<void> {
    const additions = this.#additions;
    const states = await this.#usage.quotas(project);
    if (additions !== this.#additions) return this.#read(project);
    this.#known.set(project, states);
  }

  /** Core's counts after calls were added; for `adopt` once those no longer count as pending. */
  async reread(projects: Iterable<string>): Promise<[string, readonly QuotaState[]][]> {
    const affected = [...new Set(projects)].filter((project) => this.#known.get(project)?.length);
    return Promise.all(
      affected.map(
        async (project): Promise<[string, readonly QuotaState[]]> => [
          project,
          await this.#usage.quotas(project),
        ],
      ),
    );
  }

  adopt(states: Iterable<[string, readonly QuotaState[]]>): void {
    this.#additions += 1;
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
