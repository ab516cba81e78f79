import type { SqlValue } from '../storage/sql.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';

const PART = ['id', 'name', 'codename', 'external_id'] as const;

/** Columns that a caller gives; `number` and `project` are added. */
const COLUMNS = {
  language: [...PART, 'ordinal', 'active', 'is_default', 'fallback'],
  taxonomy: [...PART, 'terms', 'last_modified', 'archived'],
  snippet: [...PART, 'elements', 'last_modified'],
  content_type: [...PART, 'elements', 'content_groups', 'fields', 'last_modified'],
  item: [...PART, 'type', 'sitemap_locations', 'created', 'last_modified', 'archived'],
  asset: [
    'id',
    'external_id',
    'title',
    'file',
    'folder',
    'descriptions',
    'created',
    'last_modified',
    'archived',
  ],
} as const;

export type Table = keyof typeof COLUMNS;
export type NewRow<In extends Table> = Readonly<Record<(typeof COLUMNS)[In][number], SqlValue>>;

/**
 * Inserts rows of a project, for operations and import alike.
 * @returns storage number of the first; the numbers are consecutive
 */
export async function insertRows<In extends Table>(
  { tx, project }: Pick<ProjectTransaction, 'tx'> & { readonly project: { readonly number: number } },
  table: In,
  rows: readonly NewRow<In>[],
): Promise<number> {
  const columns: readonly (typeof COLUMNS)[In][number][] = COLUMNS[table];
  const first = await tx.numbers(table, rows.length);
  await tx.insert(
    table,
    ['number', 'project', ...columns],
    rows.map((row, index) => [first + index, project.number, ...columns.map((column) => row[column])]),
  );
  return first;
}
