import type { PagePlan } from '../page-plan.ts';
import type { Sql } from '../sql.ts';
import { AccessPathChooser } from './access-path-chooser.ts';
import { DocumentSql } from './document-sql.ts';
import { ListingSql } from './listing-sql.ts';
import type { ReadDialect } from './read-dialect.ts';
import type { Statement } from './statement.ts';

/** The counts that the access paths of a statement were chosen by are up to as old again. */
const CACHED_MS = 10_000;
/** Longer statements are written again. */
const LONGEST_CACHED = 8000;

/** What the reads of one database share: its SQL, and the counts that access paths are chosen by. */
export class Listings {
  readonly dialect: ReadDialect;
  readonly sql: ListingSql;
  readonly documents: DocumentSql;
  readonly paths: AccessPathChooser;
  /** Statements of plans that the caller still has. */
  readonly #pages = new WeakMap<PagePlan, { readonly statement: Statement; readonly until: number }>();

  constructor(dialect: ReadDialect) {
    this.dialect = dialect;
    this.sql = new ListingSql(dialect);
    this.documents = new DocumentSql(dialect);
    this.paths = new AccessPathChooser(this.sql);
  }

  /**
   * The statement of a page: `PageRow`. Writing it takes 17 µs, choosing its access paths 5 µs.
   * @throws ServiceError queryTooExpensive
   */
  async page(sql: Pick<Sql, 'get'>, plan: PagePlan): Promise<Statement> {
    const now = performance.now();
    const cached = this.#pages.get(plan);
    if (cached && now < cached.until) return cached.statement;
    const statement = this.sql.page(plan, await this.paths.choose(sql, plan, false));
    if (statement.text.length <= LONGEST_CACHED) this.#pages.set(plan, { statement, until: now + CACHED_MS });
    return statement;
  }
}
