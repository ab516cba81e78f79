import type { PagePlan, PageResult } from '../page-plan.ts';
import type { Sql } from '../sql.ts';
import type { Listings } from './listings.ts';

interface PageRow {
  readonly sequence: number;
  readonly model_sequence: number;
  readonly pending: number;
  readonly found: number;
  readonly total: number | null;
  /** `document,item,document,item,…` */
  readonly shown: string | null;
}

/** Reads a page in one statement. It returns the numbers as one text, which takes a tenth of the time of rows. */
export async function readPage(
  sql: Pick<Sql, 'get'>,
  listings: Listings,
  plan: PagePlan,
): Promise<PageResult> {
  const { text, parameters } = await listings.page(sql, plan);
  const row = await sql.get<PageRow>(text, parameters);
  if (!row) return NO_PROJECT;
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

/** The project does not exist any more. */
const NO_PROJECT: PageResult = {
  modelChanged: true,
  sequence: 0,
  pending: false,
  more: false,
  total: null,
  items: [],
  documents: [],
};
