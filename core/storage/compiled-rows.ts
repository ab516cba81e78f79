import type { SqlValue } from './sql.ts';

/** Columns of the compiled tables, in the order of the values of a row. */
export const COMPILED_COLUMNS = {
  document: [
    'number',
    'project',
    'item',
    'language',
    'type',
    'version',
    'visible',
    'compiled_at',
    'slug',
    'components',
    'body',
    'layout',
  ],
  uses: ['document', 'kind', 'target'],
  entry: ['document', 'slot', 'key', 'codename', 'visible', 'item'],
  resolved: ['view', 'item', 'document', 'type', 'language', 'codename'],
} as const;

export type CompiledTable = keyof typeof COMPILED_COLUMNS;

/** New rows of the compiled tables. */
export type CompiledRows = Readonly<Record<CompiledTable, readonly (readonly SqlValue[])[]>> & {
  /** Documents that stay, with their index rows, and the channels that show them from now on. */
  readonly kept: readonly (readonly [document: number, visible: number])[];
};
