import type { ProjectModel } from '../model/model.ts';
import { COMPILED_COLUMNS } from '../storage/compiled-rows.ts';
import type { DocumentRow } from '../storage/page-plan.ts';
import type { PageReads, Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import { jsonText } from '../turns/json-bytes.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { renameFields } from './rename-fields.ts';

/** Of the documents of a batch; with more, its items are compiled, some at a time. */
const BYTES = 4_000_000;

/** Columns that new names change. */
const CHANGED = ['compiled_at', 'components', 'body', 'layout'];

interface StaleRow extends Omit<DocumentRow, 'codename'> {
  readonly visible: number;
  readonly slug: string;
}

export interface RenamedBatch {
  readonly rows: readonly StaleRow[];
  /** Of the newest change that documents of the project are stale by. */
  readonly newest: number;
}

/**
 * The documents of items that a change of names made stale, with the new names; without those that are not stale.
 * @param sequence of the change
 * @returns undefined where one of them is stale by more than that
 */
export async function readRenamed(
  reads: Sql & PageReads,
  model: ProjectModel,
  items: readonly number[],
  sequence: number,
): Promise<RenamedBatch | undefined> {
  const among = reads.among('item', items);
  const condition = `${among.text} AND compiled_at < ?`;
  const parameters = [among.parameter, sequence];
  const size = await reads.get<{ bytes: number | null }>(
    `SELECT sum(octet_length(body) + octet_length(components)) AS bytes FROM document WHERE ${condition}`,
    parameters,
  );
  if (Number(size?.bytes ?? 0) > BYTES) return undefined;
  const found = await reads.all<StaleRow>(
    `SELECT number, item, language, type, version, visible, slug, components, body, layout FROM document
     WHERE ${condition}`,
    parameters,
  );
  const stale = await reads.stale(
    model.project.number,
    found.map(({ number }) => number),
  );
  const rows: StaleRow[] = [];
  for (const row of found) {
    if (isTurnLong()) await nextTurn();
    const extent = stale.get(row.number);
    // Another document of its item, which shows no component of the type.
    if (extent === undefined) continue;
    const renamed = extent === 'names' ? await renameFields(model, row) : undefined;
    if (!renamed) return undefined;
    rows.push({ ...row, ...renamed, layout: await jsonText(renamed.layout) });
  }
  return { rows, newest: await newestChange(reads, model) };
}

/**
 * Writes them under the numbers that they have, so that index rows stay as they are: of the pages of an index, each row is in
 * another one. Readers know the names by `project.names_sequence`.
 * @param compiledAt the sequence that they are valid from
 * @returns false where something has changed since they were read; nothing is written then
 */
export async function writeRenamed(
  tx: Transaction,
  model: ProjectModel,
  { rows, newest }: RenamedBatch,
  compiledAt: number,
): Promise<boolean> {
  const among = tx.among(
    'number',
    rows.map(({ number }) => number),
  );
  const present = await tx.all<{ number: number; visible: number }>(
    `SELECT number, visible FROM document WHERE ${among.text}`,
    [among.parameter],
  );
  const visible = new Map(present.map((row) => [row.number, row.visible]));
  const isSame =
    (await newestChange(tx, model)) === newest &&
    rows.every((row) => visible.get(row.number) === row.visible);
  if (!isSame || rows.length === 0) return isSame;
  await tx.upsert(
    'document',
    'number',
    COMPILED_COLUMNS.document,
    rows.map((row) => [
      row.number,
      model.project.number,
      row.item,
      row.language,
      row.type,
      row.version,
      row.visible,
      compiledAt,
      row.slug,
      row.components,
      row.body,
      row.layout,
    ]),
    CHANGED,
  );
  return true;
}

async function newestChange(sql: Sql, { project }: ProjectModel): Promise<number> {
  const row = await sql.get<{ newest: number | null }>(
    'SELECT max(sequence) AS newest FROM pending WHERE project = ?',
    [project.number],
  );
  return row?.newest ?? 0;
}
