export interface DataTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** SHA-256, hex: equal on every database for equal rows. */
  readonly digest: string;
}

/** Rows in the text format of PostgreSQL's COPY, which ends each with a line feed. */
export interface CopiedRows {
  readonly text: Uint8Array;
  readonly rows: number;
}
