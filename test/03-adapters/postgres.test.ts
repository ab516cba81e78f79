import '../support/database/postgres-programs.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { POSTGRES_READS } from '../../core/storage/postgres/read-dialect.ts';
import { statementText } from '../../core/storage/postgres/statement-text.ts';
import { postgresServer } from '../support/database/postgres.ts';
import { emptyTables, postgresDatabase } from '../support/database/postgres-database.ts';
import type { TestDatabase } from '../support/database/test-database.ts';
import { longTest } from '../support/long-form.ts';
import { ACCOUNT, account } from './account-rows.ts';
import { CATEGORIES, category, plan } from './many-documents.ts';
import { emptyStore, forgetCounts, storageSuite } from './storage-suite.ts';
import { valueSuite } from './value-suite.ts';

storageSuite('PostgreSQL', async (clock) => {
  const database = await postgresDatabase();
  let storage = await database.open('', clock);
  return {
    storage,
    async reopen() {
      await storage.close();
      storage = await database.open('', clock);
      return storage;
    },
    async empty() {
      await emptyTables(storage);
      forgetCounts(storage, POSTGRES_READS);
    },
    async dispose() {
      await storage.close();
      await database.remove();
    },
  };
});

describe('storage: PostgreSQL in a database that sorts by language', () => {
  const current = emptyStore(async (clock) => {
    const server = await postgresServer();
    const name = await server.create(`TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`);
    const { rows } = await server.run(`SELECT 'a' < 'B' AS is_sorted`, name);
    expect(rows).to.deep.equal([{ is_sorted: true }]);
    const storage = await openPostgres({ url: server.url(name), clock });
    return {
      storage,
      empty: () => emptyTables(storage),
      async dispose() {
        await storage.close();
        await server.drop(name);
      },
    };
  });

  valueSuite(current);
});

describe('statements of PostgreSQL', () => {
  let database: TestDatabase;
  let storage: Storage;
  before(async () => {
    database = await postgresDatabase();
    storage = await database.open('');
  });
  afterEach(() => emptyTables(storage));
  after(async () => {
    await storage?.close();
    await database?.remove();
  });

  it('have numbered parameters, but not within texts, names and comments', () => {
    const { text } = statementText(`SELECT '?', 'it''s ?', "a?b", ? -- why?\n, ? WHERE x = ?`);
    expect(text).to.equal(`SELECT '?', 'it''s ?', "a?b", $1 -- why?\n, $2 WHERE x = $3`);
  });

  it('fail where a number is above 2^53, instead of returning another one', async () => {
    const read = (number: string) => storage.sql.get(`SELECT ${number} AS number`);
    expect(await read('9007199254740991')).to.deep.equal({ number: Number.MAX_SAFE_INTEGER });
    expect(await read('-9007199254740991::numeric')).to.deep.equal({ number: -Number.MAX_SAFE_INTEGER });
    for (const number of ['9007199254740993', '-9007199254740993', '9007199254740993::numeric'])
      expect(await read(number).catch((error: Error) => error.message)).to.match(/above 2\^53/);
    expect(await read('1')).to.deep.equal({ number: 1 });
  });

  it('of any number are prepared without filling the memory of the server', async () => {
    const reader = storage.reader({ class: 'lookup', share: 'one' });
    for (let index = 0; index < 1200; index++)
      expect(await reader.sql.get(`SELECT ${index} AS number`)).to.deep.equal({ number: index });
    const row = await reader.sql.get<{ count: number }>(
      'SELECT count(*) AS count FROM pg_prepared_statements',
    );
    expect(row?.count).to.be.within(1, 1001);
  });

  it('with words of a search are not prepared, so that searches do not end the session', async () => {
    const { sql } = storage.reader({ class: 'lookup', share: 'one' });
    const session = 'SELECT pg_backend_pid() AS pid';
    const counted = 'SELECT count(*) AS count FROM pg_prepared_statements';
    const before = [await sql.get(session), await sql.get(counted), await sql.get(counted)];
    for (let index = 0; index < 1200; index++) {
      const { text, parameters } = sql.matching({ phrases: [[`word${index}`]], isOpen: false }, 1);
      expect(await sql.all(text, parameters)).to.deep.equal([]);
    }
    expect([await sql.get(session), await sql.get(counted)]).to.deep.equal([before[0], before[2]]);
  });

  longTest('of any length are prepared without filling the memory of the server', async () => {
    const reader = storage.reader({ class: 'lookup', share: 'one' });
    const memory = 'SELECT sum(total_bytes) / 1000000.0 AS megabytes FROM pg_backend_memory_contexts';
    // Each of these pages takes 3 MB.
    for (let count = 200; count < 230; count++) {
      await reader.page(plan({ conditions: Array.from({ length: count }, () => category(CATEGORIES)) }));
      const row = await reader.sql.get<{ megabytes: number }>(memory);
      expect(row?.megabytes).to.be.below(60);
    }
  });

  it('are planned with statistics after an import', async () => {
    const counted = `SELECT reltuples AS rows FROM pg_class WHERE relname = 'account'`;
    await storage.write((tx) => tx.insert('account', ACCOUNT, [account('a', ''), account('b', '')]));
    await storage.gatherStatistics();
    expect(await storage.sql.get(counted)).to.deep.equal({ rows: 2 });
  });

  it('are planned with statistics soon after a table has grown', async () => {
    const counted = `SELECT reltuples AS rows FROM pg_class WHERE relname = 'account'`;
    await storage.write((tx) =>
      tx.insert(
        'account',
        ACCOUNT,
        Array.from({ length: 150 }, (_, index) => account(`grown ${index}`, '')),
      ),
    );
    const { count } = (await storage.sql.get<{ count: number }>('SELECT count(*) AS count FROM account'))!;
    const deadline = Date.now() + 20_000;
    let rows: unknown;
    while (rows !== count && Date.now() < deadline) {
      ({ rows } = (await storage.sql.get<{ rows: number }>(counted))!);
      await pause(20);
    }
    expect(rows).to.equal(count);
  });

  it('cannot write where they read', async () => {
    const error = await storage.sql.all('DELETE FROM account').catch((thrown: Error) => thrown.message);
    expect(error).to.match(/read-only/);
  });

  it('store half a surrogate pair as U+FFFD, in rows as in parameters', async () => {
    await storage.write(async (tx) => {
      await tx.insert('account', ACCOUNT, [account('row\ud800', '😀 \udc00!')]);
      await tx.run('UPDATE account SET created = ?', ['\ud83d']);
    });
    expect(await storage.sql.all('SELECT id, email, created FROM account')).to.deep.equal([
      { id: 'row\ufffd', email: '😀 \ufffd!', created: '\ufffd' },
    ]);
  });
});
