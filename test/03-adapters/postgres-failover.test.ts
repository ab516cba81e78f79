/** Several addresses of one database: which server is used, and what happens to the data when another one is promoted. */
import '../support/database/postgres-programs.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import type { CommitState, CommittedChanges, Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import type { RenewedEpoch } from '../../core/storage/postgres/renew-epoch.ts';
import { type PostgresServer, startPostgres } from '../support/database/postgres.ts';
import {
  follow,
  type PostgresStandby,
  startStandby,
  synchronize,
  urlOfServers,
} from '../support/database/postgres-standby.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';
import { addAccount, names } from './account-rows.ts';
import { entry } from './change-entry.ts';

/** A store, with what its listeners got and what an operator would read. */
class Process {
  readonly storage: Storage;
  readonly commits: CommittedChanges[] = [];
  readonly resets: CommitState[] = [];
  readonly renewed: RenewedEpoch[];
  readonly moved: string[];

  private constructor(storage: Storage, renewed: RenewedEpoch[], moved: string[]) {
    this.storage = storage;
    this.renewed = renewed;
    this.moved = moved;
    storage.onCommit(
      (changes) => this.commits.push(changes),
      (position) => this.resets.push(position),
    );
  }

  static async start(url: string): Promise<Process> {
    const renewed: RenewedEpoch[] = [];
    const moved: string[] = [];
    const storage = await openPostgres({
      url,
      notices: { renewed: (one) => renewed.push(one), moved: (address) => moved.push(address) },
    });
    return new Process(storage, renewed, moved);
  }

  add(name: string): Promise<number> {
    return this.storage.write(async (tx) => {
      await addAccount(tx, name);
      tx.change(entry(name));
      return tx.sequence;
    });
  }

  /** Repeats a write until it succeeds; each refusal has to be the documented one. */
  async addAtLast(name: string): Promise<number> {
    let sequence: number | undefined;
    await until(async () => {
      sequence = await this.add(name).catch(refused);
      return sequence !== undefined;
    });
    return sequence ?? 0;
  }
}

function refused(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.status !== 503) throw error;
}

