/** `npm run bench -- compare CHECKOUT`: the built services of two checkouts, measured in turns. */
import { join } from 'node:path';
import type { Bench, Benchmark, Measure, Quantity, Sample, Turn } from './benchmark.ts';
import { QUANTITIES } from './benchmark.ts';
import { type Checkout, commitOf, THIS_CHECKOUT } from './checkout.ts';
import type { ComparedRow, ComparisonReport } from './comparison-report.ts';
import { Datasets, temporaryFolder } from './datasets.ts';
import { type LoadClient, startLoadClient } from './load-client.ts';
import { LEAST_ROUNDS, medianInterval } from './median-interval.ts';
import { endAll } from './processes.ts';
import { machineFacts } from './report.ts';
import { WARM_UP } from './rounds.ts';

/** Rounds whose interval from order statistics is nearest to 95 %: 96.5 and 96.1 %. */
const ROUNDS = { full: 15, quick: 9 };
/** Seconds for the turns of one measure; after that the round is the last, if there are enough for an interval. */
const SECONDS = { full: 50, quick: 20 };
/** Published items of the large project; to generate more would take longer than to measure. */
const LARGE = { full: 50_000, quick: 20_000 };
/** Turns are shorter than those of `run`: many short ones say more of a ratio than few long ones. */
const SHORTER = { full: 3, quick: 6 };
/** The least upper end of the interval that is called no loss. */
const NO_LOSS = 0.97;

const SIDES = ['before', 'after'] as const;
type Side = (typeof SIDES)[number];
type Turns = Readonly<Record<string, Turn>>;

export interface CompareOptions {
  readonly before: Checkout;
  readonly benchmarks: readonly Benchmark[];
  readonly only: readonly string[] | undefined;
  readonly quick: boolean;
  readonly progress: (text: string) => void;
}

export async function compare(options: CompareOptions): Promise<ComparisonReport> {
  const { before, benchmarks, only, quick, progress } = options;
  const size = quick ? 'quick' : 'full';
  const began = performance.now();
  const started = new Date().toISOString();
  const machine = machineFacts();
  const folder = temporaryFolder();
  // Made by `before` and opened by no service: a newer one migrates its copy, an older one could not open that.
  const generated = new Datasets({ checkout: before, folder: join(folder, 'generated'), progress });
  const copies = (side: Side, checkout: Checkout) =>
    new Datasets({ checkout, folder: join(folder, side), progress, copyOf: generated });
  const datasets = { before: copies('before', before), after: copies('after', THIS_CHECKOUT) };
  const rounds = ROUNDS[size];
  const benchOf = (side: Side, load: LoadClient): Bench => ({
    datasets: datasets[side],
    load,
    rounds,
    large: LARGE[size],
    requests: (full) => Math.ceil(full / SHORTER[size]),
    progress,
  });
  const rows: ComparedRow[] = [];
  const leftOut: { measure: string; reason: string }[] = [];
  const failures: { measure: string; reason: string }[] = [];
  for (const { benchmark, measure } of measuresOf(benchmarks, only)) {
    const name = `${benchmark.name} ${measure.name}`;
    if ('leftOut' in measure.compare) {
      leftOut.push({ measure: name, reason: measure.compare.leftOut });
      continue;
    }
    progress(`${name}:`);
    const load = startLoadClient();
    try {
      const turns = {
        before: await measure.compare(benchOf('before', load)),
        after: await measure.compare(benchOf('after', load)),
      };
      for (const row of await takePairs(turns, rounds, SECONDS[size] * 1000)) {
        rows.push({ measure: name, ...row });
        const [low, high] = row.interval.map((value) => value.toFixed(3));
        progress(`  ${row.figure}, ${row.unit}: ${row.ratio.toFixed(3)} (${low} – ${high})`);
      }
    } catch (error) {
      failures.push({ measure: name, reason: (error as Error).message });
      progress(`  failed: ${(error as Error).stack}`);
    } finally {
      await endAll();
    }
  }
  return {
    before: await commitOf(before),
    after: await commitOf(THIS_CHECKOUT),
    started,
    minutes: (performance.now() - began) / 60_000,
    quick,
    rounds,
    machine,
    rows,
    leftOut,
    failures,
  };
}

function measuresOf(benchmarks: readonly Benchmark[], only: readonly string[] | undefined) {
  return benchmarks.flatMap((benchmark) =>
    benchmark.measures
      .filter(({ name }) => only === undefined || only.includes(name))
      .map((measure: Measure) => ({ benchmark, measure })),
  );
}

/** A B, then B A, and so on: neither side is always the second, when caches of the machine are warm. */
export async function takePairs(
  turns: Readonly<Record<Side, Turns>>,
  rounds: number,
  longest = Number.POSITIVE_INFINITY,
): Promise<Omit<ComparedRow, 'measure'>[]> {
  const end = performance.now() + longest;
  const rows: Omit<ComparedRow, 'measure'>[] = [];
  const found = new Map<string, Record<Side, Sample[]>>();
  for (let round = -WARM_UP; round < rounds; round++) {
    if (round >= LEAST_ROUNDS && performance.now() > end) break;
    for (const name of Object.keys(turns.after)) {
      const samples = found.get(name) ?? { before: [], after: [] };
      found.set(name, samples);
      for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
        const turn = turns[side][name];
        if (!turn) throw new Error(`${side} has no turn '${name}'.`);
        const sample = await turn();
        if (round >= 0) samples[side].push(sample);
      }
    }
  }
  for (const [name, { before, after }] of found)
    for (const quantity of Object.keys(after[0] ?? {}) as Quantity[])
      rows.push(
        rowOf(
          name,
          quantity,
          before.map((sample) => sample[quantity]!),
          after.map((sample) => sample[quantity]!),
        ),
      );
  return rows;
}

/** Ratios above 1 mean that the checkout of the benchmark is better. */
export function rowOf(
  name: string,
  quantity: Quantity,
  before: readonly number[],
  after: readonly number[],
): Omit<ComparedRow, 'measure'> {
  const { unit, better } = QUANTITIES[quantity];
  const ratios = after.map((value, round) =>
    better === 'more' ? value / before[round]! : before[round]! / value,
  );
  if (!ratios.every((ratio) => Number.isFinite(ratio) && ratio > 0))
    throw new Error(`${name}: a ratio of ${unit} is no positive number; the turns are too short.`);
  const { median: ratio, interval, confidence } = medianInterval(ratios);
  return {
    figure: name,
    unit,
    orientation: better === 'more' ? 'after ÷ before' : 'before ÷ after',
    before: medianInterval(before).median,
    after: medianInterval(after).median,
    ratio,
    interval,
    confidence,
    rounds: ratios.length,
    isNoLoss: interval[1] >= NO_LOSS,
    ratios,
  };
}
