import type { Bench, Benchmark } from './benchmark.ts';
import type { Datasets } from './datasets.ts';
import { startLoadClient } from './load-client.ts';
import { endAll } from './processes.ts';
import { isMet, machineFacts, type Report } from './report.ts';

export interface RunOptions {
  readonly quick: boolean;
  /** Items of the large project, where it is not as large as usual. */
  readonly large?: number | undefined;
  readonly only: readonly string[] | undefined;
  readonly datasets: Datasets;
  readonly progress: (text: string) => void;
}

/** Runs the measures of a benchmark, one after another; one that cannot run does not stop the rest. */
export async function runBenchmark(benchmark: Benchmark, options: RunOptions): Promise<Report> {
  const { quick, large = quick ? 20_000 : 100_000, only, datasets, progress } = options;
  const rounds = quick ? 3 : 7;
  const started = new Date().toISOString();
  const machine = machineFacts();
  const figures: Report['figures'][number][] = [];
  const failures: Report['failures'][number][] = [];
  for (const { name, about, run } of benchmark.measures) {
    if (only && !only.includes(name)) continue;
    progress(`${name}: ${about}`);
    const load = startLoadClient();
    const bench: Bench = {
      datasets,
      load,
      rounds,
      large,
      requests: (full) => (quick ? Math.ceil(full / 3) : full),
      progress,
    };
    try {
      for (const figure of await run(bench)) {
        const met = isMet(figure);
        figures.push({ measure: name, ...figure, ...(met !== undefined && { met }) });
        progress(`  ${figure.name}: ${figure.value.toPrecision(3)} ${figure.unit} ${figure.detail ?? ''}`);
      }
    } catch (error) {
      failures.push({ measure: name, reason: (error as Error).message });
      progress(`  failed: ${(error as Error).stack}`);
    } finally {
      // Whatever the measure left running, the load client included.
      await endAll();
    }
  }
  return { benchmark: benchmark.name, started, quick, rounds, machine, figures, failures };
}
