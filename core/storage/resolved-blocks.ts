import type { PagePlan } from './page-plan.ts';
import type { Sql, SqlValue } from './sql.ts';

/**
 * Counts of the table `resolved` in the order of codenames, one for each block of them: a page after 500,000 items begins in
 * a block that is found by the counts before it, instead of walking as many index rows. A write changes them only where
 * an item appears, disappears, or changes its codename or type.
 * Where their sum is not that of `tally`, the view is walked, and a job counts it again.
 */

/** Items of a block that was divided, or of a view that was counted. */
const BLOCK = 2048;
/** So many index rows are walked at most. */
export const LARGEST_BLOCK = 2 * BLOCK;
/** In the place of a type. */
export const ALL_TYPES = 0;

/** An item that a view shows from now on, or no longer. */
export type BlockChange = readonly [view: number, type: number, codename: string, change: 1 | -1];

export interface Block {
  readonly view: number;
  readonly type: number;
  readonly codename: string;
  readonly count: number;
}

/** Whether the blocks have the order of the listing. */
export function isInBlocks({
  conditions,
  order,
  types,
  languagesRestricted,
  codenames,
  items,
  after,
}: PagePlan): boolean {
  if (conditions.length > 0 || order.by !== 'codename' || languagesRestricted) return false;
  return (types === null || types.length === 1) && !codenames && !items && after === undefined;
}

/**
 * @param rows `SELECT` of a `BlockChange` each
 * @returns the statement that adds them to their blocks, and returns these
 */
export function changeBlocksSql(rows: string): string {
  return `INSERT INTO resolved_block (view, type, codename, count)
    SELECT n.view, n.type, coalesce((SELECT max(b.codename) FROM resolved_block b
        WHERE b.view = n.view AND b.type = n.type AND b.codename <= n.codename), '') AS block, sum(n.change)
    FROM (${rows}) n WHERE true GROUP BY n.view, n.type, block
    ON CONFLICT (view, type, codename) DO UPDATE SET count = resolved_block.count + excluded.count
    RETURNING view, type, codename, count`;
}

interface BlockWriter extends Pick<Sql, 'get'> {
  run(text: string, parameters: readonly SqlValue[]): Promise<unknown>;
}

/** Divides a block that is too large, and removes an empty one: the one before it then ends where it ended. */
export async function fitBlock(tx: BlockWriter, { view, type, codename, count }: Block): Promise<void> {
  if (count === 0 && codename !== '')
    await tx.run('DELETE FROM resolved_block WHERE view = ? AND type = ? AND codename = ?', [
      view,
      type,
      codename,
    ]);
  if (count <= LARGEST_BLOCK) return;
  const [ofType, types] = type === ALL_TYPES ? ['', []] : ['AND type = ?', [type]];
  const next = await tx.get<{ codename: string }>(
    `SELECT codename FROM resolved WHERE view = ? ${ofType} AND codename >= ? ORDER BY codename LIMIT 1 OFFSET ${BLOCK}`,
    [view, ...types, codename],
  );
  if (!next) return;
  const rest = { view, type, codename: next.codename, count: count - BLOCK };
  await tx.run(`UPDATE resolved_block SET count = ${BLOCK} WHERE view = ? AND type = ? AND codename = ?`, [
    view,
    type,
    codename,
  ]);
  // There is such a block only where the counts were wrong. Their sum stays as it is, so the view is counted again.
  await tx.run(
    `INSERT INTO resolved_block (view, type, codename, count) VALUES (?, ?, ?, ?)
     ON CONFLICT (view, type, codename) DO UPDATE SET count = resolved_block.count + excluded.count`,
    Object.values(rest),
  );
  await fitBlock(tx, rest);
}

/** Counts the blocks of a view again; its rows in `tally` are right. */
export async function countBlocks(tx: BlockWriter, view: number): Promise<void> {
  await tx.run('DELETE FROM resolved_block WHERE view = ?', [view]);
  await tx.run(blocksOf(`${ALL_TYPES}`, 'view', ''), [view, view]);
  await tx.run(blocksOf('type', 'type', 'AND t.type = r.type'), [view, view]);
}

/** Parameters: the view, twice. Reads the order from an index and holds a row for each block. */
function blocksOf(type: string, partition: string, ofType: string): string {
  return `INSERT INTO resolved_block (view, type, codename, count)
    SELECT view, ${type}, CASE WHEN place = 1 THEN '' ELSE codename END,
      coalesce(lead(place) OVER (PARTITION BY ${partition} ORDER BY place),
        1 + (SELECT sum(t.count) FROM tally t WHERE t.view = ? ${ofType})) - place
    FROM (SELECT view, type, codename, row_number() OVER (PARTITION BY ${partition} ORDER BY codename) AS place
      FROM resolved WHERE view = ?) r
    WHERE place % ${BLOCK} = 1`;
}
