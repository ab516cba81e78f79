/** Elements are renamed while a core of another version runs on the database. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { updateType } from '../../core/content/types.ts';
import { generate } from '../../core/generate/generate.ts';
import { postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';

describe('a rename of elements on PostgreSQL', () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  let core: RunningCore;
  let project: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-rename-'));
    database = await postgresDatabase();
    core = await openCore({ dataDir: folder, databaseUrl: database.url, log: SILENT });
    ({ project } = await generate(core.operations, { items: 5 }));
  });
  after(async () => {
    await core.close();
    await database.remove();
    await rm(folder, { recursive: true });
  });

  async function numbersAfterRename(name: string): Promise<readonly number[]> {
    await core.operations.inProject(project, null, async (transaction) => {
      for (const { id, elements } of transaction.model.types)
        await updateType(
          transaction,
          { id },
          { elements: elements.map((element) => ('name' in element ? { ...element, name } : element)) },
        );
    });
    await core.operations.settled();
    const { sql } = core.operations.storage;
    const rows = await sql.all<{ number: number; body: string }>('SELECT number, body FROM document');
    expect(rows).to.have.length.above(4);
    for (const { body } of rows) expect(body).to.contain(`"name":"${name}"`);
    return rows.map(({ number }) => number);
  }

  it('leaves documents their numbers, unless a core runs that may remember what they were', async () => {
    const before = await numbersAfterRename('First');
    expect(await numbersAfterRename('Second')).to.have.members(before);
    const server = await postgresServer();
    const name = new URL(database.url).pathname.slice(1);
    await server.run(
      `INSERT INTO running_core (id, state, gateways, confirmed, version, updated)
       VALUES ('other', '', '[]', 0, '0.2.0', clock_timestamp() + interval '1 min')`,
      name,
    );
    expect(await numbersAfterRename('Third')).to.satisfy((numbers: readonly number[]) =>
      numbers.every((number) => !before.includes(number)),
    );
  });
});
