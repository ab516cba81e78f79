/**
 * How PostgreSQL runs listings: it must keep to the chosen access path among many documents, also while its statistics are
 * missing or out of date.
 */
import '../support/database/postgres-programs.ts';
import { expect } from 'chai';
import { Listings } from '../../core/storage/listings/listings.ts';
import { readDocuments, resolveItems } from '../../core/storage/listings/read-documents.ts';
import { PostgresConnection } from '../../core/storage/postgres/connection.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { POSTGRES_READS } from '../../core/storage/postgres/read-dialect.ts';
import { READER_SESSION } from '../../core/storage/postgres/reader-session.ts';
import { Servers } from '../../core/storage/postgres/servers.ts';
import { COUNT_LIMIT } from '../../core/storage/query-cost.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { hasAllTests } from '../support/long-form.ts';
import { VIEW } from './compiled-fixture.ts';
import { check, explained, recorder, statementsOf } from './explained-plans.ts';
import { COUNTS, ITEMS, LISTINGS, MODEL_ROWS, OTHER_ROWS, plan, rows } from './many-documents.ts';

describe('plans of PostgreSQL for listings', () => {
  let server: PostgresServer;

  before(async () => {
    server = await postgresServer();
  });

  const states: Readonly<Record<string, (database: string) => Promise<void>>> = {
    'that was never counted': async (database) => {
      await server.run(MODEL_ROWS + rows(1, ITEMS) + OTHER_ROWS + COUNTS, database);
    },
    'that was counted when it was nearly empty': async (database) => {
      await server.run(`${MODEL_ROWS}${rows(1, 40)}; ANALYZE`, database);
      await server.run(rows(41, ITEMS) + OTHER_ROWS + COUNTS, database);
    },
    'that vacuum keeps current': async (database) => {
      await server.run(MODEL_ROWS + rows(1, ITEMS) + OTHER_ROWS + COUNTS, database);
      await server.run('VACUUM ANALYZE', database);
    },
  };
  // The statistics that mislead the most.
  const misleading = 'that was counted when it was nearly empty';
  for (const [state, make] of Object.entries(states).filter(([one]) => hasAllTests || one === misleading))
    describe(`in a database ${state}`, () => {
      let database: string;
      let connection: PostgresConnection;

      before(async () => {
        database = await server.create();
        const url = server.url(database);
        await (await openPostgres({ url })).close();
        await make(database);
        connection = await PostgresConnection.open({ servers: new Servers(url), session: READER_SESSION });
      });
      after(async () => {
        await connection?.close();
        await server.drop(database);
      });

      for (const [title, listed] of Object.entries(LISTINGS))
        it(`read ${title} by its index, as far as the page reaches`, async () => {
          const statements = await statementsOf(connection, listed.plan);
          const plans = await explained(connection, statements);
          // Before the page, index rows of its conditions are counted.
          for (const counted of plans.slice(0, -1)) check(counted, { read: COUNT_LIMIT, sorted: 0 });
          for (const page of plans.slice(-1)) check(page, listed);
        });

      it('read documents and what items resolve to by their numbers', async () => {
        const listings = new Listings(POSTGRES_READS);
        const numbers = Array.from({ length: 20 }, (_, index) => 1 + index * 50);
        const { sql, statements } = recorder(connection);
        expect(await readDocuments(sql, listings, numbers)).to.have.length(20);
        expect((await resolveItems(sql, listings, 1, VIEW.de, numbers)).documents.size).to.equal(20);
        for (const plan of await explained(connection, statements)) check(plan, { read: 20, sorted: 0 });
      });
    });

  it('of a listing without an order that an index has show a sort of all documents, or these tests show nothing', async () => {
    const database = await server.create();
    const url = server.url(database);
    await (await openPostgres({ url })).close();
    await server.run(MODEL_ROWS + rows(1, ITEMS) + COUNTS, database);
    const connection = await PostgresConnection.open({ servers: new Servers(url), session: READER_SESSION });
    try {
      const statements = await statementsOf(
        connection,
        plan({ order: { by: 'language', descending: false } }),
      );
      const plans = await explained(connection, statements);
      expect(() => {
        for (const each of plans) check(each, { read: 300, sorted: 100 });
      }).to.throw(`sorts ${ITEMS} rows`);
    } finally {
      await connection.close();
      await server.drop(database);
    }
  });
});
