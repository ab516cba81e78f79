import type { Call } from './command.ts';
import { table } from './terminal.ts';

/** @returns the exit code */
export function printJson({ terminal }: Pick<Call, 'terminal'>, value: object): number {
  terminal.out(JSON.stringify(value, null, 2));
  return 0;
}

export function printTable({ terminal }: Pick<Call, 'terminal'>, rows: readonly (readonly string[])[]): void {
  for (const line of table(rows)) terminal.out(line);
}

/**
 * Prints entries as a table, or as JSON with the switch `--json`.
 *
 * @returns the exit code
 */
export function printList<Entry>(
  call: Pick<Call, 'terminal' | 'switches'>,
  entries: readonly Entry[],
  head: readonly string[],
  rowOf: (entry: Entry) => readonly string[],
): number {
  if (call.switches.has('json')) return printJson(call, entries);
  printTable(call, [head, ...entries.map(rowOf)]);
  return 0;
}

/** `1 project`, `2 projects` */
export function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
