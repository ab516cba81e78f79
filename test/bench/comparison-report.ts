import { aligned, type Machine, rounded } from './report.ts';

const WIDE = 1.2;

/** One figure of two checkouts. */
export interface ComparedRow {
  readonly measure: string;
  readonly figure: string;
  readonly unit: string;
  /** Such that a ratio above 1 means that `after` is better. */
  readonly orientation: 'after ÷ before' | 'before ÷ after';
  /** Medians of all rounds. */
  readonly before: number;
  readonly after: number;
  /** Median of the ratios of the single rounds. */
  readonly ratio: number;
  readonly interval: readonly [number, number];
  /** Probability that the interval holds the true median, at least. */
  readonly confidence: number;
  /** The upper end of the interval is 0.97 or more. */
  readonly isNoLoss: boolean;
  readonly rounds: number;
  readonly ratios: readonly number[];
}

export interface ComparisonReport {
  /** Commits, with `+` when files differ from them. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly started: string;
  readonly minutes: number;
  readonly quick: boolean;
  readonly rounds: number;
  readonly machine: Machine;
  readonly rows: readonly ComparedRow[];
  readonly leftOut: readonly { readonly measure: string; readonly reason: string }[];
  readonly failures: readonly { readonly measure: string; readonly reason: string }[];
}

export function comparisonTable(report: ComparisonReport): string {
  const { machine, rows, rounds } = report;
  const facts = [
    `before: ${report.before ?? 'unknown commit'}, after: ${report.after ?? 'unknown commit'}`,
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load ${machine.loadAverage.toFixed(2)} at the start, at most ${rounds} rounds, ${report.minutes.toFixed(1)} minutes${report.quick ? ', quick run: figures are provisional' : ''}`,
    'ratio: median of the paired ratios with its 95 % interval; above 1 this checkout is better',
    'verdict: no loss when the upper end of the interval is 0.97 or more; a wide interval (upper end ÷ lower end above 1.2) says little',
  ];
  const cells = rows.map((row) => [
    `${row.measure}: ${row.figure}`,
    row.unit,
    rounded(row.before),
    rounded(row.after),
    row.orientation,
    row.ratio.toFixed(3),
    row.interval.map((end) => end.toFixed(3)).join(' – '),
    `${row.rounds}`,
    `${row.isNoLoss ? 'no loss' : 'LOSS'}${isWide(row) ? ', wide interval' : ''}`,
  ]);
  const head = [
    'measure',
    'unit',
    'before',
    'after',
    'ratio is',
    'ratio',
    '95 % interval',
    'rounds',
    'verdict',
  ];
  return [
    ...facts,
    '',
    ...aligned([head, ...cells]),
    ...report.leftOut.map(({ measure, reason }) => `${measure} is left out: ${reason}`),
    ...report.failures.map(({ measure, reason }) => `${measure} failed: ${reason}`),
    '',
  ].join('\n');
}

/** Then a loss of some ten percent would not be seen: the machine was busy, or the turns were too short. */
function isWide({ interval: [low, high] }: ComparedRow): boolean {
  return high / low > WIDE;
}
