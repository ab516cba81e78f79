/** How cores on one PostgreSQL database see each other, and agree on the admin token. */
import '../support/database/postgres-programs.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { StartError } from '../../config/start-error.ts';
import { acceptAdminToken } from '../../core/access/accept-admin-token.ts';
import { type AdminToken, storedAdminToken } from '../../core/access/admin-token.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';

describe('cores that run on one PostgreSQL database', () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  let open: Storage[];

  beforeEach(async () => {
    database = await postgresDatabase();
    open = [];
  });
  afterEach(async () => {
    await Promise.all(open.map((storage) => storage.close()));
    await database.remove();
  });

  async function storage(): Promise<Storage> {
    const opened = await database.open('');
    open.push(opened);
    return opened;
  }
  /** @returns whether other cores run */
  async function start(at: Storage, options?: { readonly isCommand: boolean }): Promise<boolean> {
    let found: boolean | undefined;
    await at.startCore(async (othersRun) => {
      found = othersRun;
    }, options);
    return found!;
  }
  const given = (hash: string): AdminToken => ({
    find: async () => hash,
    replace: () => Promise.reject(new Error('not expected')),
  });

  it('are seen by a core that starts, until their store closes', async () => {
    const first = await storage();
    expect(await start(first)).to.equal(false);
    expect(await start(await storage())).to.equal(true);
    await Promise.all(open.map((one) => one.close()));
    expect(await start(await storage())).to.equal(false);
  });

  it('see no command, and no core that was refused', async () => {
    expect(await start(await storage(), { isCommand: true })).to.equal(false);
    const refused = await storage();
    const error = await refused
      .startCore(() => Promise.reject(new Error('refused')))
      .catch((thrown: Error) => thrown.message);
    expect(error).to.equal('refused');
    expect(await start(await storage())).to.equal(false);
    expect(await start(await storage(), { isCommand: true })).to.equal(true);
  });

  it('do not see those of another database of the server', async () => {
    await start(await storage());
    const other = await postgresDatabase();
    const elsewhere = await other.open('');
    expect(await start(elsewhere)).to.equal(false);
    await elsewhere.close();
    await other.remove();
  });

  it('start one after the other', async () => {
    const events: string[] = [];
    const stores = await Promise.all([storage(), storage(), storage()]);
    await Promise.all(
      stores.map((one) =>
        one.startCore(async (othersRun) => {
          events.push('begin');
          await pause(50);
          events.push(`end ${othersRun}`);
        }),
      ),
    );
    expect(events).to.deep.equal(['begin', 'end false', 'begin', 'end true', 'begin', 'end true']);
  });

  it('are seen again some seconds after the database ended their sessions', async () => {
    await start(await storage());
    const server = await postgresServer();
    const name = new URL(database.url).pathname.slice(1);
    await server.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    const second = await storage();
    const until = performance.now() + 15_000;
    let seen = false;
    while (!seen && performance.now() < until) {
      seen = await start(second, { isCommand: true });
      if (!seen) await pause(250);
    }
    expect(seen).to.equal(true);
  });

  it('have one admin token: another is refused while one of them runs', async () => {
    const accept = async (hash: string) => {
      const one = await storage();
      await one.startCore((othersRun) => acceptAdminToken(one, given(hash), othersRun));
      return one;
    };
    const first = await accept('a'.repeat(64));
    await accept('a'.repeat(64));
    const refused = await accept('b'.repeat(64)).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(StartError);
    expect(await storedAdminToken(first.sql)).to.equal('a'.repeat(64));
    await Promise.all(open.map((one) => one.close()));
    // All at once with a new one, as after a change of the settings.
    const [again] = await Promise.all([1, 2, 3].map(() => accept('b'.repeat(64))));
    expect(await storedAdminToken(again!.sql)).to.equal('b'.repeat(64));
  });
});
