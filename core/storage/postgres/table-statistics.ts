import { untilClosing } from '../until-closing.ts';
import type { Connections } from './connections.ts';

/** Written rows after which a table is counted, and by how much more there must be each further time. */
const FIRST = 100;
const GROWTH = 4;

/**
 * Gathers the statistics of tables that grow. The writer plans a statement once; a plan made for an empty table reads all
 * rows of a project, and the server would make another one after its autovacuum only, a minute later at best.
 */
export class TableStatistics {
  readonly #connections: Connections;
  /** Rows that this process wrote, by table. */
  readonly #written = new Map<string, number>();
  readonly #grown = new Set<string>();
  readonly #closing = new AbortController();
  #gathering: Promise<void> | null = null;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  wrote(table: string, rows: number): void {
    const before = this.#written.get(table) ?? 0;
    this.#written.set(table, before + rows);
    if (stepOf(before + rows) > stepOf(before)) this.#grown.add(table);
  }

  /** Called after a commit. */
  gather(): void {
    if (this.#grown.size === 0 || this.#gathering || this.#closing.signal.aborted) return;
    // The next growth tries again.
    this.#gathering = this.#gather().catch(() => {});
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The store closes.'));
    await this.#gathering;
  }

  async #gather(): Promise<void> {
    const connection = this.#connections.lazy('SET jit = off');
    try {
      await untilClosing(connection, this.#closing.signal, async () => {
        for (const table of this.#grown) {
          this.#grown.delete(table);
          const outdated = await connection.get(
            'SELECT 1 AS found FROM pg_class WHERE oid = to_regclass(?) AND reltuples < ?::bigint',
            [table, this.#written.get(table) ?? 0],
          );
          if (outdated) await connection.run(`ANALYZE ${table}`);
        }
      });
    } finally {
      this.#gathering = null;
    }
  }
}

function stepOf(rows: number): number {
  return rows < FIRST ? 0 : 1 + Math.floor(Math.log(rows / FIRST) / Math.log(GROWTH));
}
