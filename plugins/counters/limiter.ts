export const WINDOWS = ['second', 'minute', 'hour'] as const;
export type WindowName = (typeof WINDOWS)[number];

export const WINDOW_MS: Readonly<Record<WindowName, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
};

/** Calls in any period as long as the window; null = unlimited. */
export type Limits = Readonly<Record<WindowName, number | null>>;

/** Subjects that a limiter counts at a time until a plugin resizes it: the default of `rate-limit`. */
export const DEFAULT_SUBJECTS = 100_000;

export interface WindowState {
  readonly name: WindowName;
  readonly limit: number;
  /** Calls that would be admitted now. */
  readonly remaining: number;
  /** Until more than `remaining` would be, in milliseconds; 0 without calls. */
  readonly resetMilliseconds: number;
}

export interface Verdict {
  readonly admitted: boolean;
  /** Of a rejected call: until one would be admitted without further calls. */
  readonly waitMilliseconds: number;
  /** After this call, for each window that has a limit. */
  readonly windows: readonly WindowState[];
}

/**
 * Counts the calls of subjects. A call is charged in all windows or in none: a rejected one costs nothing. A limiter
 * that shares its counts with other gateways returns a promise.
 */
export interface Limiter {
  /** @param subject whose call it is: `key:<id>` */
  take(subject: string, limits: Limits): Verdict | Promise<Verdict>;
  /** From now on it counts so many subjects at a time; the counts of those that called last stay. */
  resize(most: number): void;
}

/** The counts of one machine, which a limiter over several machines asks before, and informs after. */
export interface LocalCounts extends Limiter {
  /** What `take` would answer by the calls that this process admitted. Charges nothing. */
  peek(subject: string, limits: Limits): Verdict;
  /** Charges a call that was admitted elsewhere. */
  charge(subject: string): void;
}
