/**
 * What core relies on in a store, for every adapter of core/storage/ports.ts. An adapter's test file calls
 * `storageSuite` with a way to make an empty store.
 */
import { expect } from 'chai';
import type {
  ChangeEntry,
  CommittedChanges,
  SqlValue,
  Storage,
  Transaction,
} from '../../core/storage/ports.ts';
import { pageSuite } from './page-suite.ts';

export interface StoreUnderTest {
  readonly storage: Storage;
  /** Closes it and opens the same data again. */
  reopen(): Promise<Storage>;
  /** Closes it and removes the data. */
  dispose(): Promise<void>;
}

/** Makes an empty store that takes the time from `clock`. */
export type OpenStore = (clock: () => Date) => Promise<StoreUnderTest>;

const NOW = new Date('2024-05-06T07:08:09.123Z');

export function storageSuite(name: string, open: OpenStore): void {
  describe(`storage: ${name}`, () => {
    let store: StoreUnderTest;
    let storage: Storage;

    beforeEach(async () => {
      store = await open(() => NOW);
      storage = store.storage;
    });
    afterEach(() => store.dispose());

    describe('transactions', () => {
      it('shows a write to readers once it resolved, and not before', async () => {
        let inside = -1;
        await storage.write(async (tx) => {
          await addAccount(tx, 'a');
          inside = (await names(storage)).length;
        });
        expect(inside).to.equal(0);
        expect(await names(storage)).to.deep.equal(['a']);
      });

      it('lets a transaction read what it wrote', async () => {
        const seen = await storage.write(async (tx) => {
          await addAccount(tx, 'a');
          return tx.all<{ name: string }>('SELECT name FROM account');
        });
        expect(seen).to.deep.equal([{ name: 'a' }]);
      });

      it('leaves nothing of a transaction that throws, and hands the error to the caller', async () => {
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

      it('runs transactions that were queued together one after another, each on the former', async () => {
        const writes = Array.from({ length: 100 }, () =>
          storage.write(async (tx) => {
            const row = await tx.get<{ total: number }>('SELECT count(*) AS total FROM account');
            await addAccount(tx, `n${row!.total}`);
            return row!.total;
          }),
        );
        expect(await Promise.all(writes)).to.deep.equal(Array.from({ length: 100 }, (_, index) => index));
      });

      it('takes a write that comes in the moment the last one is done', async () => {
        for (let turns = 0; turns < 30; turns += 1) {
          await storage.write((tx) => addAccount(tx, `first${turns}`));
          for (let turn = 0; turn < turns; turn += 1) await null;
          await storage.write((tx) => addAccount(tx, `second${turns}`));
        }
        expect(await names(storage)).to.have.length(60);
      });

      it('takes nobody with it when one of several queued transactions fails', async () => {
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

      it('refuses statements of a transaction that has ended', async () => {
        let leaked: Transaction | undefined;
        await storage.write(async (tx) => {
          leaked = tx;
        });
        const late = await (async () => addAccount(leaked!, 'late'))().catch((error: unknown) => error);
        expect(late).to.be.instanceOf(Error);
        expect(await names(storage)).to.deep.equal([]);
      });

      it('refuses a row that points to nothing', async () => {
        const failed = await storage
          .write((tx) => tx.insert('membership', ['account', 'project', 'capabilities'], [['none', 1, '[]']]))
          .catch((error: unknown) => error);
        expect(failed).to.be.instanceOf(Error);
      });

      it('tells how many rows a statement changed', async () => {
        const changed = await storage.write(async (tx) => {
          await addAccount(tx, 'a');
          await addAccount(tx, 'b');
          return [
            await tx.run('UPDATE account SET email = ?', ['x']),
            await tx.run('UPDATE account SET email = ? WHERE name = ?', ['y', 'nobody']),
          ];
        });
        expect(changed).to.deep.equal([2, 0]);
      });

      it('gives each transaction the time of the clock with seven fraction digits', async () => {
        expect(await storage.write(async (tx) => tx.now)).to.equal('2024-05-06T07:08:09.1230000Z');
      });
    });

    describe('change log', () => {
      it('numbers changes without gaps, in the order of their commits', async () => {
        const heard: CommittedChanges[] = [];
        storage.onCommit((changes) => heard.push(changes));
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
        expect(heard.map(({ sequence }) => sequence)).to.deep.equal([first, first + 1, first + 2]);
        expect(heard.map(({ entries }) => entries[0]!.object)).to.deep.equal(['a', 'c', 'd']);
        expect(new Set(heard.map(({ epoch }) => epoch))).to.deep.equal(new Set([storage.epoch]));
      });

      it('takes no number for a transaction that changed nothing', async () => {
        const before = await storage.write(async (tx) => tx.sequence);
        expect(await storage.write(async (tx) => tx.sequence)).to.equal(before);
      });

      it('keeps the entries of one transaction under one number, in their order', async () => {
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

      it('tells listeners when the rows can be read already', async () => {
        const found: Promise<string[]>[] = [];
        storage.onCommit(() => found.push(names(storage)));
        await storage.write(async (tx) => {
          await addAccount(tx, 'a');
          tx.change(entry('a'));
        });
        expect(await Promise.all(found)).to.deep.equal([['a']]);
      });
    });

    describe('values', () => {
      const texts = [
        '',
        ' ',
        'é',
        'e\u0301',
        '\uffee',
        '😀',
        '\u0001\u001f\u007f',
        '"\\\'',
        '%_',
        'a\r\nb\tc',
        '\u2028',
      ];

      it('gives back every text as it was written', async () => {
        await storage.write((tx) =>
          tx.insert(
            'account',
            ACCOUNT,
            texts.map((text, index) => account(`${index}`, text)),
          ),
        );
        const rows = await storage.sql.all<{ email: string }>(
          'SELECT email FROM account ORDER BY created, id',
        );
        const sorted = [...texts.keys()].map(String).sort();
        expect(rows.map((row) => row.email)).to.deep.equal(sorted.map((index) => texts[Number(index)]));
        for (const text of texts) {
          const found = await storage.sql.all('SELECT id FROM account WHERE email = ?', [text]);
          expect(found, JSON.stringify(text)).to.have.length(1);
        }
      });

      it('orders texts by code point', async () => {
        const ordered = ['', '!', 'A', 'Z', 'a', 'aa', 'b', 'é', '\uffee', '😀'];
        await storage.write((tx) =>
          tx.insert(
            'account',
            ACCOUNT,
            [...ordered].reverse().map((text) => account(text, text)),
          ),
        );
        const rows = await storage.sql.all<{ id: string }>('SELECT id FROM account ORDER BY id');
        expect(rows.map((row) => row.id)).to.deep.equal(ordered);
      });

      it('keeps numbers as numbers and nothing as null', async () => {
        const big = Number.MAX_SAFE_INTEGER;
        await storage.write((tx) =>
          tx.insert(
            'installation',
            ['id', 'epoch', 'sequence', 'created'],
            [[big, 'x', 4_294_967_296, 'now']],
          ),
        );
        const row = await storage.sql.get('SELECT id, sequence FROM installation WHERE id = ?', [big]);
        expect(row).to.deep.equal({ id: big, sequence: 4_294_967_296 });
        await storage.write((tx) => addAccount(tx, 'a'));
        expect(await storage.sql.get('SELECT removed FROM account')).to.deep.equal({ removed: null });
      });

      it('inserts thousands of rows in one go, and none when there are none', async () => {
        const rows = Array.from({ length: 5000 }, (_, index) => account(`n${index}`, 'x'));
        await storage.write(async (tx) => {
          await tx.insert('account', ACCOUNT, rows);
          await tx.insert('account', ACCOUNT, []);
        });
        expect(await names(storage)).to.have.length(5000);
      });

      it('looks up any number of values at once', async () => {
        await storage.write((tx) =>
          tx.insert('account', ACCOUNT, [account('a', ''), account('😀"', ''), account('c', '')]),
        );
        const among = async (values: readonly string[]) => {
          const { text, parameter } = storage.sql.among('id', values);
          return (
            await storage.sql.all<{ id: string }>(`SELECT id FROM account WHERE ${text} ORDER BY id`, [
              parameter,
            ])
          ).map(({ id }) => id);
        };
        expect(await among([])).to.deep.equal([]);
        expect(await among(['c'])).to.deep.equal(['c']);
        const many = Array.from({ length: 40_000 }, (_, index) => `x${index}`);
        expect(await among([...many, '😀"', 'a'])).to.deep.equal(['a', '😀"']);
        const { text, parameter } = storage.sql.among('sequence', [0, 1, 2]);
        expect(
          await storage.sql.all(`SELECT id FROM installation WHERE ${text}`, [parameter]),
        ).to.have.length(1);
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

      it('goes on behind what is in use after a restart', async () => {
        const number = await storage.write(async (tx) => {
          const fresh = await tx.numbers('project', 3);
          await tx.insert('project', PROJECT, [project(fresh + 2)]);
          return fresh + 2;
        });
        storage = await store.reopen();
        expect(await storage.write((tx) => tx.numbers('project'))).to.be.greaterThan(number);
      });
    });

    describe('snapshots', () => {
      it('shows one state throughout, whatever is written meanwhile', async () => {
        await storage.write((tx) => addAccount(tx, 'a'));
        const [before, after] = await storage.snapshot(async (sql) => {
          const first = await sql.all('SELECT id FROM account');
          await storage.write((tx) => addAccount(tx, 'b'));
          return [first, await sql.all('SELECT id FROM account')];
        });
        expect(after).to.deep.equal(before);
        expect(await names(storage)).to.deep.equal(['a', 'b']);
      });

      it('gives its connection back when the work throws', async () => {
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

      it('serves more at once than it has connections', async () => {
        const all = Array.from({ length: 50 }, () =>
          storage.snapshot(async (sql) => (await sql.all('SELECT id FROM installation')).length),
        );
        expect(await Promise.all(all)).to.deep.equal(Array.from({ length: 50 }, () => 1));
      });
    });

    describe('restart', () => {
      it('has everything that was written, and goes on with the same epoch and the next sequence', async () => {
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

    pageSuite(() => storage);
  });
}

const ACCOUNT = ['id', 'name', 'email', 'created'];

function account(name: string, email: string): SqlValue[] {
  return [name, name, email, 'now'];
}

const PROJECT = ['number', 'id', 'name', 'sequence', 'model_sequence', 'created'];

function project(number: number): SqlValue[] {
  return [number, `project-${number}`, 'Project', 0, 0, 'now'];
}

function addAccount(tx: Transaction, name: string): Promise<number> {
  return tx.run('INSERT INTO account (id, name, email, created) VALUES (?, ?, ?, ?)', account(name, ''));
}

async function names(storage: Storage): Promise<string[]> {
  const rows = await storage.sql.all<{ name: string }>('SELECT name FROM account ORDER BY name');
  return rows.map((row) => row.name);
}

function entry(object: string): ChangeEntry {
  return {
    project: null,
    projectId: null,
    type: 'user',
    operation: 'upsert',
    object,
    tags: [`tag:${object}`],
    actor: null,
  };
}
