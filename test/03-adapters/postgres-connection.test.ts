/** Connections that are given up, whose sessions must not live on, and interrupts whose outcome is not known. */
import '../support/database/postgres-programs.ts';
import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { PostgresConnection } from '../../core/storage/postgres/connection.ts';
import { DatabaseLost } from '../../core/storage/postgres/database-error.ts';
import { endSession, openSession } from '../../core/storage/postgres/open-session.ts';
import { Servers } from '../../core/storage/postgres/servers.ts';
import { shuttingDown } from '../../core/storage/read-scope.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { until } from '../support/until.ts';

const APPLICATION = 'given up';

describe('a connection to PostgreSQL', () => {
  let server: PostgresServer;
  let relay: Relay;
  let url: string;
  const connections: PostgresConnection[] = [];

  before(async () => {
    server = await postgresServer();
    relay = await startRelay(server.port);
    url = server.tcpUrl('postgres').replace(`:${server.port}/`, `:${relay.port}/`);
  });
  afterEach(async () => {
    relay.release();
    await Promise.all(connections.splice(0).map((one) => one.close()));
  });
  after(() => relay.close());

  const connect = (at: string, interrupt?: () => Promise<unknown>) => {
    const servers = new Servers(at);
    const connection = PostgresConnection.lazy({ servers, application: APPLICATION, session: '', interrupt });
    connections.push(connection);
    return { connection, servers };
  };
  const sessions = async () => {
    const { rows } = await server.run(
      `SELECT pid FROM pg_stat_activity WHERE application_name = '${APPLICATION}'`,
    );
    return rows.length;
  };

  it('that is given up during the search for the primary makes no session, and runs nothing', async () => {
    const { connection, servers } = connect(url.replace(/@([^/]*)/, '@$1,$1'));
    relay.hold();
    connection.acquire({ class: 'background' });
    const read = connection.within(50, connection.get('SELECT 1 AS one')).then(
      () => undefined,
      (error: unknown) => error,
    );
    // It does not wait for the end of the search.
    await Promise.race([read, pause(1000)]);
    relay.release();
    expect(await servers.connect(async (found) => found)).to.be.a('string');
    expect(await read).to.be.instanceOf(DatabaseLost);
    expect(connection.isOpen).to.equal(false);
    expect(await sessions()).to.equal(0);
    connection.acquire({ class: 'background' });
    expect(await connection.get('SELECT 1 AS one')).to.deep.equal({ one: 1 });
  });

  it('is not lost where the answer arrived in time, while this process was busy', async () => {
    const { connection } = connect(server.tcpUrl('postgres'));
    connection.acquire({ class: 'background' });
    await connection.get('SELECT 1 AS one');
    const answer = connection.within(100, connection.get('SELECT 1 AS one, pg_sleep(0.03)'));
    await pause(5);
    // Timers are next in this turn of the event loop, then what arrives is read.
    await endOfTurn();
    for (const ends = performance.now() + 500; performance.now() < ends; );
    expect(await answer).to.include({ one: 1 });
  });

  it('ends a session whose server does not answer any more', async () => {
    const session = await openSession(url, { application: APPLICATION, session: '' }, 5000);
    relay.hold();
    await endSession(session);
    expect(session.socket.destroyed).to.equal(true);
    relay.release();
    await until(async () => (await sessions()) === 0);
  });

  it('does not commit where a statement was not sent, until that was undone', async () => {
    const { connection } = connect(url);
    const reason = shuttingDown();
    const thrown = (error: unknown) => error;
    connection.acquire({ class: 'background' });
    await connection.execute('BEGIN; SAVEPOINT work');
    connection.cancel(reason);
    expect(await connection.run('SELECT 1').catch(thrown)).to.equal(reason);
    expect(await connection.commit('COMMIT').catch(thrown)).to.equal(reason);
    await connection.undo('ROLLBACK TO work');
    const results = await connection.commit('COMMIT');
    expect(results.at(-1)?.command).to.equal('COMMIT');
  });

  it('is lost by an interrupt that may still arrive, so that it ends no later statement', async () => {
    const { connection } = connect(url, () => Promise.reject(new Error('The connection was cut.')));
    connection.acquire({ class: 'background' });
    const reason = shuttingDown();
    // A session that is being made has nothing yet that can be interrupted.
    await connection.get('SELECT 1 AS one');
    const { pid } = connection;
    const statement = connection.get('SELECT pg_sleep(20)').catch((error: unknown) => error);
    connection.cancel(reason);
    expect(await statement).to.equal(reason);
    expect(await connection.execute('SELECT 1').catch((error: unknown) => error)).to.be.instanceOf(
      DatabaseLost,
    );
    connection.acquire({ class: 'background' });
    await connection.get('SELECT 1 AS one');
    expect(connection.pid).to.not.equal(pid);
  });
});
