/** What running cores publish for each other in a PostgreSQL database. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CoreRegistry } from '../../core/storage/core-registry.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { until } from '../support/until.ts';

describe('the table of running cores', () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  let open: Storage[];
  let one: CoreRegistry;
  let two: CoreRegistry;
  beforeEach(async () => {
    database = await postgresDatabase();
    open = [await database.open(''), await database.open('')];
    [one, two] = open.map(({ registry }) => registry!) as [CoreRegistry, CoreRegistry];
  });
  afterEach(async () => {
    for (const storage of open) await storage.close();
    await database.remove();
  });

  const row = (state: string, confirmed: number, gateways: readonly string[] = ['g']) => ({
    state,
    gateways,
    confirmed,
  });

  it('has the last row of each core, for the others', async () => {
    await one.write(row('first', 1));
    await one.write(row('😀 second', 2, ['g', 'h']));
    expect(await one.read()).to.deep.equal([]);
    const [found, ...more] = await two.read();
    expect(more).to.deep.equal([]);
    expect(found).to.include({ state: '😀 second', confirmed: 2 });
    expect(found!.gateways).to.deep.equal(['g', 'h']);
    expect(found!.age).to.be.within(0, 5000);
  });

  it('forgets a core that has not written for 5 s, and later removes its row', async () => {
    const server = await postgresServer();
    const name = new URL(database.url).pathname.slice(1);
    await one.write(row('old', 1));
    await server.run(`UPDATE running_core SET updated = updated - interval '6 s'`, name);
    expect(await two.read()).to.deep.equal([]);
    await server.run(`UPDATE running_core SET updated = updated - interval '1 min'`, name);
    await two.write(row('new', 1));
    expect(await open[0]!.sql.all('SELECT state FROM running_core')).to.deep.equal([{ state: 'new' }]);
  });

  it('knows of running cores with another version', async () => {
    const server = await postgresServer();
    const name = new URL(database.url).pathname.slice(1);
    await one.write(row('one', 1));
    await two.write(row('two', 1));
    expect(await two.hasOtherVersions()).to.equal(false);
    for (const version of [`'0.2.0'`, 'NULL']) {
      await server.run(`UPDATE running_core SET version = ${version} WHERE state = 'one'`, name);
      expect(await two.hasOtherVersions()).to.equal(true);
    }
    await server.run(`UPDATE running_core SET updated = updated - interval '6 s' WHERE state = 'one'`, name);
    expect(await two.hasOtherVersions()).to.equal(false);
  });

  it('carries announcements to the others, and reports other gateways', async () => {
    const received: unknown[] = [];
    two.listen(
      (id, confirmed) => received.push([id, confirmed]),
      () => received.push('changed'),
    );
    await two.write(row('two', 0));
    await one.write(row('one', 1));
    await until(() => received.length === 1);
    await one.write(row('one', 2));
    await one.announce(7);
    await one.write(row('one', 7, ['g', 'h']));
    await until(() => received.length === 3);
    const [{ id } = { id: '' }] = await two.read();
    expect(received).to.deep.equal(['changed', [id, 7], 'changed']);
  });

  it('carries questions and answers of any characters, also long ones', async () => {
    const answer = (question: string) => `${question} ${Array.from({ length: 30_000 }, () => Math.random())}`;
    const answers: string[] = [];
    two.listen(
      () => {},
      () => {},
    );
    two.answer(async (question) => {
      answers.push(answer(question));
      return answers[0]!;
    });
    for (const core of [one, two]) await core.write(row('here', 0));
    const question = '{"what": "\\ , {} \'ä😀"}';
    expect(await one.ask(question, 1)).to.deep.equal(answers);
    expect(answers[0]!.startsWith(question)).to.equal(true);
    expect(answers.length).to.equal(1);
  });

  it('reports that announcements may be missing once its session was lost', async () => {
    const server = await postgresServer();
    let changes = 0;
    two.listen(
      () => {},
      () => {
        changes += 1;
      },
    );
    await two.write(row('two', 0));
    expect(changes).to.equal(0);
    await server.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%headwater_cores%' AND pid <> pg_backend_pid()
         AND datname = '${new URL(database.url).pathname.slice(1)}'`,
    );
    await until(async () => {
      await two.read().catch(() => {});
      return changes > 0;
    });
    const received: number[] = [];
    two.listen(
      (_, confirmed) => received.push(confirmed),
      () => {},
    );
    await until(async () => {
      await one.announce(9).catch(() => {});
      return received.includes(9);
    });
  });

  it('is no part of a copy', async () => {
    await one.write(row('one', 1));
    const folder = await mkdtemp(join(tmpdir(), 'headwater-copy-'));
    await open[0]!.copyTo(join(folder, 'copy'));
    expect(await readFile(join(folder, 'copy'), 'latin1')).not.to.include('running_core');
    await open[0]!.replaceWith(join(folder, 'copy'));
    await rm(folder, { recursive: true });
    expect((await two.read()).map(({ state }) => state)).to.deep.equal(['one']);
  });
});
