import { createHash } from 'node:crypto';
import { COLUMNS_OF_RESTORE, EMPTIED_BY_RESTORE } from './restored-data.ts';
import type { CopiedRows, DataTable, TableDigest } from './table-rows.ts';

/** Tables whose rows are compared, by name; their columns too, without those that a restore sets. */
export function comparedTables<T extends DataTable>(tables: readonly T[]): T[] {
  return tables
    .filter(({ name }) => !EMPTIED_BY_RESTORE.includes(name))
    .map((table) => ({
      ...table,
      columns: table.columns.filter((column) => !COLUMNS_OF_RESTORE[table.name]?.includes(column)).sort(),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Digests of rows in the text format of COPY, table after table. */
export class TableDigests {
  readonly #progress: (rows: number) => void;
  readonly #digests: TableDigest[] = [];
  #total = 0;

  /** @param progress its argument: rows so far */
  constructor(progress: (rows: number) => void = () => {}) {
    this.#progress = progress;
  }

  /** @returns adds rows of a table, in the order of its key; without any, the table is complete */
  begin(table: string): (copied?: CopiedRows) => void {
    const hash = createHash('sha256');
    let rows = 0;
    return (copied) => {
      if (!copied) {
        this.#digests.push({ table, rows, digest: hash.digest('hex') });
        return;
      }
      hash.update(copied.text);
      rows += copied.rows;
      this.#total += copied.rows;
      this.#progress(this.#total);
    };
  }

  /** Of the complete tables, by name. */
  all(): readonly TableDigest[] {
    return this.#digests.sort((one, other) => (one.table < other.table ? -1 : 1));
  }
}
