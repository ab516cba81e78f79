import '../support/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Storage, Transaction } from '../../core/storage/ports.ts';
import type { SqlValue } from '../../core/storage/sql.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { postgresDatabase } from '../support/postgres-database.ts';
import type { TestDatabase } from '../support/test-database.ts';

const TITLE = 'a0a0a0a0-0000-4000-8000-000000000001';
const BODY = 'a0a0a0a0-0000-4000-8000-000000000002';
const OPTION = 'b0b0b0b0-0000-4000-8000-000000000003';

describe('packed texts', () => {
  let folder: string;
  let storage: Storage;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-packed-'));
    storage = await open('content.sqlite');
  });
  afterEach(async () => {
    await storage.close();
    await rm(folder, { recursive: true });
  });

  const open = (name: string) => openSqlite({ file: join(folder, name) });

  const elements = (title: string, words = 'Rivers and bridges, \\ "quoted", \ttabs, 😀. ') =>
    JSON.stringify({ [TITLE]: title, [BODY]: { html: words.repeat(20), components: [] }, options: [OPTION] });

  async function fill(tx: Transaction): Promise<void> {
    const one = (table: string, columns: string, row: SqlValue[]) =>
      tx.insert(table, columns.split(' '), [row]);
    await one('project', 'number id name sequence model_sequence created', [1, 'p', 'P', 1, 1, 'now']);
    await one('language', 'number project ordinal id name codename active is_default', [
      1,
      1,
      0,
      'l',
      'L',
      'l',
      1,
      1,
    ]);
    await one('item', 'number project id created last_modified', [1, 1, 'i', 'now', 'now']);
    await one('variant', 'number item language last_modified', [1, 1, 1, 'now']);
  }

  const add = (tx: Transaction, ...texts: readonly (readonly [number: number, text: string])[]) =>
    tx.insert(
      'version',
      ['number', 'variant', 'elements', 'created', 'sequence'],
      texts.map(([number, text]) => [number, 1, text, 'now', 1]),
    );

  const texts = async (from: Storage = storage) =>
    (await from.sql.all<{ elements: string }>('SELECT elements FROM version ORDER BY number')).map(
      (row) => row.elements,
    );
  /** What was packed last is known without being read: here, other texts. */
  async function displaceRecent(): Promise<void> {
    const other = await open('displacing.sqlite');
    const many = Array.from(
      { length: 2500 },
      (_, index) => [index + 1, elements(`Displacing ${index}`)] as const,
    );
    await other
      .write(async (tx) => {
        await fill(tx);
        await add(tx, ...many);
      })
      .finally(() => other.close());
    for (const suffix of ['', '-wal', '-shm'])
      await rm(join(folder, `displacing.sqlite${suffix}`), { force: true });
  }

  const stored = (from: Storage = storage) =>
    from.sql.all<{ kind: string; size: number }>(
      'SELECT typeof(elements) AS kind, length(elements) AS size FROM version ORDER BY number',
    );
  const dictionaries = () =>
    storage.sql.all<{ text: string }>('SELECT CAST(bytes AS TEXT) AS text FROM text_dictionary');

  it('take less than half, and are read as they were written', async () => {
    const written = [elements('One'), '{}', elements('Two'), elements('Three', '€uro ')];
    await storage.write(async (tx) => {
      await fill(tx);
      await add(tx, ...written.map((text, index) => [index + 1, text] as const));
      const row = await tx.get<{ elements: string }>('SELECT elements FROM version WHERE number = 1');
      expect(row?.elements).to.equal(written[0]);
    });
    expect(await texts()).to.deep.equal(written);
    const rows = await stored();
    expect(rows.map(({ kind }) => kind)).to.deep.equal(['blob', 'text', 'blob', 'blob']);
    for (const at of [0, 2, 3])
      expect(rows[at]?.size, `text ${at}`).to.be.below(Buffer.byteLength(written[at] ?? '') / 2);
    await storage.close();
    await displaceRecent();
    storage = await open('content.sqlite');
    expect(await texts()).to.deep.equal(written);
  });

  it('share one dictionary for a type, which has none of their words', async () => {
    await storage.write(async (tx) => {
      await fill(tx);
      await add(tx, [1, elements('Secretive')], [2, elements('Other')]);
    });
    await storage.write((tx) => add(tx, [3, elements('Third')]));
    const [only, ...more] = await dictionaries();
    expect(more).to.deep.equal([]);
    expect(only?.text).to.include(BODY).and.to.include(OPTION);
    expect(only?.text).not.to.match(/secretive|rivers/i);
  });

  it('need no dictionary of a transaction that was undone', async () => {
    await storage.write(fill);
    const failure = new Error('undone');
    const undone = await storage
      .write(async (tx) => {
        await add(tx, [1, elements('One')]);
        throw failure;
      })
      .catch((error: unknown) => error);
    expect(undone).to.equal(failure);
    expect(await dictionaries()).to.deep.equal([]);
    await storage.write((tx) => add(tx, [1, elements('Two')]));
    expect(await dictionaries()).to.have.length(1);
    await storage.close();
    storage = await open('content.sqlite');
    expect(await texts()).to.deep.equal([elements('Two')]);
  });

  it('may be long, but make no dictionary then', async () => {
    const long = elements('Long', `${'abcdefghij'.repeat(30_000)} `);
    await storage.write(async (tx) => {
      await fill(tx);
      // No dictionary is made of so long a text.
      await add(tx, [1, long]);
      await add(tx, [2, elements('Short')]);
      await add(tx, [3, long]);
    });
    expect((await stored()).map(({ kind }) => kind)).to.deep.equal(['text', 'blob', 'blob']);
    await displaceRecent();
    expect(await texts()).to.deep.equal([long, elements('Short'), long]);
  });

  it('stand beside the plain ones of an older version', async () => {
    await storage.write(async (tx) => {
      await fill(tx);
      const plain = `INSERT INTO version (number, variant, elements, created, sequence) VALUES (1, 1, ?, 'now', 1)`;
      await tx.run(plain, [elements('Old')]);
      await add(tx, [2, elements('New')]);
    });
    expect((await stored()).map(({ kind }) => kind)).to.deep.equal(['text', 'blob']);
    expect(await texts()).to.deep.equal([elements('Old'), elements('New')]);
  });

  it('come back with a copy, into a file that has dictionaries of its own', async () => {
    const written = [elements('One'), elements('Two')];
    await storage.write(async (tx) => {
      await fill(tx);
      await add(tx, ...written.map((text, index) => [index + 1, text] as const));
    });
    const copy = join(folder, 'copy.sqlite');
    await storage.copyTo(copy);
    const digests = await storage.digests();
    const other = await open('other.sqlite');
    try {
      await other.write(async (tx) => {
        await fill(tx);
        await add(tx, [9, JSON.stringify({ ...JSON.parse(elements('Nine')), more: 'x'.repeat(300) })]);
      });
      await displaceRecent();
      await other.replaceWith(copy);
      expect(await texts(other)).to.deep.equal(written);
      expect((await other.digests()).find(({ table }) => table === 'version')).to.deep.equal(
        digests.find(({ table }) => table === 'version'),
      );
      await other.write((tx) => add(tx, [10, elements('Ten')]));
      expect(await texts(other)).to.deep.equal([...written, elements('Ten')]);
    } finally {
      await other.close();
    }
  });

  describe('and PostgreSQL', () => {
    let database: TestDatabase;
    let server: Storage;
    before(async function () {
      this.timeout(120_000);
      database = await postgresDatabase();
      server = await database.open('');
    });
    after(async () => {
      await server.close();
      await database.remove();
    });

    it('are texts there, with the same digests, and plain in a copy of it', async () => {
      const written = [elements('One'), '{}', elements('Two'), elements('Back\\slash', 'a\\b ')];
      await storage.write(async (tx) => {
        await fill(tx);
        await add(tx, ...written.map((text, index) => [index + 1, text] as const));
      });
      await storage.copyTo(join(folder, 'copy.sqlite'));
      await displaceRecent();
      await server.replaceWith(join(folder, 'copy.sqlite'), undefined, 'compared');
      expect(await texts(server)).to.deep.equal(written);
      const digestOf = async (from: Storage) =>
        (await from.digests()).find(({ table }) => table === 'version');
      expect(await digestOf(server)).to.deep.equal(await digestOf(storage));
      await server.copyTo(join(folder, 'back.sqlite'));
      await storage.replaceWith(join(folder, 'back.sqlite'));
      expect((await stored()).map(({ kind }) => kind)).to.deep.equal(['text', 'text', 'text', 'text']);
      expect(await texts()).to.deep.equal(written);
    });
  });
});
