import { expect } from 'chai';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { dumpReadSide, recompileAll } from '../../support/killed/read-side-dump.ts';

/** Compiled documents, index rows and counts equal those of a full recompilation. */
export async function checkReadSide(core: RunningCore): Promise<void> {
  const { sql } = core.operations.storage;
  const kept = await dumpReadSide(sql);
  for (const { id } of await sql.all<{ id: string }>('SELECT id FROM project WHERE archived IS NULL'))
    await recompileAll(core, id);
  expect(kept).to.deep.equal(await dumpReadSide(sql));
}
