/** A primary whose commits wait for a standby: what is reported as written is on both. */
import '../support/database/postgres-programs.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ServiceError } from '../../core/errors.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import type { RenewedEpoch } from '../../core/storage/postgres/renew-epoch.ts';
import { type PostgresServer, startPostgres } from '../support/database/postgres.ts';
import { type PostgresStandby, startStandby, synchronize } from '../support/database/postgres-standby.ts';
import { longTest } from '../support/long-form.ts';
import { shortenDeadlines } from '../support/service/shorten-deadlines.ts';
import { until } from '../support/until.ts';
import { addAccount, names } from './account-rows.ts';

const COMMITTING = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'headwater'`;

describe('a synchronous standby that does not answer', () => {
  let primary: PostgresServer;
  let standby: PostgresStandby;
  let database: string;
  let storage: Storage;
  const renewals: RenewedEpoch[] = [];

  before(async () => {
    primary = await startPostgres();
    standby = await startStandby(primary);
    await synchronize(primary, standby.name);
    database = await primary.create();
    storage = await openPostgres({
      url: primary.url(database),
      notices: { renewed: (renewed) => renewals.push(renewed) },
    });
  });
  after(async () => {
    await storage?.close();
    await standby?.end();
    await primary?.end();
  });

  longTest('does not have a commit whose session ends meanwhile: its outcome is unknown', async () => {
    await standby.signal('SIGSTOP');
    const written = storage
      .write((tx) => addAccount(tx, 'waiting'))
      .then(
        () => 'written',
        (error: ServiceError) => error.message,
      );
    await until(async () => (await primary.run(COMMITTING)).rows.length === 1);
    await primary.run(`SELECT pg_terminate_backend(pid) FROM (${COMMITTING}) waiting`);
    expect(await written).to.match(/the outcome is unknown/);
    await standby.signal('SIGCONT');
  });

  longTest('gets it later, and the service goes on', async () => {
    await storage.write((tx) => addAccount(tx, 'after'));
    expect(await names(storage)).to.deep.equal(['after', 'waiting']);
  });

  it('does not have a commit that an administrator cancels: it is reported once the standby has it', async () => {
    await standby.signal('SIGSTOP');
    let isWritten = false;
    const written = storage
      .write((tx) => addAccount(tx, 'canceled'))
      .then(() => {
        isWritten = true;
      });
    await until(async () => (await primary.run(COMMITTING)).rows.length === 1);
    const [{ pid }] = (await primary.run(COMMITTING)).rows as [{ pid: number }];
    await primary.run(`SELECT pg_cancel_backend(${pid})`);
    // Another session waits in place of it.
    await until(async () => (await primary.run(COMMITTING)).rows.some((row) => row['pid'] !== pid));
    expect(isWritten).to.equal(false);
    await standby.signal('SIGCONT');
    await written;
    expect(await names(storage)).to.include('canceled');
  });

  longTest('is waited for by a commit that the end of a process meets', async () => {
    const ending = await openPostgres({ url: primary.url(database) });
    await standby.signal('SIGSTOP');
    const written = ending.write((tx) => addAccount(tx, 'ending'));
    await until(async () => (await primary.run(COMMITTING)).rows.length === 1);
    const closed = ending.close();
    // By then what still ran has been interrupted again and again.
    await pause(1000);
    expect((await primary.run(COMMITTING)).rows).to.have.length(1);
    await standby.signal('SIGCONT');
    await Promise.all([written, closed]);
    expect(await names(storage)).to.include('ending');
  });

  it('does not keep writers for ever from a new epoch, which is reported once', async () => {
    const { epoch, sequence } = storage;
    await standby.signal('SIGSTOP');
    const restore = shortenDeadlines();
    const refused = await storage.renewEpoch?.(sequence + 5).catch((error: ServiceError) => error.status);
    restore();
    expect(refused).to.equal(503);
    await standby.signal('SIGCONT');
    await until(async () => (await primary.run(COMMITTING)).rows.length === 0);
    await storage.write((tx) => addAccount(tx, 'with a new epoch'));
    expect(storage.epoch).to.not.equal(epoch);
    expect(renewals).to.have.length(1);
    expect(renewals[0]).to.include({ found: sequence, seen: sequence + 5, sequence: sequence + 6 });
  });
});
