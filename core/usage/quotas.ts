import type { CountedSurface, QuotaState } from './counts.ts';

/** Calls allowed in a period by surface; null or absent = unlimited. */
export type QuotaLimits = Readonly<Partial<Record<CountedSurface, number | null>>>;

export interface PeriodLimits {
  readonly day?: QuotaLimits | undefined;
  readonly month?: QuotaLimits | undefined;
}

export interface QuotaSettings extends PeriodLimits {
  /** By project id; replaces the limits for all projects. */
  readonly projects?: Readonly<Record<string, PeriodLimits>>;
}

export type Quota = Pick<QuotaState, 'surface' | 'period' | 'limit'>;

/** The quotas of a project; its own limits take precedence. */
export function quotasOf(settings: QuotaSettings, project: string): readonly Quota[] {
  const own = settings.projects?.[project];
  return (['day', 'month'] as const).flatMap((period) => {
    const limits = { ...settings[period], ...own?.[period] };
    return Object.entries(limits).flatMap(([surface, limit]) =>
      limit == null ? [] : [{ surface: surface as CountedSurface, period, limit }],
    );
  });
}

/** First day of the present period and the time at which it ends (UTC). */
export function periodAt(period: Quota['period'], now: Date): { readonly from: string; readonly ends: Date } {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return period === 'day'
    ? { from: dayOf(now), ends: new Date(Date.UTC(year, month, day + 1)) }
    : { from: dayOf(new Date(Date.UTC(year, month, 1))), ends: new Date(Date.UTC(year, month + 1, 1)) };
}

/** `2026-11-20`, UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
