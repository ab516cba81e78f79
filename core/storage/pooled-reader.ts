import type { ConnectionPool, PooledConnection } from './connection-pool.ts';
import { refuseNullCharacters } from './null-character.ts';
import type { PagePlan, PageResult, StoredDocument } from './page-plan.ts';
import type { PageReads, Reader, ResolvedItems } from './ports.ts';
import type { ReadScope } from './read-scope.ts';
import type { Row, Sql, SqlValue } from './sql.ts';

export interface ReadConnection extends PooledConnection, Sql {
  /** Runs statements without results. */
  execute(text: string): Promise<void>;
}

/** The reads that each adapter has its own SQL for. */
export interface AdapterReads<C> {
  /** Begins a transaction that shows one state. */
  readonly begin: string;
  readonly among: Sql['among'];
  stepByStep(connection: C): Sql & PageReads;
  page(connection: C, plan: PagePlan): Promise<PageResult>;
  documents(connection: C, numbers: readonly number[]): Promise<StoredDocument[]>;
  resolve(connection: C, project: number, view: number, items: readonly number[]): Promise<ResolvedItems>;
}

/** The parts of a store that its readers share. */
export interface ReaderParts<C extends ReadConnection> {
  readonly epoch: string;
  readonly reads: AdapterReads<C>;
  pool(scope: ReadScope, isStream: boolean): ConnectionPool<C>;
}

/** Reads for one scope on the connections of its class. */
export class PooledReader<C extends ReadConnection> implements Reader, Sql {
  readonly #parts: ReaderParts<C>;
  readonly #scope: ReadScope;
  readonly #pool: ConnectionPool<C>;

  constructor(parts: ReaderParts<C>, scope: ReadScope) {
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
    return this.#use((connection) => {
      refuseNullCharacters(parameters);
      return connection.all<T>(text, parameters);
    });
  }

  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return this.#use((connection) => {
      refuseNullCharacters(parameters);
      return connection.get<T>(text, parameters);
    });
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return this.#parts.reads.among(column, values);
  }

  snapshot<T>(
    work: (sql: Sql & PageReads) => Promise<T>,
    { stream = false }: { readonly stream?: boolean } = {},
  ): Promise<T> {
    const { reads } = this.#parts;
    const pool = stream ? this.#parts.pool(this.#scope, true) : this.#pool;
    return pool.use(this.#scope, async (connection) => {
      await connection.execute(reads.begin);
      try {
        return await work(reads.stepByStep(connection));
      } finally {
        await connection.execute('COMMIT');
      }
    });
  }

  page(plan: PagePlan): Promise<PageResult> {
    return this.#use((connection) => this.#parts.reads.page(connection, plan));
  }

  documents(numbers: readonly number[]): Promise<StoredDocument[]> {
    return this.#use((connection) => this.#parts.reads.documents(connection, numbers));
  }

  resolve(project: number, view: number, items: readonly number[]): Promise<ResolvedItems> {
    return this.#use((connection) => this.#parts.reads.resolve(connection, project, view, items));
  }

  #use<T>(task: (connection: C) => Promise<T>): Promise<T> {
    return this.#pool.use(this.#scope, task);
  }
}
