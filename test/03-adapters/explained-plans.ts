/** How PostgreSQL runs the statements of a read, and whether that is bounded. */
import { expect } from 'chai';
import { Listings } from '../../core/storage/listings/listings.ts';
import { readPage } from '../../core/storage/listings/read-page.ts';
import type { Statement } from '../../core/storage/listings/statement.ts';
import type { PagePlan } from '../../core/storage/page-plan.ts';
import type { PostgresConnection } from '../../core/storage/postgres/connection.ts';
import { POSTGRES_READS } from '../../core/storage/postgres/read-dialect.ts';
import { statementText } from '../../core/storage/postgres/statement-text.ts';
import type { Sql, SqlValue } from '../../core/storage/sql.ts';
import type { Listed } from './many-documents.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The statements that read the page of a plan. */
export async function statementsOf(connection: PostgresConnection, listed: PagePlan): Promise<Statement[]> {
  const { sql, statements } = recorder(connection);
  const page = await readPage(sql, new Listings(POSTGRES_READS), listed);
  expect(page.items).not.to.deep.equal([]);
  return statements;
}

export function recorder(connection: PostgresConnection): { sql: Sql; statements: Statement[] } {
  const statements: Statement[] = [];
  const record = (text: string, parameters: readonly SqlValue[] = []) => {
    statements.push({ text, parameters });
  };
  return {
    statements,
    sql: {
      all: (text, parameters) => {
        record(text, parameters);
        return connection.all(text, parameters);
      },
      get: (text, parameters) => {
        record(text, parameters);
        return connection.get(text, parameters);
      },
      among: connection.among,
      matching: connection.matching,
    },
  };
}

/** Runs the statements, prepared as reads of the service are. @returns their plans */
export async function explained(
  connection: PostgresConnection,
  statements: readonly Statement[],
): Promise<PlanNode[]> {
  const plans: PlanNode[] = [];
  for (const { text, parameters } of statements) {
    await connection.execute(`PREPARE explained AS ${statementText(text).text}`);
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join()})`;
    const [result] = await connection.script(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE explained ${values}`,
    );
    plans.push(JSON.parse(result?.rows[0]['QUERY PLAN'])[0].Plan);
    await connection.execute('DEALLOCATE explained');
  }
  return plans;
}

function literal(value: SqlValue): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL');
}

/** @throws for a sequential scan, a join that reads whole tables, and for more rows read or sorted than allowed */
export function check(node: PlanNode, { read, sorted }: Pick<Listed, 'read' | 'sorted'>): void {
  const kind = node['Node Type'];
  const table = node['Relation Name'];
  const inner = node.Plans ?? [];
  if (/^Seq|Hash Join|Merge Join/.test(kind)) throw new Error(`${kind} of ${table}`);
  if (table !== undefined && rowsRead(node) > read)
    throw new Error(`reads ${rowsRead(node)} rows of ${table}`);
  if (/Sort$/.test(kind)) {
    const rows = inner.reduce((sum, each) => sum + each['Actual Rows'] * each['Actual Loops'], 0);
    if (rows > sorted) throw new Error(`sorts ${rows} rows`);
  }
  for (const each of inner) check(each, { read, sorted });
}

function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}
