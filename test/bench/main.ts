/** `npm run bench -- delivery`: runs a benchmark and tells its figures. Without a name, lists them. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Bench, Benchmark } from './benchmark.ts';
import { Datasets } from './datasets.ts';
import { delivery } from './delivery/delivery.ts';
import { gateway } from './gateway/gateway.ts';
import { images } from './images/images.ts';
import { startLoadClient } from './load-client.ts';
import { management } from './management/management.ts';
import { endAll } from './processes.ts';
import { isMet, machineFacts, type Report, table } from './report.ts';
import { webhooks } from './webhooks/webhooks.ts';

const BENCHMARKS: readonly Benchmark[] = [delivery, management, gateway, images, webhooks];

const USAGE = `npm run bench -- <name> [--quick] [--only <measure>[,…]] [--json FILE] [--data DIR]

  --quick       fewer rounds, 20,000 instead of 100,000 items; figures are provisional
  --only        these measures only
  --json FILE   the figures as JSON to a file instead of standard output
  --data DIR    keep generated data there and use it again
`;

const progress = (text: string) => process.stderr.write(`${text}\n`);

function commandLine() {
  return parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      json: { type: 'string' },
      data: { type: 'string' },
    },
  });
}

async function main(): Promise<number> {
  const { values, positionals } = commandLine();
  const benchmark = BENCHMARKS.find(({ name }) => name === positionals[0]);
  if (!benchmark || positionals.length > 1) {
    process.stdout.write(`${USAGE}\n${BENCHMARKS.map(listed).join('\n')}\n`);
    return positionals.length === 0 ? 0 : 2;
  }
  const only = values.only?.split(',');
  const unknown = only?.filter((name) => !benchmark.measures.some((measure) => measure.name === name)) ?? [];
  if (unknown.length > 0) {
    process.stdout.write(
      `${benchmark.name} has no measure '${unknown.join("', '")}'.\n\n${listed(benchmark)}\n`,
    );
    return 2;
  }
  const datasets = new Datasets(values.data, progress);
  try {
    const report = await run(benchmark, { quick: values.quick, only, datasets });
    process.stdout.write(table(report));
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (values.json === undefined) process.stdout.write(`\n${json}`);
    else await writeFile(values.json, json);
    return report.failures.length > 0 ? 1 : 0;
  } finally {
    await endAll();
  }
}

async function run(
  benchmark: Benchmark,
  options: { quick: boolean; only: readonly string[] | undefined; datasets: Datasets },
): Promise<Report> {
  const { quick, only, datasets } = options;
  const rounds = quick ? 3 : 7;
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
      large: quick ? 20_000 : 100_000,
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
  return { benchmark: benchmark.name, quick, rounds, machine, figures, failures };
}

function listed({ name, about, measures }: Benchmark): string {
  return [`${name}: ${about}`, ...measures.map((one) => `  ${one.name.padEnd(20)}${one.about}`)].join('\n');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    progress(`${signal}: ending what was started.`);
    endAll().finally(() => process.exit(130));
  });
}
try {
  process.exitCode = await main();
} catch (error) {
  if (!String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')) throw error;
  process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
}
