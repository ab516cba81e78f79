import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import type { Reader, Storage } from '../../core/storage/ports.ts';
import type { ReadClass } from '../../core/storage/read-scope.ts';
import { hasAllTests, isLongForm, longTest } from '../support/long-form.ts';
import { addAccount, names } from './account-rows.ts';

/** Takes minutes. */
const ENDLESS =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT count(*) AS count FROM n';
const QUICK = 'SELECT count(*) AS count FROM account';
/** A copy of these takes several tenths of a second. */
const ROWS = 300_000;
const MANY = `INSERT INTO account (id, name, email, created)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
  SELECT 'account number ' || i, 'Name of account number ' || i, '', 'now' FROM n`;
/** Whatever the machine is doing. */
const SOON = 15_000;

async function failure(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.then(
    () => new Error('It did not fail.'),
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(ServiceError);
  expect((error as ServiceError).errorName).to.equal('unavailable');
  return error as ServiceError;
}

async function soon<T>(work: Promise<T>): Promise<T> {
  const late = pause(SOON, undefined, { ref: false }).then(() =>
    Promise.reject(new Error('It took too long.')),
  );
  return (await Promise.race([work, late])) as T;
}

/**
 * Readers: they end when their signal fires, and take fair turns.
 * @param turnTest makes the tests of turns
 */
export function readerSuite(
  storage: () => Storage,
  reopen: () => Promise<Storage>,
  turnTest: (title: string, run: () => Promise<void>) => unknown,
): void {
  describe('readers', () => {
    let leave: AbortController;
    const ended: Promise<unknown>[] = [];
    const reader = (share: string, more: { class?: ReadClass; signal?: AbortSignal } = {}): Reader =>
      storage().reader({ class: 'delivery', share, signal: leave.signal, ...more });
    /** Reads of one share that take minutes: more than run at once. */
    const occupy = async (share: string, times = 8) => {
      const work = Array.from({ length: times }, () => reader(share).sql.get(ENDLESS));
      ended.push(...work.map((one) => one.catch(() => {})));
      await pause(50);
      return work;
    };

    /** Short statements over one snapshot, with pauses that occupy no thread of libuv's pool. */
    const walk = (share: string, statements: number, of: ReadClass = 'delivery') => {
      const work = reader(share, { class: of }).snapshot(async (sql) => {
        for (let index = 0; index < statements; index++) {
          await sql.get(QUICK);
          await pause(10);
        }
        return statements;
      });
      ended.push(work.catch(() => {}));
      return work;
    };

    beforeEach(() => {
      leave = new AbortController();
    });
    afterEach(async () => {
      leave.abort();
      await Promise.all(ended.splice(0));
    });

    it('interrupts a running read when its signal fires, and continues with the next', async () => {
      const work = await occupy('one');
      leave.abort();
      for (const one of work) expect((await soon(failure(one))).message).to.contain('cancelled');
      leave = new AbortController();
      const after = Array.from({ length: 20 }, () => reader('one').sql.get<{ count: number }>(QUICK));
      expect((await soon(Promise.all(after))).map((row) => row?.count)).to.deep.equal(Array(20).fill(0));
    });

    it('does not start a read whose signal has fired', async () => {
      leave.abort();
      await soon(failure(reader('one').sql.get(ENDLESS)));
    });

    it('refuses a waiting read when its signal fires, and no other', async () => {
      const running = await occupy('one');
      const own = new AbortController();
      const waiting = reader('one', { signal: own.signal }).sql.get(ENDLESS);
      own.abort();
      await soon(failure(waiting));
      const first = await Promise.race([
        ...running.map((one) => one.catch(() => 'ended')),
        pause(100, 'running'),
      ]);
      expect(first).to.equal('running');
    });

    it('ends a statement at its deadline and says how to make the query cheaper', async () => {
      const limited = storage().reader({ class: 'delivery', share: 'one', statementMilliseconds: 50 });
      const error = await soon(failure(limited.sql.get(ENDLESS)));
      expect(error.message).to.contain('50 ms').and.to.contain('Ask for less');
      expect(error.status).to.equal(503);
      // Without a deadline, which a busy machine might miss.
      const after = Array.from({ length: 20 }, () => reader('one').sql.get<{ count: number }>(QUICK));
      expect((await soon(Promise.all(after))).map((row) => row?.count)).to.deep.equal(Array(20).fill(0));
      expect(storage().figures().reads.delivery.interrupted.deadline).to.equal(1);
    });

    longTest('applies the deadline to each statement of a snapshot separately', async () => {
      const limited = storage().reader({ class: 'delivery', share: 'one', statementMilliseconds: 1000 });
      const sum = await limited.snapshot(async (sql) => {
        let total = 0;
        for (let index = 0; index < 5; index++) {
          total += (await sql.get<{ count: number }>(QUICK))?.count ?? 0;
          await pause(300);
        }
        return total;
      });
      expect(sum).to.equal(0);
    });

    it('closes the snapshot of an interrupted read', async () => {
      const work = Array.from({ length: 3 }, () =>
        reader('one').snapshot(async (sql) => {
          await sql.get(QUICK);
          await sql.get(ENDLESS);
        }),
      );
      const ends = Promise.all(work.map(failure));
      await pause(50);
      leave.abort();
      await soon(ends);
      leave = new AbortController();
      await storage().write((tx) => addAccount(tx, 'a'));
      const seen = Array.from({ length: 20 }, () =>
        reader('one').snapshot((sql) => sql.get<{ count: number }>(QUICK)),
      );
      expect((await soon(Promise.all(seen))).map((row) => row?.count)).to.deep.equal(Array(20).fill(1));
    });

    it('runs no further statement of a snapshot after its signal has fired', async () => {
      const work = reader('one').snapshot(async (sql) => {
        await sql.get(QUICK);
        leave.abort();
        await pause(60);
        return sql.get(QUICK);
      });
      await soon(failure(work));
    });

    turnTest('serves another share while one holds all its connections', async () => {
      await occupy('one', 50);
      for (let index = 0; index < 20; index++)
        expect(await soon(reader('other').sql.get(QUICK))).to.deep.equal({ count: 0 });
    });

    // Each class has a queue of its own, of the same kind.
    for (const of of hasAllTests ? (['delivery', 'management'] as const) : (['delivery'] as const))
      turnTest(`does not let short reads of ${of} wait for long ones of any number of shares`, async () => {
        for (let round = 0; round < 3; round++) {
          for (let index = 0; index < 16; index++) walk(`long ${round} ${index % 4}`, 2_000_000, of);
          await pause(20);
          for (let index = 0; index < 10; index++)
            expect(await soon(reader('short', { class: of }).sql.get(QUICK))).to.deep.equal({ count: 0 });
        }
        const { running, waiting, interrupted } = storage().figures().reads[of];
        expect(running + waiting).to.equal(48);
        expect(interrupted.preempted).to.be.above(0);
      });

    it('runs a preempted read again, to its end', async () => {
      const long = Array.from({ length: 8 }, (_, index) => walk(`long ${index}`, 20));
      await pause(20);
      for (let index = 0; index < 10; index++) await soon(reader('short').sql.get(QUICK));
      expect(await Promise.all(long)).to.deep.equal(Array(8).fill(20));
      expect(storage().figures().reads.delivery.interrupted.preempted).to.be.above(0);
    });

    turnTest('gives shares fair turns, even if many reads of one wait', async () => {
      const order: string[] = [];
      const read = (share: string) =>
        reader(share)
          .snapshot(async (sql) => {
            await sql.get(QUICK);
            await pause(5);
          })
          .then(() => order.push(share));
      await soon(
        Promise.all([
          ...Array.from({ length: 100 }, () => read('one')),
          ...Array.from({ length: 5 }, () => read('other')),
        ]),
      );
      expect(order.lastIndexOf('other')).to.be.below(50);
    });

    for (const other of ['lookup', 'management', 'background'] as const)
      turnTest(`does not let ${other} wait for delivery`, async () => {
        await occupy('one', 50);
        for (let index = 0; index < 5; index++)
          expect(await soon(reader('one', { class: other }).sql.get(QUICK))).to.deep.equal({ count: 0 });
      });

    turnTest('refuses reads above the limit of a share, and none of other shares', async () => {
      const work = await occupy('one', 2500);
      const refused = work.map((one) =>
        one.then(undefined, (error: ServiceError) => error.headers['retry-after']),
      );
      expect(await soon(Promise.race(refused))).to.equal('1');
      expect(await soon(reader('other').sql.get(QUICK))).to.deep.equal({ count: 0 });
      const { waiting, refused: count } = storage().figures().reads.delivery;
      expect(waiting + count).to.be.within(2490, 2500);
      expect(count).to.be.above(1000);
    });

    it('interrupts running reads and refuses waiting ones when the store closes', async () => {
      const work = await occupy('one');
      const background = storage().sql.get(ENDLESS);
      const outcome = failure(background);
      await pause(50);
      const closed = reader('one');
      await soon(reopen());
      for (const one of work) await failure(one);
      await outcome;
      await failure(closed.sql.get(QUICK));
    });
  });

  describe('writers', () => {
    const add = (count: number, share: string, done: (share: string) => void) =>
      Array.from({ length: count }, () =>
        storage()
          .write((tx) => tx.get(QUICK), share)
          .then(() => done(share)),
      );

    turnTest('get fair turns by share, even if many of one wait', async () => {
      const order: string[] = [];
      const note = (share: string) => void order.push(share);
      await Promise.all([...add(600, 'one', note), ...add(5, 'other', note)]);
      expect(order.length).to.equal(605);
      expect(order.lastIndexOf('other')).to.be.below(300);
    });

    turnTest('above the limit of a share are refused, and those of other shares are not', async () => {
      const done: string[] = [];
      const work = add(5000, 'one', (share) => done.push(share));
      const settled = Promise.allSettled(work);
      await Promise.all(add(5, 'other', (share) => done.push(share)));
      const refused = (await settled).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refused.length).to.be.within(2000, 4000);
      expect(refused[0].headers['retry-after']).to.equal('1');
      expect(storage().figures().writes.refused).to.equal(refused.length);
    });

    const begin: Readonly<Record<string, (folder: string) => Promise<{ readonly work: Promise<unknown> }>>> =
      {
        'a copy of all there is': async (folder) => ({ work: storage().copyTo(join(folder, 'other')) }),
        'the check of a copy': async (folder) => ({ work: storage().replaceWith(join(folder, 'copy')) }),
        'the exchange for a copy': (folder) =>
          new Promise((resolve) => {
            const checked = async () => void setImmediate(() => resolve({ work }));
            const work = storage().replaceWith(join(folder, 'copy'), checked);
          }),
      };
    const begun = Object.entries(begin).filter(
      ([title]) => isLongForm || title === 'the exchange for a copy',
    );
    it(`end ${begun.map(([title]) => title).join(', ')} when the store closes, without a change`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-copy-'));
      try {
        await storage().write((tx) => tx.run(MANY));
        await storage().copyTo(join(folder, 'copy'));
        await storage().write((tx) => addAccount(tx, 'after'));
        for (const [title, start] of begun) {
          const { work } = await start(folder);
          const ended = failure(work);
          await pause(30);
          const after = await soon(reopen());
          expect((await ended).message, title).to.contain('stopping');
          expect(await after.sql.get(QUICK), title).to.deep.equal({ count: ROWS + 1 });
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('undo transactions that do not end in time when the store closes, and none that were committed', async () => {
      await storage().write((tx) => addAccount(tx, 'acknowledged'));
      const endless = failure(
        storage().write(async (tx) => {
          await addAccount(tx, 'in progress');
          await tx.get(ENDLESS);
        }),
      );
      await pause(50);
      const queued = failure(storage().write((tx) => addAccount(tx, 'queued')));
      const after = await soon(reopen());
      await endless;
      await queued;
      expect(await names(after)).to.deep.equal(['acknowledged']);
    });
  });
}
