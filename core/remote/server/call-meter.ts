import { type CallTiming, newCallTiming, roundedMilliseconds, timingLogFields } from '../../call-timing.ts';
import type { SlowCallLog } from '../../slow-call-log.ts';

/** `error` is a `ServiceError`, `failed` any other, `aborted` a call that the gateway ended. */
export type CallOutcome = 'answer' | 'error' | 'failed' | 'aborted';

/** Of the calls with one name. */
export interface CallFigures {
  running: number;
  /** Until their answers; bodies of answers not included. */
  seconds: number;
  readonly outcomes: Record<CallOutcome, number>;
}

/** Counts and times the calls of gateways, and logs those that take long. */
export class CallMeter {
  readonly #slowCalls: SlowCallLog;
  readonly #figures = new Map<string, CallFigures>();

  constructor(slowCalls: SlowCallLog) {
    this.#slowCalls = slowCalls;
  }

  /**
   * @param name a surface or a function: there are few
   * @param logFields name the call in the log; called for a line only
   */
  begin(name: string, logFields?: () => object): MeteredCall {
    let figures = this.#figures.get(name);
    if (figures === undefined) {
      figures = { running: 0, seconds: 0, outcomes: { answer: 0, error: 0, failed: 0, aborted: 0 } };
      this.#figures.set(name, figures);
    }
    return new MeteredCall(name, logFields, figures, this.#slowCalls);
  }

  /** By name. */
  get figures(): ReadonlyMap<string, CallFigures> {
    return this.#figures;
  }
}

export class MeteredCall {
  readonly timing: CallTiming = newCallTiming();
  readonly #name: string;
  readonly #logFields: (() => object) | undefined;
  readonly #began = performance.now();
  readonly #figures: CallFigures;
  readonly #slowCalls: SlowCallLog;

  constructor(
    name: string,
    logFields: (() => object) | undefined,
    figures: CallFigures,
    slowCalls: SlowCallLog,
  ) {
    this.#name = name;
    this.#logFields = logFields;
    this.#figures = figures;
    this.#slowCalls = slowCalls;
    figures.running += 1;
  }

  logFields(): object {
    return { call: this.#name, ...this.#logFields?.() };
  }

  /** There is an answer or an error to send; calls after the first do nothing. */
  answered(): void {
    if (this.timing.total !== undefined) return;
    const now = performance.now();
    const total = now - this.#began;
    this.timing.total = total;
    this.#figures.seconds += total / 1000;
    this.#slowCalls.record(total, now, () => ({
      ...this.logFields(),
      ms: roundedMilliseconds(total),
      ...timingLogFields(this.timing),
    }));
  }

  end(outcome: CallOutcome): void {
    this.answered();
    this.#figures.running -= 1;
    this.#figures.outcomes[outcome] += 1;
  }
}
