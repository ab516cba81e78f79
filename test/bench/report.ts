import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Figure } from './benchmark.ts';

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly node: string;
  readonly platform: string;
  /** Of the last minute, before the benchmark began. */
  readonly loadAverage: number;
}

export interface Report {
  readonly benchmark: string;
  /** When it began, in UTC. */
  readonly started: string;
  readonly quick: boolean;
  readonly rounds: number;
  readonly machine: Machine;
  readonly figures: readonly (Figure & { readonly measure: string; readonly met?: boolean })[];
  readonly failures: readonly { readonly measure: string; readonly reason: string }[];
}

export function machineFacts(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    loadAverage: loadavg()[0] ?? 0,
  };
}

/** Undefined for a figure without a target. */
export function isMet({ target, value }: Figure): boolean | undefined {
  if (!target) return undefined;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

export function table({ machine, figures, failures, quick, rounds }: Report): string {
  const rows = figures.map((figure) => [
    `${figure.measure}: ${figure.name}`,
    `${rounded(figure.value)} ${figure.unit}`,
    figure.spread ? figure.spread.map(rounded).join(' – ') : '',
    targetOf(figure),
    figure.met === undefined ? 'no target' : figure.met ? 'met' : 'MISSED',
    figure.detail ?? '',
  ]);
  const all = [['measure', 'figure', 'rounds', 'target', '', 'detail'], ...rows];
  const facts = `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load ${machine.loadAverage.toFixed(2)} at the start, medians of ${rounds} rounds${quick ? ', quick run: figures are provisional' : ''}`;
  const failed = failures.map(({ measure, reason }) => `${measure} failed: ${reason}`);
  return [facts, '', ...aligned(all), ...failed, ''].join('\n');
}

/** Rows as lines of text with columns below each other. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

export function targetOf({ target }: Figure): string {
  if (!target) return '';
  return 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}

export function rounded(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
