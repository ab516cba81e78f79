/**
 * What core relies on in a store, for every adapter of core/storage/ports.ts. The test file of an adapter calls
 * `storageSuite` with a function that makes an empty store.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Listings } from '../../core/storage/listings/listings.ts';
import type { ReadDialect } from '../../core/storage/listings/read-dialect.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';
import { addAccount, names, PROJECT, project } from './account-rows.ts';
import { blockSuite } from './block-suite.ts';
import { entry } from './change-entry.ts';
import { fullTextSuite } from './full-text-suite.ts';
import { pageSuite } from './page-suite.ts';
import { readerSuite } from './reader-suite.ts';
import { slotOrderSuite } from './slot-order-suite.ts';
import { transactionSuite } from './transaction-suite.ts';
import { valueSuite } from './value-suite.ts';

export interface StoreUnderTest {
  readonly storage: Storage;
  /** Closes it and opens the same data again. */
  reopen(): Promise<Storage>;
  /** Leaves no row that a test wrote, and no count of pages that it remembers. */
  empty(): Promise<void>;
  /** Closes it and removes the data. */
  dispose(): Promise<void>;
}

/** Makes an empty store with this clock. */
type Emptied = Omit<StoreUnderTest, 'reopen'>;

export type OpenStore = (clock: () => Date) => Promise<StoreUnderTest>;

const NOW = new Date('2024-05-06T07:08:09.123Z');

