import { isId } from '../model/external-id.ts';
import type { Issues } from '../model/issues.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { IdMap } from './id-map.ts';

interface Identified {
  readonly location: Issues['location'];
  readonly id: string;
  readonly external_id: string | null;
  readonly codename?: string | null;
}

/**
 * Inserts placeholders for rows with issues, so that references to them cause no issues of their own. The archive
 * is refused anyway.
 */
export async function insertPlaceholders(
  { tx, project, now }: ProjectTransaction,
  table: 'asset' | 'item',
  rows: readonly { readonly value: unknown }[],
): Promise<void> {
  const ids = new Set(
    rows.flatMap(({ value }) => {
      const id = (value as { readonly id?: unknown } | null)?.id;
      return isId(id) ? id : [];
    }),
  );
  const among = tx.among('id', [...ids]);
  for (const { id } of await tx.all<{ id: string }>(
    `SELECT id FROM ${table} WHERE project = ? AND ${among.text}`,
    [project.number, among.parameter],
  ))
    ids.delete(id);
  const first = await tx.numbers(table, ids.size);
  await tx.insert(
    table,
    ['number', 'project', 'id', 'created', 'last_modified', 'archived'],
    [...ids].map((id, index) => [first + index, project.number, id, now, now, now]),
  );
}

/** Returns the rows whose id, external id and codename are free in the project and in the rows before them. */
export async function refuseTaken<Row extends Identified>(
  { tx, project }: ProjectTransaction,
  issues: Issues,
  table: 'asset' | 'item',
  rows: readonly Row[],
  ids: IdMap,
): Promise<Row[]> {
  const columns =
    table === 'item' ? (['id', 'external_id', 'codename'] as const) : (['id', 'external_id'] as const);
  const partOf = (row: Row, column: (typeof columns)[number]) =>
    column === 'id' ? ids.idFor(table, row.id, row.external_id) : (row[column] ?? null);
  const taken = new Set<string>();
  for (const column of columns) {
    const values = rows.flatMap((row) => partOf(row, column) ?? []);
    const among = tx.among(column, values);
    const found = await tx.all<{ value: string }>(
      `SELECT ${column} AS value FROM ${table} WHERE project = ? AND ${among.text}`,
      [project.number, among.parameter],
    );
    for (const { value } of found) taken.add(`${column}:${value}`);
  }
  return rows.filter((row) => {
    const clash = columns.filter((column) => {
      const value = partOf(row, column);
      if (value === null) return false;
      const key = `${column}:${value}`;
      const isTaken = taken.has(key);
      taken.add(key);
      return isTaken;
    });
    issues.location = row.location;
    for (const column of clash) issues.add(`Another ${table} of the archive has it already.`, column);
    return clash.length === 0;
  });
}
