import type { PagePlan, PageResult } from '../page-plan.ts';
import type { Connection } from './connection.ts';
import type { DriverChoice } from './driver-choice.ts';
import { countSql, listingSql, raw, type Statement, sql } from './listing-sql.ts';

interface PageRow {
  readonly sequence: number;
  readonly model_sequence: number;
  readonly pending: number;
  readonly found: number;
  readonly total: number | null;
  readonly items: Uint8Array | null;
  readonly linked: Uint8Array | null;
  /** Of all the documents, each once. */
  readonly components: Uint8Array | null;
}

const NOTHING = new Uint8Array(0);
const COMMA = new Uint8Array([0x2c]);

/**
 * A page in one statement, its bytes joined by the database: 100 documents of 2.3 KB cost 0.11 ms of CPU
 * that way, 0.72 ms when 100 rows come back and JavaScript joins them.
 */
export async function readPage(
  connection: Connection,
  choice: DriverChoice,
  plan: PagePlan,
  depth: 0 | 1,
): Promise<PageResult> {
  const driver = await choice.of(connection, plan, false);
  const { text, parameters } = pageSql(
    plan,
    depth,
    driver,
    plan.total ? await choice.forCount(connection, plan, false) : null,
  );
  const row = await connection.get<PageRow>(text, parameters);
  if (!row) return { ...EMPTY, modelChanged: true };
  const limit = plan.limit ?? Number.POSITIVE_INFINITY;
  return {
    modelChanged: row.model_sequence !== plan.modelSequence,
    sequence: row.sequence,
    pending: row.pending === 1,
    count: Math.min(row.found, limit),
    more: row.found > limit,
    total: row.total,
    items: row.items ?? NOTHING,
    modularContent: separated([row.linked, row.components]),
  };
}

const EMPTY: PageResult = {
  modelChanged: false,
  sequence: 0,
  pending: false,
  count: 0,
  more: false,
  total: null,
  items: NOTHING,
  modularContent: [],
};

function pageSql(
  plan: PagePlan,
  depth: 0 | 1,
  driver: 'order' | number,
  countDriver: 'order' | number | null,
): Statement {
  // One row more than asked for tells whether there is a next page.
  const listing = listingSql({ ...plan, limit: plan.limit === null ? null : plan.limit + 1 }, driver, false);
  const total = countDriver === null ? raw('NULL') : sql`(${countSql(plan, countDriver)})`;
  const linkedBodies =
    depth === 0
      ? raw('NULL')
      : raw(`(SELECT cast(group_concat('"' || l.codename || '":' || d.body, ',') AS BLOB)
          FROM linked l CROSS JOIN document d ON d.number = l.document)`);
  const documents =
    depth === 0
      ? raw('SELECT document FROM shown')
      : raw('SELECT document FROM shown UNION SELECT document FROM linked');
  // Bytes come out of scalar subqueries: a subquery in FROM would be copied through a temporary table,
  // which made 100 documents with their links four times as dear (3.7 against 0.9 ms for 780 KB).
  return sql`WITH page AS MATERIALIZED (${listing}),
    shown AS MATERIALIZED (SELECT document, item FROM page LIMIT ${plan.limit ?? -1} + 0),
    linked AS MATERIALIZED (SELECT DISTINCT r.codename AS codename, r.document AS document
      FROM shown s CROSS JOIN uses u ON u.document = s.document AND u.kind = 1
      CROSS JOIN resolved r ON r.view = ${plan.view} AND r.item = u.target ORDER BY 1)
    SELECT p.sequence AS sequence, p.model_sequence AS model_sequence,
      EXISTS (SELECT 1 FROM pending WHERE project = p.number) AS pending,
      (SELECT count(*) FROM page) AS found, ${total} AS total,
      (SELECT cast(group_concat(d.body, ',') AS BLOB)
        FROM shown s CROSS JOIN document d ON d.number = s.document) AS items,
      ${linkedBodies} AS linked,
      (SELECT cast(group_concat(d.components, ',') AS BLOB) FROM (${documents}) a
        CROSS JOIN document d ON d.number = a.document WHERE d.components <> '') AS components
    FROM project p WHERE p.number = ${plan.project}`;
}

function separated(parts: readonly (Uint8Array | null)[]): Uint8Array[] {
  const filled = parts.filter((part): part is Uint8Array => part !== null && part.length > 0);
  return filled.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
}
