import type { ConnectionPool, PooledConnection } from './connection-pool.ts';
import type { TextMatches, TextPart, TextQuery } from './full-text.ts';
import type { Listings } from './listings/listings.ts';
import { readDocuments, resolveItems } from './listings/read-documents.ts';
import { readPage } from './listings/read-page.ts';
import { SnapshotReads } from './listings/snapshot-reads.ts';
import { refuseNullCharacters } from './null-character.ts';
import type { PagePlan, PageResult, StoredDocument } from './page-plan.ts';
import type { PageReads, Reader, ResolvedItems } from './ports.ts';
import type { ReadScope } from './read-scope.ts';
import type { Row, Sql, SqlValue } from './sql.ts';

export interface ReadConnection extends PooledConnection, Sql {
  /** Runs statements without results. */
  execute(text: string): Promise<void>;
}

/** The parts of a store that its readers share. */
export interface ReaderParts<C extends ReadConnection> {
  readonly epoch: string;
  readonly listings: Listings;
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
    return this.#parts.listings.dialect.among(column, values);
  }

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return this.#parts.listings.dialect.matching(query, language, within);
  }

  snapshot<T>(
    work: (sql: Sql & PageReads) => Promise<T>,
    { stream = false }: { readonly stream?: boolean } = {},
  ): Promise<T> {
    const { listings } = this.#parts;
    const pool = stream ? this.#parts.pool(this.#scope, true) : this.#pool;
    return pool.use(this.#scope, async (connection) => {
      await connection.execute(listings.dialect.begin);
      try {
        return await work(new SnapshotReads(connection, listings));
      } finally {
        await connection.execute('COMMIT');
      }
    });
  }

  page(plan: PagePlan): Promise<PageResult> {
    return this.#use((connection) => readPage(connection, this.#parts.listings, plan));
  }

  documents(numbers: readonly number[]): Promise<StoredDocument[]> {
    return this.#use((connection) => readDocuments(connection, this.#parts.listings, numbers));
  }

  resolve(project: number, view: number, items: readonly number[]): Promise<ResolvedItems> {
    return this.#use((connection) => resolveItems(connection, this.#parts.listings, project, view, items));
  }

  #use<T>(task: (connection: C) => Promise<T>): Promise<T> {
    return this.#pool.use(this.#scope, task);
  }
}
