export const WINDOWS = ['second', 'minute', 'hour'] as const;
export type WindowName = (typeof WINDOWS)[number];

export const WINDOW_MS: Readonly<Record<WindowName, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
};

/** Calls in any stretch of time as long as the window; null = as many as come. */
export type Limits = Readonly<Record<WindowName, number | null>>;

export interface WindowState {
  readonly name: WindowName;
  readonly limit: number;
  /** Calls that would be admitted now. */
  readonly remaining: number;
  /** Until more than `remaining` would be, in milliseconds; 0 where nothing was called. */
  readonly resetMilliseconds: number;
}

export interface Verdict {
  readonly admitted: boolean;
  /** Of a call that was not admitted: until one would be, if nobody else calls. */
  readonly waitMilliseconds: number;
  /** After this call, for each window that has a limit. */
  readonly windows: readonly WindowState[];
}

/**
 * Counts the calls of subjects. A call is charged in all windows or in none: one that is not admitted costs
 * nothing. A limiter that shares its counts with other gateways answers later, a local one at once.
 */
export interface Limiter {
  /** @param subject whose call it is: `key:<id>` */
  take(subject: string, limits: Limits): Verdict | Promise<Verdict>;
}
