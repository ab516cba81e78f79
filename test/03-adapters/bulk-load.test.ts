/** Indexes that a load leaves out. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { COMPILED_COLUMNS } from '../../core/storage/compiled-rows.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { dropIndexes } from '../../core/storage/sqlite/bulk-load.ts';
import { Connection } from '../../core/storage/sqlite/connection.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { longTest } from '../support/long-form.ts';

describe('a load of many items into SQLite', () => {
  let folder: string;
  let file: string;
  let storage: Storage;
  let made: number;

  const open = async (isCommand = true) => {
    storage = await openSqlite({ file, migrations: { indexing: () => made++ } });
    await storage.startCore(async () => {}, { isCommand });
  };
  const indexes = async () =>
    (
      await storage.sql.all<{ sql: string }>(
        `SELECT sql FROM sqlite_master WHERE name IN ('entry_key', 'change_object') ORDER BY name`,
      )
    ).map(({ sql }) => sql);
  const indexesMeanwhile = (items: number) => storage.load(items, indexes, () => made++);
  const documents = (count: number) =>
    storage.write(async (tx) => {
      const first = await tx.numbers('document', count);
      const rows = Array.from({ length: count }, (_, at) => [
        first + at,
        1,
        at,
        1,
        1,
        at,
        1,
        0,
        '',
        '',
        '',
        '',
      ]);
      await tx.insert('document', COMPILED_COLUMNS.document, rows);
    });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "headwater-it's-load-"));
    file = join(folder, 'headwater.db');
    made = 0;
    await open();
  });
  afterEach(async () => {
    await storage.close();
    await rm(folder, { recursive: true });
  });

  it('writes two indexes at its end, as migrations make them', async () => {
    const before = await indexes();
    expect(before).to.have.length(2);
    expect(await indexesMeanwhile(1000)).to.deep.equal([]);
    expect(await indexes()).to.deep.equal(before);
    expect(made).to.equal(1);
    const none = { document: [], uses: [], entry: [], resolved: [], kept: [] };
    await storage.write((tx) => tx.replaceDocuments([1], [1], none));
  });

  it('keeps the indexes for few items, for few beside those that are there, and in a service', async () => {
    expect(await indexesMeanwhile(999)).to.have.length(2);
    await documents(4001);
    expect(await indexesMeanwhile(1000)).to.have.length(2);
    expect(await indexesMeanwhile(1001)).to.have.length(0);
    await storage.close();
    await open(false);
    expect(await indexesMeanwhile(1_000_000)).to.have.length(2);
  });

  it('counts the documents that are there, not those that were replaced', async () => {
    await storage.write((tx) => tx.numbers('document', 1_000_000));
    await documents(1);
    expect(await indexesMeanwhile(1000)).to.have.length(0);
  });

  it('sorts in the data folder for no longer than it writes them', async () => {
    await indexesMeanwhile(1000);
    expect(made).to.equal(1);
    expect(await storage.sql.all('PRAGMA temp_store_directory')).to.deep.equal([]);
  });

  longTest('is done with the indexes where they cannot be left out', async () => {
    const other = await Connection.open(file, { readOnly: false });
    // For longer than a statement waits.
    await other.execute('BEGIN IMMEDIATE');
    const kept = await storage.load(1000, async () => {
      await other.execute('ROLLBACK');
      return indexes();
    });
    await other.close();
    expect(kept).to.have.length(2);
  });

  it('writes them where it fails', async () => {
    const failed = await storage.load(1000, () => Promise.reject(new Error('refused'))).catch(String);
    expect(failed).to.equal('Error: refused');
    expect(await indexes()).to.have.length(2);
  });

  it('leaves them to the next start where its process is killed, also several times', async () => {
    for (let kill = 1; kill <= 2; kill++) {
      await storage.close();
      const connection = await Connection.open(file, { readOnly: false });
      await dropIndexes(connection);
      await connection.close();
      await open(false);
      expect(await indexes()).to.have.length(2);
      expect(made).to.equal(kill);
    }
    await storage.close();
    await open();
    expect(made).to.equal(2);
  });

  it('says that the content is complete where they cannot be written', async () => {
    // One of them has no table then.
    const failed = await storage
      .load(1000, () => storage.write((tx) => tx.run('ALTER TABLE change RENAME TO change_of_before')))
      .catch((error: Error) => error.message);
    expect(failed).to.match(
      /^All content was written, but not all indexes .* the next start writes: .*no such table/,
    );
    await storage.write((tx) => tx.run('ALTER TABLE change_of_before RENAME TO change'));
  });
});