describe('a PostgreSQL database with several addresses', () => {
  let primary: PostgresServer;
  let standby: PostgresStandby;
  /** A database with the tables of this version, which no process has used: the same as an empty one, but for the migrations. */
  let template: string;
  let database: string;
  let url: string;
  let isPromoted = false;
  const processes: Process[] = [];

  const start = async (at = url) => {
    const started = await Process.start(at);
    processes.push(started);
    return started;
  };
  /** What both have, whichever of them is the primary. */
  const streamed = async () => {
    const { rows } = await primary.run('SELECT pg_current_wal_lsn() AS lsn');
    await until(async () => {
      const replayed = await standby.run(`SELECT pg_last_wal_replay_lsn() >= '${rows[0].lsn}' AS has`);
      return replayed.rows[0].has === true;
    });
  };

  before(async function startServers() {
    this.timeout(120_000);
    primary = await startPostgres();
    standby = await startStandby(primary);
    template = await primary.create();
    await (await openPostgres({ url: primary.url(template) })).close();
    await primary.run('DELETE FROM installation', template);
  });
  after(async () => {
    await primary.end();
    await standby.end();
  });
  beforeEach(async () => {
    database = await primary.create(`TEMPLATE ${template}`);
    url = urlOfServers([standby, primary], database);
  });
  afterEach(async function exchangeServers() {
    this.timeout(60_000);
    await Promise.all(processes.splice(0).map(({ storage }) => storage.close()));
    // The next standby is a copy of all databases.
    await (isPromoted ? standby : primary).drop(database);
    if (!isPromoted) return;
    isPromoted = false;
    const promoted = standby;
    await primary.stop('KILL');
    standby = await follow(primary, promoted);
    primary = promoted;
  });

  const promote = async () => {
    isPromoted = true;
    await standby.promote();
  };

  it('uses the one that accepts writes, wherever it is listed', async () => {
    await streamed();
    const { storage, ...process } = await start();
    expect(await storage.write((tx) => addAccount(tx, 'one'))).to.equal(1);
    expect(await names(storage)).to.deep.equal(['one']);
    expect(process.moved).to.deep.equal([]);
  });

  it('of which none accepts writes is refused in one sentence', async () => {
    await streamed();
    const error = await openPostgres({ url: standby.url(database).replace(/@([^/]*)/, '@$1,$1') }).catch(
      (thrown: Error) => thrown,
    );
    expect((error as Error).message).to.match(
      /^The database test_\d+ at \S+, \S+ has no server that accepts writes; promote one, or add the address of the primary\.$/,
    );
  });

  longTest('that are different databases are refused in one sentence', async () => {
    const stranger = await startPostgres({ isOther: true });
    const error = await openPostgres({ url: urlOfServers([primary, stranger], 'postgres') })
      .catch((thrown: Error) => thrown)
      .finally(() => stranger.end());
    expect((error as Error).message).to.equal(
      'The addresses in the URL of the database are those of different databases, not of one with its standbys.',
    );
  });

  it('loses nothing when its synchronous standby is promoted, and gets a new epoch in every process', async () => {
    const one = await start();
    const other = await start();
    await synchronize(primary, standby.name);
    const { epoch } = one.storage;
    const answered: string[] = [];
    let isOver = false;
    const writers = [one, other, one, other].map(async (process, writer) => {
      for (let index = 0; !isOver; index++) {
        const name = `w${writer}-${index}`;
        const sequence = await process.add(name).catch(refused);
        if (sequence !== undefined) answered.push(name);
        else await pause(20);
      }
    });
    await until(() => answered.length > 40);
    await primary.stop('KILL');
    await promote();
    const before = answered.length;
    await until(() => answered.length > before + 40);
    isOver = true;
    await Promise.all(writers);
    await until(() => one.storage.sequence === other.storage.sequence);
    expect(await names(one.storage)).to.include.members(answered);
    expect(one.storage.epoch).to.equal(other.storage.epoch).and.not.equal(epoch);
    expect([...one.renewed, ...other.renewed]).to.have.length(1);
    for (const { resets, moved } of [one, other]) {
      expect(resets).to.have.length(1);
      expect(moved).to.deep.equal([moved[0]]);
    }
    // Nothing was lost, so the log has no gap.
    const log = await one.storage.sql.all<{ sequence: number }>(
      'SELECT sequence FROM change ORDER BY sequence',
    );
    expect(log.map(({ sequence }) => sequence)).to.deep.equal(log.map((_, index) => index + 1));
  });

  longTest(
    'refuses reads and writes with 503 while none accepts writes, and serves both afterwards',
    async () => {
      const process = await start();
      await process.add('before');
      await streamed();
      await primary.stop('KILL');
      for (const work of [
        process.storage.sql.get('SELECT 1 AS one'),
        process.storage.snapshot((sql) => sql.get('SELECT 1 AS one')),
        process.add('refused'),
      ])
        expect(await work.then(() => 'it succeeds', refused)).to.equal(undefined);
      await promote();
      await process.addAtLast('after');
      expect(await names(process.storage)).to.include.members(['after', 'before']);
    },
  );

  it('that lost commits reports it: no process keeps what it had of them, and no number is used again', async () => {
    const one = await start();
    const other = await start();
    await one.add('kept');
    await streamed();
    await standby.disconnect();
    const lost = [await one.add('lost'), await one.add('lost too')];
    await until(() => other.storage.sequence === lost[1]);
    await primary.stop('KILL');
    // The standby answers, and accepts no writes yet: reads are refused too.
    for (let times = 0; times < 3; times++)
      expect(await names(one.storage).catch(refused)).to.equal(undefined);
    await promote();
    const sequence = await other.addAtLast('after');
    expect(sequence).to.be.above(Math.max(...lost));
    await until(() => one.storage.sequence === sequence);
    for (const { storage, resets } of [one, other]) {
      expect(await names(storage)).to.deep.equal(['after', 'kept']);
      expect(resets.at(-1)?.epoch).to.equal(storage.epoch);
      expect(resets.at(-1)?.sequence).to.be.above(Math.max(...lost));
    }
    const [renewed] = [...one.renewed, ...other.renewed];
    expect(renewed).to.include({ found: 1, seen: 3, sequence: 4 });
  });

  longTest('that was promoted while no process ran has a new epoch at the next start', async () => {
    const before = await start();
    const { epoch } = before.storage;
    await before.add('kept');
    await streamed();
    await before.storage.close();
    processes.pop();
    await primary.stop('INT');
    await promote();
    const after = await start();
    expect(after.storage.epoch).to.not.equal(epoch);
    expect(after.renewed).to.have.length(1);
    const again = await start();
    expect(again.storage.epoch).to.equal(after.storage.epoch);
    expect(again.renewed).to.deep.equal([]);
  });

  longTest(
    'is not used at its former primary once a newer one is known, even where nothing else answers',
    async () => {
      const process = await start();
      await process.add('before');
      await streamed();
      // Nobody stops the former primary, and its sessions are not lost.
      await promote();
      await until(() => process.moved.length === 1);
      await process.addAtLast('on the new one');
      const { rows } = await primary.run('SELECT name FROM account', database);
      expect(rows).to.deep.equal([{ name: 'before' }]);
      await standby.stop('KILL');
      const error = await process.add('refused').catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ServiceError).with.property('status', 503);
      expect((error as ServiceError).headers).to.include({ 'retry-after': '1' });
      await standby.start();
      await process.addAtLast('again');
      expect(await names(process.storage)).to.deep.equal(['again', 'before', 'on the new one']);
    },
  );

  longTest('follows when its primary is made read-only', async () => {
    const process = await start();
    await process.add('before');
    await streamed();
    await primary.run('ALTER SYSTEM SET default_transaction_read_only = on');
    await primary.run('SELECT pg_reload_conf()');
    await until(async () => (await process.add('refused').catch(refused)) === undefined);
    await promote();
    await process.addAtLast('after');
    expect(await names(process.storage)).to.include.members(['after', 'before']);
    await primary
      .run('SET default_transaction_read_only = off; ALTER SYSTEM RESET default_transaction_read_only')
      .catch(() => {});
  });
});
