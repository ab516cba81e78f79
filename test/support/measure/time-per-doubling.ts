/**
 * How the CPU time of a parser grows with its input. Each time is the least of several runs, taken in turn with those of
 * the other size, since garbage collection, compiling and a busy machine only add to it. What still looks wrong is
 * measured again before it counts: growth that is not linear is so each time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { mainThreadCpu } from './cpu.mjs';

export interface Growth {
  /** In milliseconds, at half of the size (infinite where it was not measured), and at the size. */
  readonly half: number;
  readonly whole: number;
}

/** In milliseconds. An input that takes less even at the largest size does no harm, and cannot be measured well; what is quadratic takes 100 and more. */
const NEGLIGIBLE = 30;
export const MOST_PER_DOUBLING = 2.5;
const RUNS = 2;
const TRIES = 20;
/** Before each further try, one more: all of them take ten seconds. */
const PAUSE_MS = 50;

/** @param inputOf makes an input of a size; `size` is the largest that callers may send, or a good part of it */
export async function growthOf<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<Growth> {
  const whole = inputOf(size);
  let smaller: Input | undefined;
  let growth: Growth = { half: Number.POSITIVE_INFINITY, whole: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < TRIES && (tries === 0 || !isLinear(growth)); tries++) {
    await pause(tries * PAUSE_MS);
    for (let run = 0; run < RUNS; run++) {
      growth = { ...growth, whole: Math.min(growth.whole, await timed(work, whole)) };
      if (growth.whole < NEGLIGIBLE) return growth;
      smaller ??= inputOf(size / 2);
      growth = { ...growth, half: Math.min(growth.half, await timed(work, smaller)) };
      // A parser that is lost need not be measured to its end again and again.
      if (growth.whole > 1000) break;
    }
  }
  return growth;
}

export function isLinear({ half, whole }: Growth): boolean {
  return whole < NEGLIGIBLE || whole <= MOST_PER_DOUBLING * half;
}

async function timed<Input>(work: (input: Input) => unknown, input: Input): Promise<number> {
  const started = mainThreadCpu();
  try {
    const result = work(input);
    if (result instanceof Promise) await result;
  } catch {
    // A refusal is an answer as well; what it costs counts.
  }
  return mainThreadCpu() - started;
}
