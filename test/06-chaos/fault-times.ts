interface Disturbance {
  readonly name: string;
  readonly from: number;
  /** When all parts were healthy again. */
  until: number;
  /** When the fault had ended. */
  ended: number;
}

/** When what was disturbed (`performance.now()`). */
export class FaultTimes {
  readonly all: Disturbance[] = [];

  /** Counts the time until `recovered` resolves as disturbed. */
  async during(name: string, fault: () => Promise<void>, recovered: () => Promise<void>): Promise<void> {
    const disturbance = { name, from: performance.now(), until: Infinity, ended: Infinity };
    this.all.push(disturbance);
    await fault();
    disturbance.ended = performance.now();
    await recovered();
    disturbance.until = performance.now();
  }

  /** Whether anything was disturbed within the time. */
  meet(from: number, until: number): boolean {
    return this.all.some((one) => one.from <= until && one.until >= from);
  }
}
