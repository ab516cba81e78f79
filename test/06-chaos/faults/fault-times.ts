import { setTimeout } from 'node:timers/promises';

interface Disturbance {
  readonly name: string;
  readonly from: number;
  /** When the fault had ended. */
  ended: number;
  /** When all parts were healthy again. */
  until: number;
  /** Milliseconds from the end of the last fault of several at a time until then. */
  recovery: number;
}

/** When what was disturbed (`performance.now()`). */
export class FaultTimes {
  readonly all: Disturbance[] = [];

  /** Runs faults at a time, and counts the time until `recovered` resolves as disturbed. */
  async during(
    faults: readonly { readonly name: string; readonly delay: number; run(): Promise<void> }[],
    recovered: () => Promise<void>,
  ): Promise<void> {
    const disturbances = faults.map(async ({ name, delay, run }) => {
      await setTimeout(delay);
      const disturbance = { name, from: performance.now(), ended: Infinity, until: Infinity, recovery: 0 };
      this.all.push(disturbance);
      await run();
      disturbance.ended = performance.now();
      return disturbance;
    });
    // Each ends what it began, also where another one fails.
    const outcomes = await Promise.allSettled(disturbances);
    const ended = outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
    const lastEnded = performance.now();
    await recovered();
    for (const disturbance of ended) {
      disturbance.until = performance.now();
      disturbance.recovery = disturbance.until - lastEnded;
    }
  }

  /** Whether anything was disturbed within the time. */
  meet(from: number, until: number): boolean {
    return this.all.some((one) => one.from <= until && one.until >= from);
  }

  /** Milliseconds of faults with such a name within the time. */
  within(from: number, until: number, name: RegExp): number {
    return this.all
      .filter((one) => name.test(one.name))
      .reduce((sum, one) => sum + Math.max(0, Math.min(one.ended, until) - Math.max(one.from, from)), 0);
  }
}
