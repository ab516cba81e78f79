/** `npm run bench`: runs benchmarks, compares two checkouts, writes the table of figures. */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark } from './benchmark.ts';
import { BENCHMARKS } from './benchmarks.ts';
import { openCheckout, THIS_CHECKOUT } from './checkout.ts';
import { compare } from './compare.ts';
import { comparisonTable } from './comparison-report.ts';
import { Datasets, temporaryFolder } from './datasets.ts';
import { figuresTable, type Reports, tableIn, withTable } from './figures-table.ts';
import { endAll } from './processes.ts';
import { type Report, table } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';

const README = new URL('README.md', import.meta.url);

const USAGE = `npm run bench -- <name>              runs one benchmark
npm run bench -- all                 runs every benchmark
npm run bench -- compare CHECKOUT [<name>…]
                                     measures the built services of another checkout and of this one in turns;
                                     all benchmarks when none is named
npm run bench -- table FILE…         the figures in JSON files of runs as a Markdown table

  --quick       fewer rounds, 20,000 instead of 100,000 items; figures are provisional
  --only        these measures only: <measure>[,…]
  --json FILE   the figures as JSON to a file instead of standard output
  --data DIR    keep generated data there and use it again; not with compare
  --items N     items of the large project; not with compare
  --write       table: into the README of the benchmarks; rows of other measures stay
  --help        this text
`;

const progress = (text: string) => process.stderr.write(`${text}\n`);

/** A command line that cannot be run as it is. */
class UsageError extends Error {}

function commandLine() {
  return parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      json: { type: 'string' },
      data: { type: 'string' },
      items: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

type Options = ReturnType<typeof commandLine>['values'];

async function main(): Promise<number> {
  const { values, positionals } = commandLine();
  const [command, ...rest] = values.help ? [] : positionals;
  switch (command) {
    case undefined:
      process.stdout.write(`${USAGE}\n${BENCHMARKS.map(listed).join('\n')}\n`);
      return 0;
    case 'compare':
      return compareWith(rest, values);
    case 'table':
      return writeTable(rest, values);
    case 'all':
      if (rest.length > 0) throw new UsageError("'all' takes no names.");
      return runAll(BENCHMARKS, values);
    default:
      return runAll(benchmarksOf(positionals), values);
  }
}

async function runAll(benchmarks: readonly Benchmark[], values: Options): Promise<number> {
  const only = measuresOf(benchmarks, values.only);
  const folder = values.data === undefined ? temporaryFolder() : resolve(values.data);
  const datasets = new Datasets({ checkout: THIS_CHECKOUT, folder, progress });
  const reports: Report[] = [];
  for (const benchmark of benchmarks) {
    const some = only === undefined || benchmark.measures.some(({ name }) => only.includes(name));
    if (!some) continue;
    const report = await runBenchmark(benchmark, {
      quick: values.quick,
      large: itemsOf(values),
      only,
      datasets,
      progress,
    });
    reports.push(report);
    process.stdout.write(`${benchmark.name}: ${table(report)}\n`);
    // After each, so that a run that is ended early leaves what it found.
    if (values.json !== undefined) await writeJson(values.json, { reports } satisfies Reports);
  }
  if (values.json === undefined) await writeJson(undefined, { reports } satisfies Reports);
  return reports.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

function itemsOf({ items }: Options): number | undefined {
  if (items === undefined) return undefined;
  if (!/^[1-9]\d{3,8}$/.test(items)) throw new UsageError('--items needs a number from 1000 on.');
  return Number(items);
}

async function compareWith([path, ...names]: readonly string[], values: Options): Promise<number> {
  if (path === undefined) throw new UsageError("'compare' needs the folder of another checkout.");
  if (values.data !== undefined || values.items !== undefined)
    throw new UsageError("'compare' makes its own data; leave --data and --items out.");
  const benchmarks = names.length === 0 ? BENCHMARKS : benchmarksOf(names);
  const only = measuresOf(benchmarks, values.only);
  const before = await openCheckout(path).catch((error: Error) => {
    throw new UsageError(error.message);
  });
  const report = await compare({ before, benchmarks, only, quick: values.quick, progress });
  process.stdout.write(comparisonTable(report));
  await writeJson(values.json, report);
  return report.failures.length > 0 ? 1 : 0;
}

async function writeTable(files: readonly string[], values: Options): Promise<number> {
  const reports: Report[] = [];
  for (const file of files) {
    const { reports: some } = JSON.parse(await readFile(file, 'utf8')) as Partial<Reports>;
    if (some === undefined) throw new UsageError(`${file} holds no figures of a run.`);
    reports.push(...some);
  }
  if (values.write) {
    const readme = await readFile(README, 'utf8');
    await writeFile(README, withTable(readme, figuresTable(BENCHMARKS, reports, tableIn(readme))));
  } else process.stdout.write(`${figuresTable(BENCHMARKS, reports)}\n`);
  return 0;
}

async function writeJson(file: string | undefined, content: object): Promise<void> {
  const json = `${JSON.stringify(content, null, 2)}\n`;
  if (file === undefined) process.stdout.write(`\n${json}`);
  else await writeFile(file, json);
}

function benchmarksOf(names: readonly string[]): Benchmark[] {
  return names.map((wanted) => {
    const found = BENCHMARKS.find(({ name }) => name === wanted);
    if (!found)
      throw new UsageError(`There is no benchmark '${wanted}'.\n\n${BENCHMARKS.map(listed).join('\n')}`);
    return found;
  });
}

function measuresOf(
  benchmarks: readonly Benchmark[],
  only: string | undefined,
): readonly string[] | undefined {
  const names = only?.split(',');
  const unknown = names?.filter(
    (name) => !benchmarks.some(({ measures }) => measures.some((one) => one.name === name)),
  );
  if (unknown && unknown.length > 0)
    throw new UsageError(
      `There is no measure '${unknown.join("', '")}'.\n\n${benchmarks.map(listed).join('\n')}`,
    );
  return names;
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
  const isUsage =
    error instanceof UsageError || String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
  if (!isUsage) throw error;
  const usage = error instanceof UsageError ? '' : `\n\n${USAGE}`;
  process.stderr.write(`${(error as Error).message}${usage}\n`);
  process.exitCode = 2;
} finally {
  await endAll();
}
