import { AccessPathChooser } from './access-path-chooser.ts';
import { DocumentSql } from './document-sql.ts';
import { ListingSql } from './listing-sql.ts';
import type { ReadDialect } from './read-dialect.ts';

/** What the reads of one database share: its SQL, and the counts that access paths are chosen by. */
export class Listings {
  readonly dialect: ReadDialect;
  readonly sql: ListingSql;
  readonly documents: DocumentSql;
  readonly paths: AccessPathChooser;

  constructor(dialect: ReadDialect) {
    this.dialect = dialect;
    this.sql = new ListingSql(dialect);
    this.documents = new DocumentSql(dialect);
    this.paths = new AccessPathChooser(this.sql);
  }
}
