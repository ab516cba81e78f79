/** Stored values are read back unchanged. */
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import { COMPILED_COLUMNS } from '../../core/storage/compiled-rows.ts';
import type { PagePlan } from '../../core/storage/page-plan.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { ACCOUNT, account, addAccount, names } from './account-rows.ts';
import { fill, plan } from './compiled-fixture.ts';

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

    it('returns what all of many rows have in common, and what differs between them', async () => {
      const columns = ['document', 'slot', 'key', 'codename', 'visible', 'item'];
      const rows = (codename: string) =>
        Array.from({ length: 150 }, (_, at) => [at + 1, 2 ** 40, '😀 "\\\'\u2028', codename, 3, at % 2]);
      const written = async () =>
        (await storage.sql.all(`SELECT ${columns.join(', ')} FROM entry ORDER BY document`)).map((row) =>
          columns.map((column) => row[column]),
        );
      await storage.write((tx) => tx.insert('entry', columns, rows('first')));
      expect(await written()).to.deep.equal(rows('first'));
      await storage.write((tx) => tx.upsert('entry', 'document, slot, key', columns, rows('second')));
      expect(await written()).to.deep.equal(rows('second'));
    });

    it('returns every text of a document unchanged, inserted, compiled and replaced in part', async () => {
      const columns = COMPILED_COLUMNS.document;
      const document = (number: number, components: string, body: string, layout: string) =>
        [number, 1, number, 1, 1, number, 3, 7, 'slug', components, body, layout] as const;
      const written = async () =>
        (await storage.sql.all(`SELECT ${columns.join(', ')} FROM document ORDER BY number`)).map((row) =>
          columns.map((column) => row[column]),
        );
      const rows = texts.map((text, at) => document(at + 1, text, `${text}/${text}`, texts.at(at - 1)!));
      await storage.write((tx) => tx.insert('document', columns, rows));
      expect(await written()).to.deep.equal(rows);
      const items = rows.map(([number]) => number);
      const compiled = rows.map((_, at) => document(at + 100, '', texts[at]!, ''));
      const none = { uses: [], entry: [], resolved: [], kept: [] };
      await storage.write((tx) =>
        tx.replaceDocuments(items, [], { ...none, document: compiled.slice(0, 1) }),
      );
      await storage.write((tx) => tx.replaceDocuments([], [], { ...none, document: compiled.slice(1) }));
      expect(await written()).to.deep.equal(compiled);
      const changed = compiled.map(([number]) => document(number, 'other', '😀', 'not written'));
      await storage.write((tx) => tx.upsert('document', 'number', columns, changed, ['components', 'body']));
      expect(await written()).to.deep.equal(compiled.map(([number]) => document(number, 'other', '😀', '')));
    });

    it('returns every text of a version unchanged, also a long one', async () => {
      const columns = ['number', 'variant', 'elements', 'created', 'account', 'sequence'];
      const rows = [...texts, '😀é'.repeat(100_000)].map((text, at) => [at + 1, 1, text, 'now', null, at]);
      await fill(storage);
      await storage.write(async (tx) => {
        await tx.insert('variant', ['number', 'item', 'language', 'last_modified'], [[1, 1, 1, 'now']]);
        await tx.insert('version', columns, rows);
      });
      const written = await storage.sql.all(`SELECT ${columns.join(', ')} FROM version ORDER BY number`);
      expect(written.map((row) => columns.map((column) => row[column]))).to.deep.equal(rows);
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

    it('orders and limits listings by code point', async () => {
      await fill(storage);
      const words = 9 * 256;
      const keys = ['=😀', '=ä', '=a', '=B', '=_'];
      const codenames = ['a_b', 'ab', 'a1', 'b', 'a'];
      await storage.write(async (tx) => {
        const rows = keys.map((key, index) => [index + 1, words, key, codenames[index]!, 1, index + 1]);
        await tx.insert('entry', ['document', 'slot', 'key', 'codename', 'visible', 'item'], rows);
        for (const [index, codename] of codenames.entries())
          await tx.run('UPDATE resolved SET codename = ? WHERE item = ?', [codename, index + 1]);
      });
      const items = async (part: Partial<PagePlan>) => (await storage.page(plan(part))).items;
      const order = { by: 'slots', slots: [words], lacking: [], descending: false } as const;
      expect(await items({ order })).to.deep.equal([4, 5, 3, 2, 1]);
      expect(await items({ order: { ...order, descending: true } })).to.deep.equal([1, 2, 3, 5, 4]);
      const from = { key: '=B', inclusive: false };
      const to = { key: '=ä', inclusive: false };
      const between = { on: 'slots', slots: [words], test: { kind: 'range', from, to } } as const;
      expect(await items({ order, conditions: [between] })).to.deep.equal([5, 3]);
      expect(await items({})).to.deep.equal([5, 3, 1, 2, 4]);
      expect(await items({ after: 'a1' })).to.deep.equal([1, 2, 4]);
      const named = {
        on: 'codename',
        test: { kind: 'range', from: { key: '=a_', inclusive: true } },
      } as const;
      expect(await items({ conditions: [named] })).to.deep.equal([1, 2, 4]);
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
      await refused(
        storage.snapshot(async (sql) => {
          const { text, parameter } = sql.among('id', ['a', 'b\0']);
          return sql.all(`SELECT id FROM account WHERE ${text}`, [parameter]);
        }),
      );
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
