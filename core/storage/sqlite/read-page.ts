import type { PagePlan, PageResult } from '../page-plan.ts';
import type { Connection } from './connection.ts';
import type { DriverChoice } from './driver-choice.ts';
import { countSql, type Driver, listingSql, raw, type Statement, sql } from './listing-sql.ts';

interface PageRow {
  readonly sequence: number;
  readonly model_sequence: number;
  readonly pending: number;
  readonly found: number;
  readonly total: number | null;
  /** `document,item,document,item,…` */
  readonly shown: string | null;
}

/** A page in one statement; its numbers come back as one text, which costs a tenth of as many rows. */
export async function readPage(
  connection: Connection,
  choice: DriverChoice,
  plan: PagePlan,
): Promise<PageResult> {
  const driver = await choice.of(connection, plan, false);
  const { text, parameters } = pageSql(
    plan,
    driver,
    plan.total ? await choice.forCount(connection, plan, false) : null,
  );
  const row = await connection.get<PageRow>(text, parameters);
  if (!row) return GONE;
  const items: number[] = [];
  const documents: number[] = [];
  const numbers = row.shown ? row.shown.split(',') : [];
  for (let index = 0; index < numbers.length; index += 2) {
    documents.push(Number(numbers[index]));
    items.push(Number(numbers[index + 1]));
  }
  return {
    modelChanged: row.model_sequence !== plan.modelSequence,
    sequence: row.sequence,
    pending: row.pending === 1,
    more: plan.limit !== null && row.found > plan.limit,
    total: row.total,
    items,
    documents,
  };
}

/** The project is not there any more. */
const GONE: PageResult = {
  modelChanged: true,
  sequence: 0,
  pending: false,
  more: false,
  total: null,
  items: [],
  documents: [],
};

function pageSql(plan: PagePlan, driver: Driver, countDriver: Driver | null): Statement {
  // One row more than asked for tells whether there is a next page.
  const listing = listingSql({ ...plan, limit: plan.limit === null ? null : plan.limit + 1 }, driver, false);
  const total = countDriver === null ? raw('NULL') : sql`(${countSql(plan, countDriver)})`;
  return sql`WITH page AS MATERIALIZED (${listing})
    SELECT p.sequence AS sequence, p.model_sequence AS model_sequence,
      EXISTS (SELECT 1 FROM pending WHERE project = p.number) AS pending,
      (SELECT count(*) FROM page) AS found, ${total} AS total,
      (SELECT group_concat(document || ',' || item)
        FROM (SELECT document, item FROM page LIMIT ${plan.limit ?? -1} + 0)) AS shown
    FROM project p WHERE p.number = ${plan.project}`;
}
