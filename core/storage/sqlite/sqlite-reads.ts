import type { AdapterReads } from '../pooled-reader.ts';
import { AccessPathChooser } from './access-path-chooser.ts';
import { among } from './among.ts';
import type { Connection } from './connection.ts';
import { readDocuments, resolveItems } from './read-documents.ts';
import { readPage } from './read-page.ts';
import { SqlitePageReads } from './sqlite-page-reads.ts';

export function sqliteReads(): AdapterReads<Connection> {
  const paths = new AccessPathChooser();
  return {
    begin: 'BEGIN',
    among,
    stepByStep: (connection) => new SqlitePageReads(connection, paths),
    page: (connection, plan) => readPage(connection, paths, plan),
    documents: readDocuments,
    resolve: resolveItems,
  };
}
