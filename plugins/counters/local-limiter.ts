import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../config/bounded-cache.ts';
import {
  DEFAULT_SUBJECTS,
  type Limits,
  type LocalCounts,
  type Verdict,
  WINDOW_MS,
  type WindowState,
} from './limiter.ts';
import { PARTS, RollingWindow } from './rolling-window.ts';

/** No call counts after this: the hour and the part of it that is half outside. */
const IDLE_MS = WINDOW_MS.hour * (1 + 1 / PARTS);
const SWEEP_MS = 60_000;

class Subject {
  /** Admitted calls of the last second, oldest first: the one window that is exact. */
  readonly second: number[] = [];
  readonly minute = new RollingWindow(WINDOW_MS.minute);
  readonly hour = new RollingWindow(WINDOW_MS.hour);
  last = 0;
}

/**
 * The limiter of one process. It uses the monotonic clock, so a step of the wall clock neither rejects nor admits
 * calls. Subjects without calls that count are dropped.
 */
export class LocalLimiter implements LocalCounts {
  readonly #clock: { monotonic(): number };
  #subjects: LRUCache<string, Subject>;
  #swept = 0;

  /** @param most subjects at a time; the one that called longest ago is dropped first */
  constructor(clock: { monotonic(): number }, most = DEFAULT_SUBJECTS) {
    this.#clock = clock;
    this.#subjects = boundedCache(most);
  }

  get size(): number {
    return this.#subjects.size;
  }

  /** From now on; the counts of those that called last stay. */
  resize(most: number): void {
    if (most === this.#subjects.maxSize) return;
    const resized = boundedCache<string, Subject>(most);
    resized.load(this.#subjects.dump());
    this.#subjects = resized;
  }

  take(name: string, limits: Limits): Verdict {
    const now = this.#clock.monotonic();
    const subject = this.#subject(name, now);
    const waitMilliseconds = waitOf(subject, limits, now);
    const admitted = waitMilliseconds === 0;
    if (admitted) charge(subject, now);
    return { admitted, waitMilliseconds, windows: statesOf(subject, limits, now) };
  }

  peek(name: string, limits: Limits): Verdict {
    const now = this.#clock.monotonic();
    const subject = this.#subject(name, now);
    const waitMilliseconds = waitOf(subject, limits, now);
    return {
      admitted: waitMilliseconds === 0,
      waitMilliseconds,
      windows: statesOf(subject, limits, now),
    };
  }

  charge(name: string): void {
    const now = this.#clock.monotonic();
    const subject = this.#subject(name, now);
    dropBefore(subject.second, now - WINDOW_MS.second);
    charge(subject, now);
  }

  #subject(name: string, now: number): Subject {
    if (now - this.#swept >= SWEEP_MS) this.#sweep(now);
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      subject = new Subject();
      this.#subjects.set(name, subject);
    }
    return subject;
  }

  #sweep(now: number): void {
    this.#swept = now;
    for (const [name, subject] of this.#subjects.entries()) {
      if (now - subject.last >= IDLE_MS) this.#subjects.delete(name);
    }
  }
}

function charge(subject: Subject, now: number): void {
  subject.last = now;
  subject.second.push(now);
  subject.minute.charge(now);
  subject.hour.charge(now);
}

/** Until all windows admit one more call; 0 = now. */
function waitOf({ second, minute, hour }: Subject, limits: Limits, now: number): number {
  dropBefore(second, now - WINDOW_MS.second);
  return Math.max(
    limits.second === null ? 0 : secondWait(second, limits.second, now),
    limits.minute === null ? 0 : minute.wait(now, limits.minute),
    limits.hour === null ? 0 : hour.wait(now, limits.hour),
  );
}

/** The window is open at its old end: a call of exactly a second ago is outside. */
function dropBefore(times: number[], edge: number): void {
  let count = 0;
  while (count < times.length && times[count]! <= edge) count += 1;
  if (count > 0) times.splice(0, count);
}

function secondWait(times: readonly number[], limit: number, now: number): number {
  if (times.length < limit) return 0;
  return (times[times.length - limit] ?? now) + WINDOW_MS.second - now;
}

function statesOf({ second, minute, hour }: Subject, limits: Limits, now: number): WindowState[] {
  const states: WindowState[] = [];
  if (limits.second !== null) {
    const oldest = second[0];
    states.push({
      name: 'second',
      limit: limits.second,
      remaining: Math.max(0, limits.second - second.length),
      resetMilliseconds: oldest === undefined ? 0 : WINDOW_MS.second - (now - oldest),
    });
  }
  for (const [name, window] of [
    ['minute', minute],
    ['hour', hour],
  ] as const) {
    const limit = limits[name];
    if (limit === null) continue;
    const count = window.count(now);
    const resetMilliseconds = count === 0 ? 0 : window.wait(now, count);
    states.push({ name, limit, remaining: Math.max(0, limit - count), resetMilliseconds });
  }
  return states;
}
