/** Transactions: one at a time, all or nothing; the change log. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommittedChanges, Storage, Transaction } from '../../core/storage/ports.ts';
import { addAccount, names } from './account-rows.ts';
import { entry } from './change-entry.ts';

export function transactionSuite(current: () => Storage): void {
  let storage: Storage;
  beforeEach(() => {
    storage = current();
  });

  describe('transactions', () => {
    it('show a write to readers once it has resolved, and not before', async () => {
      let inside = -1;
      await storage.write(async (tx) => {
        await addAccount(tx, 'a');
        inside = (await names(storage)).length;
      });
      expect(inside).to.equal(0);
      expect(await names(storage)).to.deep.equal(['a']);
    });

    it('read what they wrote', async () => {
      const seen = await storage.write(async (tx) => {
        await addAccount(tx, 'a');
        return tx.all<{ name: string }>('SELECT name FROM account');
      });
      expect(seen).to.deep.equal([{ name: 'a' }]);
    });

    it('leave nothing when they throw, and reject with the error', async () => {
      const failure = new Error('no');
      const failed = storage.write(async (tx) => {
        await addAccount(tx, 'a');
        tx.change(entry('a'));
        throw failure;
      });
      expect(await failed.catch((error: unknown) => error)).to.equal(failure);
      expect(await names(storage)).to.deep.equal([]);
      expect(await storage.sql.all('SELECT sequence FROM change')).to.deep.equal([]);
      await storage.write((tx) => addAccount(tx, 'b'));
      expect(await names(storage)).to.deep.equal(['b']);
    });

    it('that are not wanted any more at their turn do not begin', async () => {
      let isWanted = true;
      const failure = new Error('no');
      const first = storage.write(async (tx) => {
        await addAccount(tx, 'a');
        isWanted = false;
      });
      const second = storage.write(
        (tx) => addAccount(tx, 'b'),
        'share',
        () => {
          if (!isWanted) throw failure;
        },
      );
      const third = storage.write((tx) => addAccount(tx, 'c'));
      expect(await second.catch((error: unknown) => error)).to.equal(failure);
      await Promise.all([first, third]);
      expect(await names(storage)).to.deep.equal(['a', 'c']);
    });

    it('that are queued together run one after another', async () => {
      const writes = Array.from({ length: 100 }, () =>
        storage.write(async (tx) => {
          const row = await tx.get<{ total: number }>('SELECT count(*) AS total FROM account');
          await addAccount(tx, `n${row!.total}`);
          return row!.total;
        }),
      );
      expect(await Promise.all(writes)).to.deep.equal(Array.from({ length: 100 }, (_, index) => index));
    });

    it('are accepted in the turn in which the last one ends', async () => {
      for (let turns = 0; turns < 30; turns += 1) {
        await storage.write((tx) => addAccount(tx, `first${turns}`));
        for (let turn = 0; turn < turns; turn += 1) await null;
        await storage.write((tx) => addAccount(tx, `second${turns}`));
      }
      expect(await names(storage)).to.have.length(60);
    });

    it('fail alone when others share their commit', async () => {
      const writes = Array.from({ length: 20 }, (_, index) =>
        storage.write(async (tx) => {
          await addAccount(tx, `n${index}`);
          if (index % 3 === 1) throw new Error(`fails ${index}`);
        }),
      );
      const settled = await Promise.allSettled(writes);
      expect(settled.map(({ status }) => status === 'fulfilled')).to.deep.equal(
        settled.map((_, index) => index % 3 !== 1),
      );
      expect(await names(storage)).to.have.length(13);
    });

    it('refuse statements after their end', async () => {
      let leaked: Transaction | undefined;
      await storage.write(async (tx) => {
        leaked = tx;
      });
      const late = await (async () => addAccount(leaked!, 'late'))().catch((error: unknown) => error);
      expect(late).to.be.instanceOf(Error);
      expect(await names(storage)).to.deep.equal([]);
    });

    it('refuse statements while they are undone', async () => {
      let late: Promise<unknown> = Promise.resolve();
      const failure = new Error('no');
      const failed = storage.write(async (tx) => {
        await addAccount(tx, 'a');
        late = new Promise(setImmediate).then(() => addAccount(tx, 'late')).catch((error: unknown) => error);
        throw failure;
      });
      const next = storage.write((tx) => addAccount(tx, 'b'));
      expect(await failed.catch((error: unknown) => error)).to.equal(failure);
      await next;
      expect(await late).to.be.instanceOf(Error);
      expect(await names(storage)).to.deep.equal(['b']);
    });

    it('refuse a row with a missing reference', async () => {
      const failed = await storage
        .write((tx) => tx.insert('membership', ['account', 'project', 'capabilities'], [['none', 1, '[]']]))
        .catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error);
    });

    it('do not continue after a statement that failed, and leave nothing', async () => {
      const later: unknown[] = [];
      const failed = await storage
        .write(async (tx) => {
          await addAccount(tx, 'a');
          await addAccount(tx, 'a').catch(() => {});
          await addAccount(tx, 'b').catch((error: unknown) => later.push(error));
          tx.change(entry('a'));
        })
        .catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error);
      expect(later).to.deep.equal([failed]);
      expect(await names(storage)).to.deep.equal([]);
      expect(await storage.sql.all('SELECT sequence FROM change')).to.deep.equal([]);
    });

    it('end with the first statement that failed, also where its result was not waited for', async () => {
      const same = [['a', 'a', '', 'now']];
      const columns = ['id', 'name', 'email', 'created'];
      for (const isReadAfter of [false, true]) {
        const failed: Error = await storage
          .write(async (tx) => {
            await tx.insert('account', columns, same);
            await tx.insert('account', columns, same);
            await tx.run('UPDATE account SET name = ?', ['b']);
            if (isReadAfter) await tx.all('SELECT name FROM account');
            tx.change(entry('a'));
          })
          .then(() => expect.fail('It was committed.'))
          .catch((error: Error) => error);
        expect(failed.message).to.match(/unique/i);
        expect(await names(storage)).to.deep.equal([]);
      }
      await storage.write((tx) => addAccount(tx, 'after it'));
      expect(await names(storage)).to.deep.equal(['after it']);
    });

    it('return the number of changed rows of a statement', async () => {
      const changed = await storage.write(async (tx) => {
        await addAccount(tx, 'a');
        await addAccount(tx, 'b');
        return [
          await tx.runCounted('UPDATE account SET email = ?', ['x']),
          await tx.runCounted('UPDATE account SET email = ? WHERE name = ?', ['y', 'nobody']),
        ];
      });
      expect(changed).to.deep.equal([2, 0]);
    });

    it('have the time of the clock with seven fraction digits', async () => {
      expect(await storage.write(async (tx) => tx.now)).to.equal('2024-05-06T07:08:09.1230000Z');
      expect(storage.now().toISOString()).to.equal('2024-05-06T07:08:09.123Z');
    });
  });

  describe('writes that can be done together', () => {
    let transactions: string[][];
    beforeEach(() => {
      transactions = [];
    });

    /** Adds an account; one that is called `fails…` cannot be added. */
    function add(name: string, { key = 'key', object = name, check = () => {} } = {}): Promise<string> {
      const work = async (tx: Transaction, inputs: readonly unknown[]) => {
        const added = inputs as string[];
        transactions.push(added);
        for (const one of added) await addAccount(tx, one);
        if (added.some((one) => one.startsWith('fails'))) throw new Error(`No ${added.join()}.`);
        tx.change(entry(added.join()));
        return added.map((one) => `${one} at ${tx.sequence}`);
      };
      const batched = { key, object, input: name, work };
      return storage.write(async (tx) => (await work(tx, [name]))[0]!, 'share', check, batched);
    }
    const settled = async (writes: readonly Promise<string>[]) =>
      (await Promise.allSettled(writes)).map((one) =>
        one.status === 'fulfilled' ? one.value : (one.reason as Error).message,
      );

    it('share a transaction while they wait, and each gets its own result', async () => {
      const { sequence } = storage;
      expect(await settled([add('a'), add('b'), add('c')])).to.deep.equal([
        `a at ${sequence + 1}`,
        `b at ${sequence + 1}`,
        `c at ${sequence + 1}`,
      ]);
      expect(transactions).to.deep.equal([['a', 'b', 'c']]);
      expect(await names(storage)).to.deep.equal(['a', 'b', 'c']);
    });

    it('are done alone after one of them failed, which fails alone', async () => {
      const { sequence } = storage;
      expect(await settled([add('a'), add('fails'), add('c')])).to.deep.equal([
        `a at ${sequence + 1}`,
        'No fails.',
        `c at ${sequence + 2}`,
      ]);
      expect(transactions).to.deep.equal([['a', 'fails', 'c'], ['a'], ['fails'], ['c']]);
      expect(await names(storage)).to.deep.equal(['a', 'c']);
    });

    it('are done apart for another key or the same object, in their order', async () => {
      await settled([add('a'), add('b', { object: 'a' }), add('c'), add('d', { key: 'other' }), add('e')]);
      expect(transactions).to.deep.equal([['a'], ['b', 'c'], ['d'], ['e']]);
    });

    it('are at most sixteen, and none is lost or done twice', async () => {
      const all = Array.from({ length: 200 }, (_, index) => `${index % 23 === 22 ? 'fails' : 'n'}${index}`);
      const results = await settled(all.map((name) => add(name)));
      for (const [index, name] of all.entries())
        expect(results[index]).to.match(name.startsWith('fails') ? /^No / : new RegExp(`^${name} at `));
      expect(await names(storage)).to.deep.equal(all.filter((name) => !name.startsWith('fails')).sort());
      expect(Math.max(...transactions.map(({ length }) => length))).to.equal(16);
    });

    it('that are not wanted any more at their turn are left out', async () => {
      const refuse = () => {
        throw new Error('gone');
      };
      expect(await settled([add('a'), add('b', { check: refuse }), add('c')])).to.include('gone');
      expect(transactions).to.deep.equal([['a', 'c']]);
    });

    it('share the commit of others, and are undone alone', async () => {
      const one = (name: string) =>
        storage.write(async (tx) => {
          await addAccount(tx, name);
          return name;
        }, 'share');
      const results = await settled([one('x'), add('a'), add('fails'), one('y'), add('c'), add('d')]);
      expect(results.filter((result) => result.startsWith('No'))).to.deep.equal(['No fails.']);
      expect(await names(storage)).to.deep.equal(['a', 'c', 'd', 'x', 'y']);
    });
  });

  describe('change log', () => {
    it('numbers changes without gaps, in the order of their commits', async () => {
      const notified: CommittedChanges[] = [];
      storage.onCommit((changes) => notified.push(changes));
      const one = (name: string, fails = false) =>
        storage
          .write(async (tx) => {
            tx.change(entry(name));
            if (fails) throw new Error('fails');
            return tx.sequence;
          })
          .catch(() => -1);
      const sequences = await Promise.all([one('a'), one('b', true), one('c'), one('d')]);
      const first = sequences[0]!;
      expect(sequences).to.deep.equal([first, -1, first + 1, first + 2]);
      expect(notified.map(({ sequence }) => sequence)).to.deep.equal([first, first + 1, first + 2]);
      expect(notified.map(({ entries }) => entries[0]!.object)).to.deep.equal(['a', 'c', 'd']);
      expect(new Set(notified.map(({ epoch }) => epoch))).to.deep.equal(new Set([storage.epoch]));
    });

    it('uses no number for a transaction that changed nothing', async () => {
      const before = await storage.write(async (tx) => tx.sequence);
      expect(await storage.write(async (tx) => tx.sequence)).to.equal(before);
    });

    it('has one number for the entries of a transaction, in their order', async () => {
      await storage.write(async (tx) => {
        tx.change(entry('a'));
        tx.change(entry('b'));
      });
      const rows = await storage.sql.all<{ object: string; tags: string; at: string }>(
        'SELECT object, tags, at FROM change ORDER BY sequence, part',
      );
      const at = '2024-05-06T07:08:09.1230000Z';
      expect(rows).to.deep.equal([
        { object: 'a', tags: '["tag:a"]', at },
        { object: 'b', tags: '["tag:b"]', at },
      ]);
    });

    it('is complete for listeners where no other process commits', async () => {
      const before = storage.sequence;
      const began = performance.now();
      const sequence = await storage.write(async (tx) => {
        tx.change(entry('a'));
        return tx.sequence;
      });
      expect([before, storage.sequence]).to.deep.equal([sequence - 1, sequence]);
      expect(storage.caughtUp(sequence)).to.equal(undefined);
      await storage.caughtUp('now');
      expect(storage.completeUntil).to.be.at.least(began);
      expect(storage.sequence).to.equal(sequence);
    });

    it('begins anew for listeners when a copy replaced the data, before that resolves', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-copy-'));
      const positions: unknown[] = [];
      const commits: number[] = [];
      const change = (name: string) => storage.write(async (tx) => tx.change(entry(name)));
      try {
        await change('a');
        await storage.copyTo(join(folder, 'copy'));
        await change('b');
        const { epoch, sequence } = storage;
        storage.onCommit(
          (changes) => commits.push(changes.sequence),
          (position) => positions.push(position),
        );
        await storage.replaceWith(join(folder, 'copy'));
        expect(positions).to.deep.equal([{ sequence: storage.sequence, epoch: storage.epoch }]);
        expect(storage.epoch).not.to.equal(epoch);
        expect(storage.sequence).to.be.above(sequence);
        await change('c');
        expect(commits).to.deep.equal([storage.sequence]);
        expect(positions).to.have.lengthOf(1);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('notifies listeners after the rows are readable', async () => {
      const found: Promise<string[]>[] = [];
      storage.onCommit(() => found.push(names(storage)));
      await storage.write(async (tx) => {
        await addAccount(tx, 'a');
        tx.change(entry('a'));
      });
      expect(await Promise.all(found)).to.deep.equal([['a']]);
    });
  });
}
