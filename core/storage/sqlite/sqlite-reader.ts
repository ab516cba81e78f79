import type { PagePlan, PageResult, StoredDocument } from '../page-plan.ts';
import type { PageReads, Reader, ResolvedItems } from '../ports.ts';
import type { ReadScope } from '../read-scope.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import type { AccessPathChooser } from './access-path-chooser.ts';
import { among } from './among.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { readDocuments, resolveItems } from './read-documents.ts';
import { readPage } from './read-page.ts';
import { SqlitePageReads } from './sqlite-page-reads.ts';

/** The parts of a store that its readers share. */
export interface ReaderParts {
  readonly epoch: string;
  readonly paths: AccessPathChooser;
  pool(scope: ReadScope, isStream: boolean): ConnectionPool;
}

/** Reads for one scope on the connections of its class. */
export class SqliteReader implements Reader, Sql {
  readonly #parts: ReaderParts;
  readonly #scope: ReadScope;
  readonly #pool: ConnectionPool;

  constructor(parts: ReaderParts, scope: ReadScope) {
    this.#parts = parts;
    this.#scope = scope;
    this.#pool = parts.pool(scope, false);
  }

  get sql(): Sql {
    return this;
  }

  get epoch(): string {
    return this.#parts.epoch;
  }

  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    return this.#use((connection) => connection.all<T>(text, parameters));
  }

  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return this.#use((connection) => connection.get<T>(text, parameters));
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  snapshot<T>(
    work: (sql: Sql & PageReads) => Promise<T>,
    { stream = false }: { readonly stream?: boolean } = {},
  ): Promise<T> {
    const pool = stream ? this.#parts.pool(this.#scope, true) : this.#pool;
    return pool.use(this.#scope, async (connection) => {
      await connection.execute('BEGIN');
      try {
        return await work(new SqlitePageReads(connection, this.#parts.paths));
      } finally {
        await connection.execute('COMMIT');
      }
    });
  }

  page(plan: PagePlan): Promise<PageResult> {
    return this.#use((connection) => readPage(connection, this.#parts.paths, plan));
  }

  documents(numbers: readonly number[]): Promise<StoredDocument[]> {
    return this.#use((connection) => readDocuments(connection, numbers));
  }

  resolve(project: number, view: number, items: readonly number[]): Promise<ResolvedItems> {
    return this.#use((connection) => resolveItems(connection, project, view, items));
  }

  #use<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#pool.use(this.#scope, task);
  }
}
