/** Servers that follow the primary: which reads they serve, and when. */
import '../support/database/postgres-programs.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { reportHealth } from '../../core/compose/report-health.ts';
import { ServiceError } from '../../core/errors.ts';
import type { ReplicaFigures, Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/database/postgres.ts';
import { type PostgresStandby, startStandby } from '../support/database/postgres-standby.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';
import { addAccount } from './account-rows.ts';
import { entry } from './change-entry.ts';

describe('a read replica on PostgreSQL', () => {
  let primary: PostgresServer;
  let standby: PostgresStandby;
  let storage: Storage;
  let database: string;

  before(async function startServers() {
    this.timeout(120_000);
    primary = await startPostgres();
    standby = await startStandby(primary, { settings: ['max_standby_streaming_delay = 0'] });
    database = await primary.create();
    storage = await openPostgres({
      url: primary.url(database),
      replicaUrl: standby.url(database),
    });
  });
  after(async () => {
    await storage?.close();
    await standby?.end();
    await primary?.end();
  });

  const add = (name: string) =>
    storage.write(async (tx) => {
      await addAccount(tx, name);
      tx.change(entry(name));
      return tx.sequence;
    });
  const figures = () => storage.figures().replicas?.[0] as ReplicaFigures;
  const isUsed = () => storage.replica?.() !== undefined;
  const namesAt = async () => {
    const rows = await storage
      .replica?.()
      ?.reader({ class: 'delivery', share: 'one' })
      .sql.all<{ name: string }>('SELECT name FROM account');
    return rows?.map(({ name }) => name);
  };

  it('serves what it has, as of a sequence that it surely has', async () => {
    const sequence = await add('first');
    await until(() => storage.replica?.()?.sequence === sequence);
    expect(await namesAt()).to.deep.equal(['first']);
    expect(figures()).to.include({ isUsable: true, behind: 0 });
  });

  longTest('is not behind while nothing is written', async () => {
    await until(isUsed);
    await pause(900);
    await until(isUsed);
    expect(figures().behind).to.equal(0);
  });

  it('serves nothing once it has lacked a commit for half a second, and again when it has it', async () => {
    await until(isUsed);
    await standby.pauseReplay();
    const before = figures();
    const began = performance.now();
    const sequence = await add('second');
    while (isUsed()) {
      expect(storage.replica?.()?.sequence).to.be.below(sequence);
      expect(performance.now() - began).to.be.below(15_000);
      await pause(5);
    }
    const { behind, isUsable } = figures();
    expect(isUsable).to.equal(false);
    // Undefined where this process was too busy to look.
    if (behind !== undefined) expect(behind).to.be.at.least(500);
    expect(before.isUsable).to.equal(true);
    await standby.resumeReplay();
    await until(isUsed);
    expect(storage.replica?.()?.sequence).to.equal(sequence);
    expect(await namesAt()).to.have.members(['first', 'second']);
  });

  it('says that it lacks commits from before this process looked, and not for how long', async () => {
    await until(isUsed);
    await standby.pauseReplay();
    await add('before');
    const later = await openPostgres({ url: primary.url(database), replicaUrl: standby.url(database) });
    try {
      const replicas = async () => {
        const { parts } = await reportHealth(later, { detail: () => '' } as never, {}, {});
        return parts['replicas'];
      };
      await until(async () => !(await replicas())?.detail.endsWith('it has not answered yet'));
      expect(await replicas())
        .to.have.property('detail')
        .that.matches(/: it lacks earlier commits$/);
      expect(later.figures().replicas?.[0]?.behind).to.equal(undefined);
    } finally {
      await later.close();
      await standby.resumeReplay();
    }
    await until(isUsed);
  });

  it('refuses a read that it cancels for what it replays, and snapshots: the primary serves them', async () => {
    await until(isUsed);
    const reader = storage.replica?.()?.reader({ class: 'delivery', share: 'one' });
    const read = reader?.sql
      .get('SELECT count(*) AS count FROM account, generate_series(1, 2000000000)')
      .catch((error: unknown) => error);
    await until(async () => {
      const { rows } = await standby.run(
        `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%2000000000%' AND pid <> pg_backend_pid()`,
      );
      return rows.length > 0;
    });
    await primary.run('ALTER TABLE account ALTER COLUMN name SET STATISTICS 100', database);
    await primary.run('BEGIN; LOCK TABLE account IN ACCESS EXCLUSIVE MODE; COMMIT', database);
    const error = await read;
    expect(error).to.be.instanceOf(ServiceError).with.property('status', 503);
    const snapshot = await reader?.snapshot(async () => 1).catch((thrown: unknown) => thrown);
    expect(snapshot).to.be.instanceOf(ServiceError).with.property('status', 503);
  });

  longTest('that is stopped serves nothing, and again after its start', async () => {
    await until(isUsed);
    await standby.stop('KILL');
    await until(() => !isUsed() && figures().failure !== '');
    await add('while it is stopped');
    await standby.start();
    await until(isUsed);
    expect(await namesAt()).to.include('while it is stopped');
  });

  longTest('that stalls serves nothing within half a second', async () => {
    await until(isUsed);
    await standby.signal('SIGSTOP');
    await pause(600);
    expect(isUsed()).to.equal(false);
    await standby.signal('SIGCONT');
    await until(isUsed);
  });

  it('of other data serves nothing', async () => {
    const other = await primary.create();
    await (await openPostgres({ url: primary.url(other) })).close();
    const mixed = await openPostgres({ url: primary.url(other), replicaUrl: standby.url(database) });
    try {
      await until(() => mixed.figures().replicas?.[0]?.failure === 'it has other data');
      expect(mixed.replica?.()).to.equal(undefined);
    } finally {
      await mixed.close();
    }
  });
});
