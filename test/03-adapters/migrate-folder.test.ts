/** The command `migrate` on a data folder that it cannot own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrateDatabase } from '../../core/compose/migrate-database.ts';
import { OwnerLock } from '../../core/storage/owner-lock.ts';

describe('migrations of a data folder', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'headwater-migrate-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const migrate = () => migrateDatabase({ dataDir }, {});
  const failure = () =>
    migrate().then(
      () => expect.fail('It did not fail.'),
      (error: Error) => error.message,
    );

  it('are complete where another process that uses it has made them', async () => {
    const { to } = await migrate();
    const lock = await OwnerLock.take(dataDir);
    expect(await migrate()).to.deep.equal({ from: to, to, count: 0 });
    await lock.release();
  });

  it('are refused where it cannot be locked, also beside an up-to-date database', async () => {
    await migrate();
    await rm(join(dataDir, 'owner.lock'));
    await mkdir(join(dataDir, 'owner.lock'));
    expect(await failure()).to.match(/cannot be written/);
  });

  it('are refused as in use, also where the database cannot be inspected', async () => {
    await writeFile(join(dataDir, 'headwater.db'), 'No database.\n'.repeat(100));
    const lock = await OwnerLock.take(dataDir);
    expect(await failure()).to.match(/is in use by another Headwater process/);
    await lock.release();
  });
});
