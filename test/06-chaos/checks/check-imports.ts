import { expect } from 'chai';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { until } from '../../support/until.ts';
import { IMPORTED_ITEMS, type Import } from '../clients/imports.ts';

/** An import exists completely, or not at all; one that was acknowledged exists. @returns the projects that exist */
export async function checkImports(
  { operations }: RunningCore,
  imports: readonly Import[],
): Promise<string[]> {
  const { sql } = operations.storage;
  // A process that has just started takes over the imports of ended ones after a moment.
  await until(async () => {
    const row = await sql.get<{ count: number }>(
      `SELECT count(*) AS count FROM job WHERE kind = 'import' AND state = 'running'`,
    );
    return row?.count === 0;
  });
  const complete: string[] = [];
  for (const { id, isAcknowledged } of imports) {
    const project = await sql.get<{ number: number; archived: string | null }>(
      'SELECT number, archived FROM project WHERE id = ?',
      [id],
    );
    if (!project && !isAcknowledged) continue;
    expect(project, `imported project ${id}`).to.include({ archived: null });
    const { count } = (await sql.get<{ count: number }>(
      'SELECT count(*) AS count FROM variant v JOIN item i ON i.number = v.item WHERE i.project = ?',
      [project!.number],
    ))!;
    expect(count, `items of the imported project ${id}`).to.equal(IMPORTED_ITEMS);
    complete.push(id);
  }
  return complete;
}
