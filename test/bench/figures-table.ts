/** The table of figures in the README, made of the JSON that `npm run bench -- all --json FILE` writes. */
import type { Benchmark } from './benchmark.ts';
import { type Report, rounded, targetOf } from './report.ts';

export const COLUMNS = ['Measure', 'Figure', 'Value', 'Spread', 'Target', 'Date', 'Processor'] as const;
export const NOT_MEASURED = 'not measured yet';

/** What `all` writes. */
export interface Reports {
  readonly reports: readonly Report[];
}

const BEGIN = '<!-- figures: written by `npm run bench -- table FILE… --write` -->';
const END = '<!-- end of figures -->';

/**
 * One row for each figure, and one for each measure that has none, in the order of the benchmarks.
 * @param before a table whose rows stay for measures that no report has
 */
export function figuresTable(
  benchmarks: readonly Benchmark[],
  reports: readonly Report[],
  before = '',
): string {
  const linesBefore = before.split('\n');
  for (const { benchmark, figures, failures } of reports)
    for (const { measure } of [...figures, ...failures])
      if (
        !benchmarks.some(
          ({ name, measures }) => name === benchmark && measures.some((one) => one.name === measure),
        )
      )
        throw new Error(`There is no measure '${benchmark} ${measure}'; run the benchmark again.`);
  const lines = benchmarks.flatMap(({ name, measures }) =>
    measures.flatMap((measure) => {
      const title = `${name} ${measure.name}`;
      const own = reports
        .filter(({ benchmark }) => benchmark === name)
        .flatMap((report) => rowsOf(report, measure.name));
      if (own.length > 0) return own.map((cells) => line([title, ...cells]));
      const kept = linesBefore.filter((one) => one.startsWith(`| ${title} |`));
      return kept.length > 0 ? kept : [line([title, NOT_MEASURED])];
    }),
  );
  return [line(COLUMNS), line(COLUMNS.map(() => '---')), ...lines].join('\n');
}

function rowsOf(report: Report, measure: string): string[][] {
  const { cores, cpu, node } = report.machine;
  const origin = [
    `${report.started.slice(0, 10)}${report.quick ? ', quick run' : ''}`,
    `${cpu}, ${cores} cores, Node ${node}`,
  ];
  const failed = report.failures
    .filter((one) => one.measure === measure)
    .map(({ reason }) => [`failed: ${reason}`, '', '', '', ...origin]);
  const figures = report.figures
    .filter((one) => one.measure === measure)
    .map((figure) => [
      figure.name,
      `${rounded(figure.value)} ${figure.unit}`,
      figure.spread ? figure.spread.map(rounded).join(' – ') : '',
      `${targetOf(figure)}${figure.met === false ? ', missed' : ''}`,
      ...origin,
    ]);
  return [...figures, ...failed];
}

function line(cells: readonly string[]): string {
  const all = COLUMNS.map((_, column) =>
    (cells[column] ?? '').replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' '),
  );
  return `| ${all.join(' | ')} |`;
}

/** The README with another table between its two marks. */
export function withTable(readme: string, table: string): string {
  const { from, to } = marks(readme);
  return `${readme.slice(0, from)}\n${table}\n${readme.slice(to)}`;
}

export function tableIn(readme: string): string {
  const { from, to } = marks(readme);
  return readme.slice(from, to).trim();
}

function marks(readme: string): { readonly from: number; readonly to: number } {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The README lacks the lines '${BEGIN}' and '${END}'.`);
  return { from: from + BEGIN.length, to };
}
