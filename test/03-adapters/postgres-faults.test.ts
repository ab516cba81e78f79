/** Lost connections, stalled servers and writers: what was answered holds, the rest is refused, and all goes on afterwards. */
import '../support/database/postgres-programs.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import { diskFullOr } from '../../core/storage/full-disk.ts';
import type { CommittedChanges, Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { type PostgresServer, postgresServer, startPostgres } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import type { TestDatabase } from '../support/database/test-database.ts';
import { longTest } from '../support/long-form.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { shortenDeadlines } from '../support/service/shorten-deadlines.ts';
import { until } from '../support/until.ts';
import { addAccount, names, PROJECT, project } from './account-rows.ts';
import { entry } from './change-entry.ts';

/** It takes no CPU. */
const ENDLESS = 'SELECT pg_sleep(1000) IS NULL AS slept';

async function refused(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.then(
    () => new Error('It did not fail.'),
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(ServiceError);
  expect((error as ServiceError).status).to.equal(503);
  return error as ServiceError;
}

describe('a fault of PostgreSQL', () => {
  let server: PostgresServer;
  let database: TestDatabase & { readonly url: string };
  let storage: Storage;

  beforeEach(async () => {
    server = await postgresServer();
    database = await postgresDatabase();
    storage = await database.open('');
  });
  afterEach(async () => {
    await storage.close();
    await database.remove();
  });

  const ownSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'headwater' AND pid <> pg_backend_pid()`;
  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const terminate = () => server.run(ownSessions, nameOf(database.url));
  const add = (name: string, on = storage) =>
    on.write(async (tx) => {
      await addAccount(tx, name);
      tx.change(entry(name));
      return tx.sequence;
    });

  it('that ends all sessions refuses what runs, and nothing afterwards', async () => {
    await add('before');
    let terminated = () => {};
    const termination = new Promise<void>((resolve) => {
      terminated = resolve;
    });
    const begin = (start: (hasBegun: () => void) => void) => new Promise<void>(start);
    const read = refused(storage.sql.get(ENDLESS));
    let snapshot: Promise<ServiceError> | undefined;
    await begin((hasBegun) => {
      snapshot = refused(
        storage.snapshot(async (sql) => {
          await sql.get('SELECT 1 AS one');
          hasBegun();
          await termination;
          return sql.get('SELECT 1 AS one');
        }),
      );
    });
    await until(async () => {
      const { rows } = await server.run(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
           AND query LIKE '%pg_sleep(1000)%' AND pid <> pg_backend_pid()`,
        nameOf(database.url),
      );
      return rows.length === 1;
    });
    // The last: its session ends when it waits for two seconds.
    let write: Promise<ServiceError> | undefined;
    await begin((hasBegun) => {
      write = refused(
        storage.write(async (tx) => {
          await addAccount(tx, 'lost');
          hasBegun();
          await termination;
          await addAccount(tx, 'too');
        }),
      );
    });
    await terminate();
    terminated();
    for (const error of [await read, await snapshot, await write])
      expect(error?.headers['retry-after']).to.equal('1');
    await add('after');
    expect(await names(storage)).to.deep.equal(['after', 'before']);
    expect(await storage.sql.all('SELECT sequence, object FROM change ORDER BY sequence')).to.deep.equal([
      { sequence: 1, object: 'before' },
      { sequence: 2, object: 'after' },
    ]);
  });

  it('never makes a number come twice', async () => {
    const taken = new Set<number>();
    for (let round = 0; round < 5; round++) {
      for (let index = 0; index < 3; index++)
        await storage
          .write(async (tx) => {
            const number = await tx.numbers('item', 7);
            for (let offset = 0; offset < 7; offset++) {
              expect(taken).not.to.include(number + offset);
              taken.add(number + offset);
            }
            if (index === 1) throw new Error('undone');
          })
          .catch(() => {});
      await terminate();
      // Fails where it finds the lost session first.
      await add(`x${round}`).catch(() => {});
    }
    expect(taken.size).to.equal(105);
  });

  describe('between core and server', () => {
    let relay: Relay;
    let relayed: Storage;
    beforeEach(async () => {
      relay = await startRelay(server.port);
      const url = new URL(server.tcpUrl(nameOf(database.url)));
      url.port = `${relay.port}`;
      relayed = await openPostgres({ url: url.href });
    });
    afterEach(async () => {
      relay.release();
      await relayed.close();
      await relay.close();
    });

    it('a commit whose answer is lost is looked up: it happened, and is reported as such', async () => {
      const seen: CommittedChanges[] = [];
      relayed.onCommit((changes) => seen.push(changes));
      const lock = await holdCommit();
      const written = add('a', relayed);
      await lock.reached();
      relay.cut();
      await lock.release();
      expect(await written).to.equal(1);
      expect(seen.map(({ sequence }) => sequence)).to.deep.equal([1]);
      expect(await names(storage)).to.deep.equal(['a']);
      expect(await add('b', relayed)).to.equal(2);
      expect(seen.map(({ sequence }) => sequence)).to.deep.equal([1, 2]);
    });

    it('a commit that was undone with its session is refused', async () => {
      const lock = await holdCommit();
      const written = refused(add('a', relayed));
      await lock.reached();
      await server.run(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(database.url)}' AND query LIKE '%COMMIT%' AND pid <> pg_backend_pid()`,
      );
      await written;
      await lock.release();
      expect(await names(storage)).to.deep.equal([]);
      expect(await add('b', relayed)).to.equal(1);
    });

    it('a commit whose outcome cannot be found out is reported as unknown, and seen by the next group', async () => {
      const seen: CommittedChanges[] = [];
      relayed.onCommit((changes) => seen.push(changes));
      const lock = await holdCommit();
      const began = performance.now() - 1000;
      const restore = shortenDeadlines();
      const written = refused(add('a', relayed));
      await lock.reached();
      relay.hold();
      await lock.release();
      expect((await written.finally(restore)).message).to.include('outcome is unknown');
      expect(seen).to.deep.equal([]);
      relay.release();
      expect(await add('b', relayed)).to.equal(2);
      expect(seen.map(({ sequence, entries }) => [sequence, entries[0]?.object])).to.deep.equal([
        [1, 'a'],
        [2, 'b'],
      ]);
      const { time, ...first } = seen[0]!;
      expect(first).to.deep.equal({
        sequence: 1,
        epoch: relayed.epoch,
        entries: [entry('a')],
        announced: [],
      });
      expect(time).to.be.within(began, performance.now());
    });

    it('a connection that passes nothing any more ends its read at the deadline', async () => {
      const reader = relayed.reader({ class: 'delivery', share: 'one', statementMilliseconds: 1000 });
      expect(await reader.sql.get('SELECT 1 AS one')).to.deep.equal({ one: 1 });
      relay.hold();
      const began = performance.now();
      await refused(reader.sql.get('SELECT 1 AS one'));
      expect(performance.now() - began).to.be.below(5000);
      relay.release();
      expect(await reader.sql.get('SELECT 1 AS one')).to.deep.equal({ one: 1 });
    });

    longTest(
      'a connection that passes nothing any more loses what has no deadline, and not the connection for good',
      async () => {
        const long = storage.sql.get('SELECT pg_sleep(5) IS NULL AS slept');
        let isHeld = () => {};
        const held = new Promise<void>((resolve) => {
          isHeld = resolve;
        });
        const work = [
          relayed.write(async (tx) => {
            await addAccount(tx, 'lost');
            await held;
            await addAccount(tx, 'too');
          }),
          relayed.snapshot(async (sql) => {
            await sql.get('SELECT 1 AS one');
            await held;
            return sql.get('SELECT 1 AS one');
          }),
          // Its end alone meets the held connection.
          relayed.reader({ class: 'delivery' }).snapshot(async (sql) => {
            await sql.get('SELECT 1 AS one');
            await held;
          }),
        ].map(refused);
        await pause(300);
        relay.hold();
        isHeld();
        // The first of its class: it waits for a session.
        work.push(refused(relayed.reader({ class: 'management' }).sql.get('SELECT 1 AS one')));
        const began = performance.now();
        await Promise.all(work);
        expect(performance.now() - began).to.be.below(15_000);
        relay.release();
        expect(await add('after', relayed)).to.equal(1);
        for (const name of ['delivery', 'management', 'background'] as const)
          expect(await relayed.reader({ class: name }).sql.get('SELECT 1 AS one')).to.deep.equal({ one: 1 });
        expect(await names(storage)).to.deep.equal(['after']);
        // A long statement goes on.
        expect(await long).to.deep.equal({ slept: 0 });
      },
    );

    it('a writer that stalls in its transaction loses the lock after two seconds', async () => {
      const stalled = refused(
        relayed.write(async (tx) => {
          await addAccount(tx, 'stalled');
          await pause(3500);
          await addAccount(tx, 'never');
        }),
      );
      await pause(200);
      relay.hold();
      const began = performance.now();
      await add('waited');
      expect(performance.now() - began).to.be.within(1000, 5000);
      relay.release();
      await stalled;
      expect(await names(storage)).to.deep.equal(['waited']);
    });

    /** Makes the next change wait within the statements of its commit. */
    async function holdCommit() {
      const name = nameOf(database.url);
      await server.run(
        `CREATE OR REPLACE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           WHILE EXISTS (SELECT 1 FROM held) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NULL; END $$;
         CREATE TABLE held (a int); INSERT INTO held VALUES (1);
         CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON change DEFERRABLE INITIALLY DEFERRED
           FOR EACH ROW EXECUTE FUNCTION hold()`,
        name,
      );
      return {
        async reached() {
          const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND query LIKE '%COMMIT%' AND state = 'active'
            AND pid <> pg_backend_pid()`;
          while ((await server.run(waits)).rows.length === 0) await pause(20);
          await pause(100);
        },
        async release() {
          await server.run('DELETE FROM held', name);
          await server.run('DROP TRIGGER hold ON change; DROP FUNCTION hold; DROP TABLE held', name);
        },
      };
    }
  });

  describe('of another writer', () => {
    let other: Storage;
    beforeEach(async () => {
      other = await openPostgres({ url: database.url });
    });
    afterEach(() => other.close());

    it('commits of two processes have one order without a gap, and both see all of them', async () => {
      const seen: number[][] = [[], []];
      for (const [index, one] of [storage, other].entries())
        one.onCommit(({ sequence }) => seen[index]?.push(sequence));
      const sequences = await Promise.all(
        Array.from({ length: 60 }, (_, index) => add(`n${index}`, index % 2 ? storage : other)),
      );
      expect(sequences.sort((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      await add('last', storage);
      await add('last too', other);
      expect(seen[0]?.slice(0, 61)).to.deep.equal(Array.from({ length: 61 }, (_, index) => index + 1));
      expect(seen[1]).to.deep.equal(Array.from({ length: 62 }, (_, index) => index + 1));
    });

    it('commits of another process name the projects that have events for webhooks', async () => {
      const seen: CommittedChanges[] = [];
      storage.onCommit((changes) => seen.push(changes));
      await other.write(async (tx) => {
        await tx.insert('project', PROJECT, [project(7), project(8)]);
        await tx.insert(
          'webhook_event',
          ['project', 'number', 'kind', 'count', 'id', 'created', 'taxonomies'],
          [[7, tx.sequence * 1000, 1, 1, 'e', 'now', '[]']],
        );
        tx.announce(7);
        tx.change({ ...entry('a'), project: 7, projectId: 'project-7' });
        tx.change({ ...entry('b'), project: 8, projectId: 'project-8' });
      });
      await add('own');
      expect(seen.map(({ sequence, announced }) => [sequence, announced])).to.deep.equal([
        [1, [7]],
        [2, []],
      ]);
      expect(seen[0]?.entries.map(({ projectId }) => projectId)).to.deep.equal(['project-7', 'project-8']);
    });

    longTest('a writer that computes for long in its transaction keeps the lock', async () => {
      const computed = other.write(async (tx) => {
        await addAccount(tx, 'computed');
        await pause(3000);
        await addAccount(tx, 'kept');
      });
      await pause(200);
      await Promise.all([computed, add('waited')]);
      expect(await names(storage)).to.deep.equal(['computed', 'kept', 'waited']);
    });

    longTest('who waits for the lock longer than five seconds is refused with Retry-After', async () => {
      let isHeld = true;
      const held = other.write(async (tx) => {
        while (isHeld) {
          await tx.get('SELECT pg_sleep(0.2) IS NULL AS slept');
        }
      });
      await pause(200);
      const began = performance.now();
      const waiting = Array.from({ length: 5 }, (_, index) => refused(add(`n${index}`)));
      for (const error of await Promise.all(waiting)) expect(error.headers['retry-after']).to.equal('1');
      expect(performance.now() - began).to.be.within(4500, 9000);
      isHeld = false;
      await held;
      expect(await add('after')).to.equal(1);
    });
  });

  it('of its disk is answered with 507', async () => {
    const error = await storage
      .write((tx) =>
        tx.run(`DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`),
      )
      .catch((thrown: unknown) => thrown);
    expect((diskFullOr(error) as ServiceError).status).to.equal(507);
    expect(await add('after')).to.equal(1);
  });
});

describe('a PostgreSQL server that is killed', () => {
  it('has all that was answered, and serves again without a restart of the service', async () => {
    const server = await startPostgres({ durable: true });
    const url = server.url(await server.create());
    const storage = await openPostgres({ url });
    try {
      const answered: string[] = [];
      let isKilled = false;
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let index = 0; !isKilled; index++) {
          const name = `w${writer}-${index}`;
          const written = await storage
            .write((tx) => addAccount(tx, name))
            .then(
              () => true,
              () => false,
            );
          if (written) answered.push(name);
          else await pause(20);
        }
      });
      await pause(500);
      await until(() => answered.length > 10);
      await server.restart();
      isKilled = true;
      await Promise.all(writers);
      expect(answered.length).to.be.above(10);
      const found = await names(storage);
      expect(found).to.include.members(answered);
      await storage.write((tx) => addAccount(tx, 'after'));
    } finally {
      await storage.close();
      await server.end();
    }
  });

  longTest(
    'and gives the number of a lost commit to another one, reports no outcome that it cannot know',
    async () => {
      // Where the log reaches the disk before the kill, the number is not given again.
      const server = await startPostgres({ settings: ['wal_writer_delay = 10s'] });
      const name = await server.create();
      const storage = await openPostgres({ url: server.url(name) });
      try {
        await server.run(
          `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON change DEFERRABLE INITIALLY DEFERRED
           FOR EACH ROW EXECUTE FUNCTION hold()`,
          name,
        );
        const written = refused(
          storage.write(async (tx) => {
            await addAccount(tx, 'lost');
            tx.change(entry('lost'));
          }),
        );
        const inCommit = `SELECT pid, backend_xid::text AS transaction FROM pg_stat_activity
        WHERE datname = '${name}' AND query LIKE '%COMMIT%' AND wait_event = 'PgSleep'`;
        let rows: { pid: number; transaction: string }[] = [];
        await until(async () => {
          ({ rows } = await server.run(inCommit));
          return rows.length > 0;
        });
        process.kill(rows[0]!.pid, 'SIGKILL');
        let again = '';
        await until(async () => {
          const drop = 'DROP TRIGGER hold ON change; SELECT pg_current_xact_id()::text AS transaction';
          const results = await server.run(drop, name).catch(() => undefined);
          again = [results].flat().at(-1)?.rows[0].transaction ?? '';
          return again !== '';
        });
        expect(again).to.equal(rows[0]!.transaction);
        await written;
        expect(await names(storage)).to.deep.equal([]);
        await storage.write((tx) => addAccount(tx, 'after'));
        expect(await names(storage)).to.deep.equal(['after']);
      } finally {
        await storage.close();
        await server.end();
      }
    },
  );

  longTest('that stalls refuses reads at their deadline, and serves again once it continues', async () => {
    const server = await startPostgres();
    const storage = await openPostgres({ url: server.url(await server.create()) });
    try {
      const reader = storage.reader({ class: 'delivery', share: 'one', statementMilliseconds: 200 });
      // A busy machine may need longer than the deadline for the first reads.
      const serves = () => reader.sql.get('SELECT 1 AS one').then(Boolean, () => false);
      await until(serves);
      await server.signal('SIGSTOP');
      const began = performance.now();
      await refused(reader.sql.get('SELECT 1 AS one'));
      await refused(storage.write((tx) => addAccount(tx, 'a')));
      expect(performance.now() - began).to.be.below(15_000);
      await server.signal('SIGCONT');
      await until(serves);
      await storage.write((tx) => addAccount(tx, 'b'));
      expect(await names(storage)).to.deep.equal(['b']);
    } finally {
      await server.signal('SIGCONT');
      await storage.close();
      await server.end();
    }
  });
});
