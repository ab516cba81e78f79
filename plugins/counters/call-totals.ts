/** A count of calls in a period. */
export interface CountedCalls {
  /** Names project, surface and period. */
  readonly name: string;
  /** Calls that are new. */
  readonly calls: number;
  /** Calls that are known to be counted elsewhere, these included or not: the shared count is no lower. */
  readonly atLeast: number;
  /** End of the period, milliseconds since 1970. */
  readonly ends: number;
}

/** Counts of calls that the gateways of all machines share. */
export interface CallTotals {
  /**
   * @returns the counts of all gateways then, in the same order
   * @throws Error where they cannot be had in time; the calls may have been added or not
   */
  add(counts: readonly CountedCalls[]): Promise<readonly number[]>;
}
