/** Counts of blocks on PostgreSQL, while a core of a version that does not keep them writes too. */
import '../support/database/postgres-programs.ts';
import { expect } from 'chai';
import { recountBlocks } from '../../core/read-model/recount-blocks.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { isLongForm } from '../support/long-form.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { fill, VIEW } from './compiled-fixture.ts';
import { changed, expectPages, replace, type Shown } from './deep-pages.ts';

const ROUNDS = isLongForm ? 60 : 3;

describe('counts of blocks, beside an older version', function () {
  this.timeout(120_000);
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  let newer: Storage;
  let older: Storage;
  let shown: readonly Shown[];
  before(async () => {
    database = await postgresDatabase();
    newer = await openPostgres({ url: database.url });
    older = await openPostgres({ url: database.url });
    await fill(newer);
    await newer.write((tx) => replace(tx, [], []));
    shown = [];
  });
  after(async () => {
    await older.close();
    await newer.close();
    await database.remove();
  });

  const recount = () => recountBlocks(newer, newer.reader({ class: 'background' }), () => false);
  const blocks = () => newer.sql.all('SELECT * FROM resolved_block WHERE view = ?', [VIEW.en]);

  async function write(keepsCounts: boolean, after: readonly Shown[]): Promise<void> {
    const before = shown;
    await (keepsCounts ? newer : older).write(async (tx) => {
      if (!keepsCounts) await tx.run('SET LOCAL headwater.blocks = off');
      await replace(tx, before, after, keepsCounts);
    });
    shown = after;
    await newer.caughtUp('now');
  }

  it('are deleted by its writes, and counted again', async () => {
    const random = new Random(testSeed());
    await write(true, changed(random, changed(random, changed(random, []))));
    await recount();
    const kept = await blocks();
    expect(kept.length).to.be.above(3);
    // As many appear as disappear: the sum of the counts would still be that of the view.
    const [first, ...rest] = shown;
    await write(false, [...rest, { ...(first as Shown), codename: 'zz_moved' }]);
    expect(await blocks()).to.deep.equal([]);
    await expectPages(newer, shown, 'before');
    await recount();
    expect(await blocks()).to.have.length.above(3);
    await expectPages(newer, shown, 'after');
    expect(await wrongBlocks(newer.sql)).to.deep.equal([]);
  });

  it('give the same pages after writes of both', async () => {
    const seed = testSeed();
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const keepsCounts = random.int(0, 2) > 0;
      const most = random.int(0, 9) === 0 ? 0 : 20_000;
      await write(keepsCounts, changed(random, shown).slice(0, most));
      const why = `seed ${seed}, round ${round}`;
      await expectPages(newer, shown, why);
      if (random.int(0, 3) > 0) continue;
      await recount();
      await expectPages(newer, shown, `${why}, counted`);
      expect(await wrongBlocks(newer.sql), why).to.deep.equal([]);
    }
    await recount();
    expect(await wrongBlocks(newer.sql)).to.deep.equal([]);
  });
});
