/** Stored values are read back unchanged. */
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { ACCOUNT, account, addAccount, names } from './account-rows.ts';

export function valueSuite(current: () => Storage): void {
  let storage: Storage;
  beforeEach(() => {
    storage = current();
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

    it('returns every text unchanged', async () => {
      await storage.write((tx) =>
        tx.insert(
          'account',
          ACCOUNT,
          texts.map((text, index) => account(`${index}`, text)),
        ),
      );
      const rows = await storage.sql.all<{ email: string }>('SELECT email FROM account ORDER BY created, id');
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

    it('returns numbers as numbers and null as null', async () => {
      const big = Number.MAX_SAFE_INTEGER;
      await storage.write((tx) =>
        tx.insert('installation', ['id', 'epoch', 'sequence', 'created'], [[big, 'x', 4_294_967_296, 'now']]),
      );
      const row = await storage.sql.get('SELECT id, sequence FROM installation WHERE id = ?', [big]);
      expect(row).to.deep.equal({ id: big, sequence: 4_294_967_296 });
      await storage.write((tx) => addAccount(tx, 'a'));
      expect(await storage.sql.get('SELECT removed FROM account')).to.deep.equal({ removed: null });
    });

    it('inserts thousands of rows at once, and none for an empty list', async () => {
      const rows = Array.from({ length: 5000 }, (_, index) => account(`n${index}`, 'x'));
      await storage.write(async (tx) => {
        await tx.insert('account', ACCOUNT, rows);
        await tx.insert('account', ACCOUNT, []);
      });
      expect(await names(storage)).to.have.length(5000);
    });

    it('refuses U+0000 in texts, wherever they enter', async () => {
      const refused = async (work: Promise<unknown>) => {
        const error = await work.catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(ServiceError);
        expect((error as ServiceError).status).to.equal(400);
      };
      const select = 'SELECT id FROM account WHERE id = ?';
      await refused(storage.write((tx) => addAccount(tx, 'a\0')));
      await refused(storage.write((tx) => tx.insert('account', ACCOUNT, [account('a', 'b\0c')])));
      await refused(storage.write((tx) => tx.upsert('account', 'id', ACCOUNT, [account('\0', '')])));
      await refused(storage.write((tx) => tx.get(select, ['\0'])));
      await refused(storage.sql.all(select, ['a\0']));
      await refused(storage.snapshot((sql) => sql.get(select, ['a\0'])));
      expect(await names(storage)).to.deep.equal([]);
    });

    it('finds any number of values at once', async () => {
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
      expect(await storage.sql.all(`SELECT id FROM installation WHERE ${text}`, [parameter])).to.have.length(
        1,
      );
    });
  });
}
