/**
 * How the CPU time of a parser grows with its input. It is the least of several runs, since garbage collection and
 * compiling only add to it; what still looks wrong is measured again before it counts.
 */
import { mainThreadCpu } from './main-thread/cpu.mjs';

export interface Growth {
  /** In milliseconds, at a quarter and half of the size, and at the size. */
  readonly quarter: number;
  readonly half: number;
  readonly whole: number;
}

/** In milliseconds. An input that takes less even at the largest size does no harm, and cannot be measured well; what is quadratic takes 100 and more. */
const NEGLIGIBLE = 15;
export const MOST_PER_DOUBLING = 2.5;
const RUNS = 2;
const TRIES = 6;

/** @param inputOf makes an input of a size; `size` is the largest that callers may send, or a good part of it */
export async function growthOf<Input>(
  inputOf: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<Growth> {
  const inputs = { quarter: inputOf(size / 4), half: inputOf(size / 2), whole: inputOf(size) };
  const never = Number.POSITIVE_INFINITY;
  let growth: Growth = { quarter: never, half: never, whole: never };
  for (let tries = 0; tries < TRIES && (tries === 0 || !isLinear(growth)); tries++) {
    for (let run = 0; run < RUNS; run++) {
      growth = {
        quarter: Math.min(growth.quarter, await timed(work, inputs.quarter)),
        half: Math.min(growth.half, await timed(work, inputs.half)),
        whole: Math.min(growth.whole, await timed(work, inputs.whole)),
      };
      // A parser that is lost need not be measured to its end again and again.
      if (growth.whole > 1000) break;
    }
  }
  return growth;
}

/**
 * Over one doubling, or over two: a table of names that outgrows a cache of the processor costs more at one of them
 * (2.56 × was seen for 524 kB of JSON with many names). What is quadratic grows sixteenfold over two.
 */
export function isLinear({ quarter, half, whole }: Growth): boolean {
  return whole < NEGLIGIBLE || whole <= MOST_PER_DOUBLING * half || whole <= MOST_PER_DOUBLING ** 2 * quarter;
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
