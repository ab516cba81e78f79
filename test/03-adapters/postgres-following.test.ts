/** Two processes on one database: each gets all commits, once and in order, whatever happens to its sessions. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import type { CommitState, CommittedChanges, Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { endFollowers } from '../support/database/end-followers.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import type { TestDatabase } from '../support/database/test-database.ts';
import { longTest } from '../support/long-form.ts';
import { leastTimeOf } from '../support/measure/least-of.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { until } from '../support/until.ts';
import { addAccount, PROJECT, project } from './account-rows.ts';
import { entry } from './change-entry.ts';

/** What the listeners of a store got, in order. */
class Listened {
  readonly commits: CommittedChanges[] = [];
  readonly resets: CommitState[] = [];

  constructor(storage: Storage) {
    storage.onCommit(
      (changes) => this.commits.push(changes),
      (position) => this.resets.push(position),
    );
  }

  get sequences(): number[] {
    return this.commits.map(({ sequence }) => sequence);
  }
}

const numbers = (from: number, upTo: number) =>
  Array.from({ length: upTo - from + 1 }, (_, index) => from + index);

describe('following the commits of other processes on PostgreSQL', () => {
  let server: PostgresServer;
  let database: TestDatabase & { readonly url: string };
  let storage: Storage;
  let other: Storage;
  let listened: Listened;
  let name: string;

  beforeEach(async () => {
    server = await postgresServer();
    database = await postgresDatabase();
    name = new URL(database.url).pathname.slice(1);
    storage = await database.open('');
    other = await openPostgres({ url: database.url });
    listened = new Listened(storage);
  });
  afterEach(async () => {
    await storage.close();
    await other.close();
    await database.remove();
  });

  const add = (object: string, on: Storage) =>
    on.write(async (tx) => {
      tx.change(entry(object));
      return tx.sequence;
    });

  /** Commits of a process whose notifications are lost. */
  const commitUnnoticed = (count = 1, from = 1) =>
    server.run(
      `BEGIN;
       INSERT INTO change SELECT i.sequence + n, 0, NULL, 'user', 'upsert', 'n' || n, '["tag"]', NULL,
         to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"0Z"')
         FROM installation i, generate_series(${from}, ${count}) n;
       UPDATE installation SET sequence = sequence + ${count};
       COMMIT`,
      name,
    );

  it('gives both all commits once, in one order, their own before the write resolves', async () => {
    const others = new Listened(other);
    const both = [
      { store: storage, got: listened },
      { store: other, got: others },
    ];
    await Promise.all(
      numbers(1, 200).map(async (index) => {
        const { store, got } = both[index % 2]!;
        const sequence = await add(`n${index}`, store);
        expect(got.sequences).to.include(sequence);
        expect(store.sequence).to.be.at.least(sequence);
      }),
    );
    await until(() => listened.commits.length >= 200 && others.commits.length >= 200);
    expect(listened.sequences).to.deep.equal(numbers(1, 200));
    const withoutTime = ({ time: _, ...changes }: CommittedChanges) => changes;
    expect(others.commits.map(withoutTime)).to.deep.equal(listened.commits.map(withoutTime));
    expect([listened.resets, others.resets]).to.deep.equal([[], []]);
  });

  it('does so at once, not with the next poll', async () => {
    let count = 0;
    const took = await leastTimeOf(2500, async () => {
      for (const last = count + 20; count < last; ) {
        count += 1;
        await add(`n${count}`, other);
        await until(() => listened.commits.length === count);
      }
    });
    // Polls alone take 5 s.
    expect(took).to.be.below(2500);
  });

  it('does so without a notification, and knows when the commit was', async () => {
    const began = performance.now();
    await commitUnnoticed(3);
    const ended = performance.now();
    await until(() => listened.commits.length === 3);
    expect(listened.sequences).to.deep.equal([1, 2, 3]);
    // The clock of the database has milliseconds, and is known to a few.
    for (const { time } of listened.commits) expect(time).to.be.within(began - 100, ended + 100);
  });

  it('does so for more commits than one poll reads', async () => {
    await commitUnnoticed(1800);
    await until(() => listened.commits.length >= 1800);
    expect(listened.sequences).to.deep.equal(numbers(1, 1800));
    expect(listened.resets).to.deep.equal([]);
  });

  it('goes on after its session was ended, with what was committed meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      await endFollowers(server, name);
      for (let index = 0; index < 4; index++) await add(`r${round}-${index}`, other);
      await until(() => listened.commits.length === 4 * (round + 1));
    }
    expect(listened.sequences).to.deep.equal(numbers(1, 20));
  });

  it('gives what other processes committed also where its own group then fails', async () => {
    await commitUnnoticed(2);
    const failed = await storage
      .write(async (tx) => {
        tx.change(entry('failed'));
        await endWriter();
        await addAccount(tx, 'failed');
      })
      .catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(ServiceError);
    expect(await add('own', storage)).to.equal(3);
    expect(listened.commits.map(({ entries }) => entries[0]?.object)).to.deep.equal(['n1', 'n2', 'own']);

    async function endWriter() {
      await server.run(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = '${name}' AND state = 'idle in transaction' AND pid <> pg_backend_pid()`,
      );
    }
  });

  describe('catching up', () => {
    it('sees what was acknowledged before, shared by all that wait', async () => {
      for (let round = 1; round <= 10; round++) {
        await commitUnnoticed();
        await Promise.all(Array.from({ length: 50 }, () => storage.caughtUp('now')));
        expect(storage.sequence).to.equal(round);
        expect(listened.sequences).to.deep.equal(numbers(1, round));
      }
    });

    it('to a sequence waits for nothing that the listeners have, and for nothing that does not exist', async () => {
      await commitUnnoticed(2);
      await storage.caughtUp(2);
      expect(storage.sequence).to.equal(2);
      expect(storage.caughtUp(2)).to.equal(undefined);
      expect(storage.caughtUp(1)).to.equal(undefined);
      await storage.caughtUp(1_000_000_000);
    });

    it('begins again where the session was lost', async () => {
      await storage.caughtUp('now');
      await endFollowers(server, name);
      await commitUnnoticed();
      await storage.caughtUp('now');
      expect(storage.sequence).to.equal(1);
    });

    it('is refused once the request is over, and when the store closes', async () => {
      const over = new AbortController();
      over.abort();
      expect(await errorOf(storage.caughtUp('now', over.signal))).to.include({ errorName: 'unavailable' });
      const waiting = errorOf(storage.caughtUp('now'));
      await storage.close();
      await waiting;
      expect(await errorOf(storage.caughtUp('now'))).to.include({ errorName: 'unavailable' });
    });
  });

  describe('says that listeners have to begin anew', () => {
    it('when another process replaced the data', async () => {
      await withCopy(async (copy) => {
        await add('a', other);
        await other.copyTo(copy);
        await add('lost', storage);
        const others = new Listened(other);
        const before = storage.epoch;
        await other.replaceWith(copy);
        await until(() => listened.resets.length > 0);
        expect(listened.resets).to.deep.equal([{ sequence: other.sequence, epoch: other.epoch }]);
        expect(others.resets).to.deep.equal(listened.resets);
        expect(storage.epoch).to.equal(other.epoch).and.not.equal(before);
        const next = [await add('b', storage), await add('c', other)];
        await storage.caughtUp('now');
        expect(listened.sequences.slice(2)).to.deep.equal(next);
        expect(listened.commits.at(-1)?.epoch).to.equal(other.epoch);
      });
    });

    longTest('when another process replaces the data while a write waits for its turn', async () => {
      await withCopy(async (copy) => {
        await add('a', other);
        await other.copyTo(copy);
        const waiting = (count: number) =>
          until(async () => {
            const rows = await storage.sql.all(
              `SELECT 1 FROM pg_stat_activity WHERE datname = ? AND wait_event_type = 'Lock'`,
              [name],
            );
            return rows.length === count;
          });
        const holder = await openPostgres({ url: database.url });
        let release = () => {};
        const held = holder.write(() => new Promise<void>((resolve) => (release = resolve)));
        const replaced = other.replaceWith(copy);
        await waiting(1);
        let done = 0;
        const first = storage.write(async (tx) => {
          // Without the lock, the other store commits the same sequence meanwhile.
          await Promise.race([add('second', other).finally(() => (done += 1)), pause(500)]);
          expect(done).to.equal(0);
          tx.change(entry('first'));
          return tx.sequence;
        });
        await waiting(2);
        release();
        await Promise.all([held, replaced]);
        await first;
        await until(() => done === 1);
        await holder.close();
        await storage.caughtUp('now');
        expect(listened.commits.slice(-2).map(({ entries }) => entries[0]?.object)).to.deep.equal([
          'first',
          'second',
        ]);
      });
    });

    it('and no process gives a row a number that the replaced data use', async () => {
      await withCopy(async (copy) => {
        const next = (on: Storage) => on.write((tx) => tx.numbers('project'));
        const before = [await next(storage), await next(other)];
        // As the copy of an installation with more projects.
        const used = before.flatMap((number) => numbers(number, number + 5));
        await other.write((tx) => tx.insert('project', PROJECT, used.map(project)));
        await other.copyTo(copy);
        await other.replaceWith(copy);
        expect(used).not.to.include.oneOf([await next(storage), await next(other)]);
      });
    });

    it('where the log lacks what it missed', async () => {
      await commitUnnoticed(5, 3);
      await until(() => listened.resets.length > 0);
      expect(listened.resets).to.deep.equal([{ sequence: 5, epoch: storage.epoch }]);
      expect(await add('next', other)).to.equal(6);
      await until(() => listened.commits.length > 0);
      expect(listened.sequences).to.deep.equal([6]);
    });

    it('where a group finds so before a poll does', async () => {
      await server.run('UPDATE installation SET sequence = sequence + 20000', name);
      expect(await add('own', storage)).to.equal(20_001);
      expect(listened.resets.map(({ sequence }) => sequence)).to.deep.equal([20_000]);
      expect(listened.sequences).to.deep.equal([20_001]);
    });

    it('where the database is an older one by now', async () => {
      await add('a', storage);
      await add('b', storage);
      const { epoch } = storage;
      await server.run('DELETE FROM change WHERE sequence > 1; UPDATE installation SET sequence = 1', name);
      await until(() => listened.resets.length > 0);
      // Above what was seen of the lost commits.
      expect(listened.resets).to.deep.equal([{ sequence: 3, epoch: storage.epoch }]);
      expect(storage.epoch).to.not.equal(epoch);
      expect(await add('c', storage)).to.equal(4);
      expect(listened.sequences).to.deep.equal([1, 2, 4]);
    });

    it('where a gateway has seen commits that the database lacks', async () => {
      await add('a', storage);
      const { epoch } = storage;
      await other.renewEpoch?.(7);
      await until(() => listened.resets.length > 0);
      expect(listened.resets).to.deep.equal([{ sequence: 8, epoch: other.epoch }]);
      expect(other.epoch).to.not.equal(epoch);
      expect(await add('b', storage)).to.equal(9);
    });
  });

  describe('over a bad network', () => {
    let relay: Relay;
    let relayed: Storage;
    let got: Listened;
    let reported: (string | undefined)[];
    beforeEach(async () => {
      reported = [];
      relay = await startRelay(server.port);
      const url = new URL(server.tcpUrl(name));
      url.port = `${relay.port}`;
      relayed = await openPostgres({
        url: url.href,
        notices: { following: (failure) => reported.push(failure?.message) },
      });
      got = new Listened(relayed);
      await relayed.caughtUp('now');
    });
    afterEach(async () => {
      relay.release();
      await relayed.close();
      await relay.close();
    });

    it('loses and repeats nothing when its connections are cut again and again', async () => {
      for (let index = 1; index <= 60; index++) {
        await add(`n${index}`, other);
        if (index % 7 === 0) relay.cut();
      }
      await until(() => got.commits.length >= 60);
      expect(got.sequences).to.deep.equal(numbers(1, 60));
      expect(got.resets).to.deep.equal([]);
    });

    it('does not claim to be complete, reports that once, and refuses who has to be current with Retry-After', async () => {
      const before = relayed.completeUntil;
      await until(() => relayed.completeUntil > before);
      expect(relayed.figures().following?.failures).to.equal(0);
      relay.hold();
      const held = performance.now();
      await add('a', other);
      const error = await errorOf(relayed.caughtUp('now'));
      expect(error).to.include({ errorName: 'unavailable' });
      expect((error as ServiceError).headers['retry-after']).to.equal('1');
      expect(performance.now() - held).to.be.below(10_000);
      expect(relayed.completeUntil).to.be.below(held);
      expect(got.commits).to.deep.equal([]);
      const { age, failures } = relayed.figures().following!;
      expect(failures).to.be.above(0);
      expect(age).to.be.above(1000);
      expect(reported).to.have.lengthOf(1);
      expect(reported[0]).to.be.a('string');
      relay.release();
      await until(() => got.commits.length === 1 && relayed.completeUntil > held);
      await until(() => reported.length === 2);
      expect(reported[1]).to.equal(undefined);
    });

    longTest(
      'refuses who has to be current at once, not with its next attempt, when it was lost for seconds',
      async () => {
        relay.hold();
        await until(() => reported.length > 0);
        await pause(2500);
        const least = await leastTimeOf(50, async () => {
          expect(await errorOf(relayed.caughtUp('now'))).to.include({ errorName: 'unavailable' });
        });
        expect(least).to.be.below(50);
        relay.release();
        await until(
          () =>
            relayed.caughtUp('now')?.then(
              () => true,
              () => false,
            ) ?? true,
        );
      },
    );
  });

  it('numbers notifications of webhooks in the order of commits, of whatever process', async () => {
    const taken: number[] = [];
    for (const on of [storage, other, storage, storage, other])
      taken.push(await on.write((tx) => tx.numbers('webhook_notification', 2)));
    const first = taken[0] ?? 0;
    expect(taken).to.deep.equal([first, first + 2, first + 4, first + 6, first + 8]);
  });

  it('numbers what is listed in the order of commits, of whatever process', async () => {
    const taken: number[] = [];
    for (const [index, on] of [storage, storage, other, storage, other, other, storage].entries())
      taken.push(
        await on.write((tx) => {
          tx.change(entry(`${index}`));
          return tx.numbers('item');
        }),
      );
    expect(taken).to.deep.equal([...new Set(taken)].sort((one, two) => one - two));
  });

  describe('times', () => {
    it('of transactions are those of the database, whatever the clock of the process shows', async () => {
      const { Date: Real } = globalThis;
      globalThis.Date = class extends Real {
        constructor(...time: [] | [string | number]) {
          super(...((time.length === 0 ? [Real.now() + 3_600_000] : time) as [number]));
        }
      } as DateConstructor;
      try {
        for (const one of [storage, other]) {
          const [at, now] = await one.write(async (tx) => {
            const row = await tx.get<{ now: string }>('SELECT clock_timestamp()::text AS now');
            return [Real.parse(tx.now), Real.parse(row!.now)] as const;
          });
          expect(now - at).to.be.within(0, 1000);
          expect(Math.abs(one.now().getTime() - now)).to.be.below(1000);
        }
      } finally {
        globalThis.Date = Real;
      }
    });

    it('never go back from one commit to the next, of whatever process', async () => {
      const writers = [storage, other].flatMap((one) => [one, one]);
      await Promise.all(
        writers.map(async (one) => {
          for (let index = 0; index < 25; index++) await add('a', one);
        }),
      );
      const rows = await storage.sql.all<{ at: string }>('SELECT at FROM change ORDER BY sequence');
      const times = rows.map(({ at }) => at);
      expect(times).to.have.lengthOf(100);
      expect(times).to.deep.equal([...times].sort());
    });
  });

  async function withCopy(work: (file: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-following-'));
    await work(join(folder, 'copy')).finally(() => rm(folder, { recursive: true }));
  }
});

async function errorOf(work: Promise<unknown> | undefined): Promise<unknown> {
  const error = await work?.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(ServiceError);
  return error;
}