export function storageSuite(name: string, open: OpenStore): void {
  // These ask for nothing but an empty store.
  describe(`storage: ${name}`, () => {
    const current = emptyStore(open);
    valueSuite(current);
    fullTextSuite(current);
    transactionSuite(current);
    pageSuite(current);
    blockSuite(current);
    slotOrderSuite(current);

    describe('snapshots', () => {
      let storage: Storage;
      beforeEach(() => {
        storage = current();
      });

      it('show one state while other transactions write', async () => {
        await storage.write((tx) => addAccount(tx, 'a'));
        const [before, after] = await storage.snapshot(async (sql) => {
          const first = await sql.all('SELECT id FROM account');
          await storage.write((tx) => addAccount(tx, 'b'));
          return [first, await sql.all('SELECT id FROM account')];
        });
        expect(after).to.deep.equal(before);
        expect(await names(storage)).to.deep.equal(['a', 'b']);
      });

      it('release their connection when the work throws', async () => {
        for (let round = 0; round < 30; round += 1) {
          const failed = await storage
            .snapshot(async () => {
              throw new Error('no');
            })
            .catch((error: Error) => error.message);
          expect(failed).to.equal('no');
        }
        expect(await storage.snapshot((sql) => sql.all('SELECT id FROM account'))).to.deep.equal([]);
      });

      it('can be more than there are connections', async () => {
        const all = Array.from({ length: 50 }, () =>
          storage.snapshot(async (sql) => (await sql.all('SELECT id FROM installation')).length),
        );
        expect(await Promise.all(all)).to.deep.equal(Array.from({ length: 50 }, () => 1));
      });
    });
  });

  describe(`storage: ${name}`, () => {
    let store: StoreUnderTest;
    let storage: Storage;

    beforeEach(async () => {
      store = await open(() => NOW);
      storage = store.storage;
    });
    afterEach(() => store.dispose());

    /** Of code that all adapters share: in the short form with SQLite alone. */
    const tested = name === 'SQLite' ? it : longTest;

    tested(
      'keeps the admin token where a copy replaces the data, and the note that the sample was loaded',
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'headwater-copy-'));
        const note = (token: string | null, sample: string | null) =>
          storage.write((tx) =>
            tx.run('UPDATE installation SET admin_token = ?, sample = ?', [token, sample]),
          );
        const noted = () => storage.sql.get('SELECT admin_token, sample FROM installation');
        try {
          await note('of the copy', null);
          await storage.copyTo(join(folder, 'without'));
          await note('of the copy', 'copied');
          await storage.copyTo(join(folder, 'with'));
          await note('own', 'loaded');
          await storage.replaceWith(join(folder, 'without'));
          expect(await noted()).to.deep.equal({ admin_token: 'own', sample: 'loaded' });
          await storage.replaceWith(join(folder, 'with'));
          expect(await noted()).to.deep.equal({ admin_token: 'own', sample: 'copied' });
          await note(null, null);
          await storage.replaceWith(join(folder, 'without'));
          expect(await noted()).to.deep.equal({ admin_token: null, sample: null });
        } finally {
          await rm(folder, { recursive: true });
        }
      },
    );

    it('gets every value back from a copy, with the same digests', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-copy-'));
      const values = [
        '',
        '\\N',
        '\\',
        '\\\\t',
        'tab\t',
        'line\nreturn\r\n',
        '\b\f\v\x7f',
        '😀 é',
        'null',
        '1:a,',
        '{"a":"\\u0001"}',
      ];
      const digestOf = async (table: string) =>
        (await storage.digests()).find((one) => one.table === table)?.digest;
      const accounts = () =>
        storage.sql.all('SELECT id, name, email, created, removed FROM account ORDER BY id');
      const rows = values.map((value, index) => [
        `${index}`.padStart(2, '0'),
        value,
        value,
        value,
        index % 2 ? value : null,
      ]);
      try {
        await storage.write(async (tx) => {
          await tx.insert('account', ['id', 'name', 'email', 'created', 'removed'], rows);
          await tx.insert('project', PROJECT, [project(2 ** 53 - 1)]);
          tx.change(entry('a'));
        });
        const before = { accounts: await accounts(), digests: await storage.digests() };
        await storage.copyTo(join(folder, 'copy'));
        const copy = await openSqlite({ file: join(folder, 'copy') });
        expect(await copy.digests()).to.deep.equal(before.digests);
        await copy.close();
        await storage.write((tx) => tx.run('UPDATE account SET email = name || ?', ['x']));
        expect(await digestOf('account')).not.to.equal(
          before.digests.find(({ table }) => table === 'account')?.digest,
        );
        const read = await storage.replaceWith(join(folder, 'copy'), undefined, 'compared');
        if (read) expect(read).to.deep.equal(before.digests);
        expect({ accounts: await accounts(), digests: await storage.digests() }).to.deep.equal(before);
        // Where one value ends and the next begins is part of it.
        await storage.write((tx) => tx.run(`UPDATE account SET name = 'ab', email = 'c'`));
        const digest = await digestOf('account');
        await storage.write((tx) => tx.run(`UPDATE account SET name = 'a', email = 'bc'`));
        expect(await digestOf('account')).not.to.equal(digest);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    describe('the owner', () => {
      // `postgres-owners` has the same of several stores.
      tested('is another one in each run; those before have ended, it has not', async () => {
        const first = storage.owner.id;
        // Where the server was restarted, an owner that was never seen has a moment to come back.
        await until(async () => (await storage.owner.ended(['unknown'])).has('unknown'));
        expect(await storage.owner.ended([first, 'unknown'])).to.deep.equal(new Set(['unknown']));
        storage = await store.reopen();
        const { id } = storage.owner;
        expect(id).to.not.equal(first);
        await until(async () => (await storage.owner.ended([first])).has(first));
        expect(await storage.owner.ended([first, id])).to.deep.equal(new Set([first]));
        expect(await storage.owner.ended([])).to.deep.equal(new Set());
        expect(storage.owner.term).to.be.above(0);
      });

      it('gets an exclusive duty at once where no other process has it', async () => {
        const duty = await storage.owner.exclusive('first');
        expect(duty.term).to.be.above(0);
        let held = 0;
        duty.onHeld(() => held++);
        expect(held).to.equal(1);
        expect((await storage.owner.exclusive('second')).term).to.be.above(0);
        expect((await storage.owner.exclusive('first')).term).to.equal(duty.term);
        storage = await store.reopen();
        expect((await storage.owner.exclusive('first')).term).to.be.above(0);
      });
    });

    describe('numbers', () => {
      it('never gives a number twice', async () => {
        const taken = await Promise.all([
          storage.write((tx) => tx.numbers('item', 10)),
          storage.write((tx) => tx.numbers('item')),
          storage.write((tx) => tx.numbers('document')),
        ]);
        expect(taken[1]).to.be.greaterThanOrEqual(taken[0]! + 10);
        expect(taken[2]).to.be.greaterThan(0);
      });

      it('continues after the highest number in use after a restart', async () => {
        const number = await storage.write(async (tx) => {
          const fresh = await tx.numbers('project', 3);
          await tx.insert('project', PROJECT, [project(fresh + 2)]);
          return fresh + 2;
        });
        storage = await store.reopen();
        expect(await storage.write((tx) => tx.numbers('project'))).to.be.greaterThan(number);
      });
    });

    describe('restart', () => {
      it('keeps everything that was written, the epoch and the sequence', async () => {
        const { epoch } = storage;
        const sequence = await storage.write(async (tx) => {
          await addAccount(tx, 'a');
          tx.change(entry('a'));
          return tx.sequence;
        });
        storage = await store.reopen();
        expect(await names(storage)).to.deep.equal(['a']);
        expect(storage.epoch).to.equal(epoch);
        expect(await storage.write(async (tx) => tx.sequence)).to.equal(sequence + 1);
      });

      it('finishes what was queued and refuses writes afterwards', async () => {
        const queued = Array.from({ length: 5 }, (_, index) =>
          storage.write((tx) => addAccount(tx, `n${index}`)),
        );
        const reopened = store.reopen();
        await Promise.all(queued);
        const refused = await storage.write((tx) => addAccount(tx, 'late')).catch((error: unknown) => error);
        expect(refused).to.be.instanceOf(Error);
        storage = await reopened;
        expect(await names(storage)).to.have.length(5);
      });
    });

    // These close it, or ask for its figures.
    readerSuite(
      () => storage,
      async () => {
        storage = await store.reopen();
        return storage;
      },
      // All adapters have their turns from the same code.
      tested,
    );
  });
}

/** A store for all tests of the suite, empty before each of them: to open one takes longer than most tests. */
export function emptyStore(open: (clock: () => Date) => Promise<Emptied>): () => Storage {
  let store: Emptied;
  before(async () => {
    store = await open(() => NOW);
  });
  afterEach(() => store.empty());
  after(() => store?.dispose());
  return () => store.storage;
}

/** Makes an open store forget the counts of pages that it remembers, which are those of the rows before. */
export function forgetCounts(storage: Storage, dialect: ReadDialect): void {
  Object.assign(storage, { listings: new Listings(dialect) });
}
