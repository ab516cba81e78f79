/** Several processes migrate one database, or find it migrated. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { programVersion } from '../../config/program-version.ts';
import { StartError } from '../../config/start-error.ts';
import { migrationsOf } from '../../core/storage/migrations/migration-list.ts';
import { Connections } from '../../core/storage/postgres/connections.ts';
import { migrateSchema } from '../../core/storage/postgres/migrate.ts';
import { migratePostgres } from '../../core/storage/postgres/migrate-postgres.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { Servers } from '../../core/storage/postgres/servers.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { longTest } from '../support/long-form.ts';
import { COUNTED, COUNTS, LISTED_BEFORE } from './author-counts.ts';

const NAMES = migrationsOf('postgres').map(({ name }) => name);

describe('migrations of a PostgreSQL database', () => {
  let server: PostgresServer;
  let database: string;
  let url: string;
  before(async () => {
    server = await postgresServer();
  });
  beforeEach(async () => {
    database = await server.create();
    url = server.url(database);
  });
  afterEach(() => server.drop(database));

  /** Another process that migrates, until it is ended. */
  async function migrating() {
    const { default: driver } = await import('pg');
    const other = new driver.Client(url);
    await other.connect();
    await other.query(`SELECT pg_advisory_lock(${0x48445752})`);
    return other;
  }

  it('are applied by one of several processes; the others wait and report that', async () => {
    const first = await migrating();
    const waited: number[] = [];
    const began: string[] = [];
    const all = [1, 2, 3].map(() =>
      migratePostgres(url, {
        waiting: (seconds) => waited.push(seconds),
        began: ({ name }) => began.push(name),
      }),
    );
    for (const ends = performance.now() + 10_000; waited.length < 3 && performance.now() < ends; )
      await pause(20);
    expect(waited).to.deep.equal([60, 60, 60]);
    await first.end();
    const done = await Promise.all(all);
    expect(began).to.deep.equal(NAMES);
    expect(done.map(({ count }) => count).sort((a, b) => a - b)).to.deep.equal([0, 0, NAMES.length]);
    expect(new Set(done.map(({ to }) => to))).to.deep.equal(new Set([NAMES.at(-1)]));
  });

  longTest('that another process has begun are not taken for tables of another application', async () => {
    const other = await migrating();
    await other.query('CREATE TABLE unfinished (number INTEGER)');
    const done = migratePostgres(url, {
      async waiting() {
        await other.query('DROP TABLE unfinished');
        await other.end();
      },
    });
    expect((await done).count).to.equal(NAMES.length);
  });

  longTest(
    'are not waited for any longer than allowed; the lock ends with the session of its process',
    async () => {
      const other = await migrating();
      const error = await migratePostgres(url, { waitSeconds: 0.3 }).catch((thrown: Error) => thrown);
      expect(error).to.be.instanceOf(StartError);
      expect((error as Error).message).to.match(
        /^The database \S+ at \S+ has been migrated by another process for 0\.3 s; start again when that has ended\.$/,
      );
      const waiting = migratePostgres(url, {});
      await other.end();
      expect((await waiting).count).to.equal(NAMES.length);
    },
  );

  it('of an empty database are undone together where one fails, and can be repeated', async () => {
    const failed = await migratePostgres(url, {
      began({ name }) {
        if (name === NAMES[3]) throw new Error('refused by the test');
      },
    }).catch((thrown: Error) => thrown.message);
    expect(failed).to.equal('refused by the test');
    expect((await migratePostgres(url, {})).from).to.equal(null);
  });

  it('of a database in use hold no table while they wait for one that a reader holds', async () => {
    const connections = await Connections.open(new Servers(url), 'test');
    const upTo = NAMES.filter((name) => name < '0024');
    await migrateSchema(connections.control, 'The database', { upTo });
    await connections.control.close();
    const { default: driver } = await import('pg');
    const reader = new driver.Client(url);
    await reader.connect();
    await reader.query('BEGIN; SELECT number FROM project');
    let read: Promise<unknown> | undefined;
    const migrating = migratePostgres(url, {
      began({ name }) {
        // The one before has changed the table of versions, a later one changes that of projects.
        if (name === '0032-preview-urls') read = reader.query('SELECT number FROM version; COMMIT');
      },
    });
    expect((await migrating).count).to.equal(NAMES.length - upTo.length);
    await read;
    await reader.end();
  });

  it('of a newer version are accepted where this one can use them; copies need that version', async () => {
    await migratePostgres(url, {});
    const add = async (name: string, version: string) => {
      await server.run(
        `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('${name}', 9, now());
         INSERT INTO knex_migrations_oldest VALUES ('${name}', '${version}')`,
        database,
      );
    };
    await add('9998-compatible', programVersion());
    const storage = await openPostgres({ url });
    const folder = await mkdtemp(join(tmpdir(), 'headwater-newer-'));
    try {
      const copied = await storage.copyTo(join(folder, 'copy')).catch((thrown: Error) => thrown);
      expect(copied).to.be.instanceOf(StartError);
      expect((copied as Error).message).to.match(/newer version \(migration 9998-compatible\)/);
    } finally {
      await storage.close();
      await rm(folder, { recursive: true });
    }
    await add('9999-incompatible', '1000.0.0');
    const error = await openPostgres({ url }).catch((thrown: Error) => thrown);
    expect((error as Error).message).to.match(/9999-incompatible, which needs version 1000\.0\.0 or newer;/);
  });

  it('count the listed items of each author that a database has', async () => {
    await migratePostgres(url, {});
    await server.run(
      `DELETE FROM knex_migrations WHERE name >= '0040';
       DELETE FROM knex_migrations_oldest WHERE migration >= '0040'; DROP TABLE listed_count; DROP INDEX job_listing, job_kind;
       DROP FUNCTION unlist_compiled, unlist_used_asset, unlist_language CASCADE;
       ALTER TABLE pending DROP COLUMN names_sequence; ALTER TABLE project DROP COLUMN names_sequence;
       CREATE TABLE listed_count (language BIGINT, type BIGINT, state BIGINT, count BIGINT);
       INSERT INTO listed_count VALUES (7, 3, 1, 4); ${LISTED_BEFORE}`,
      database,
    );
    const storage = await openPostgres({ url });
    try {
      expect(await storage.sql.all(COUNTS)).to.deep.equal(COUNTED);
    } finally {
      await storage.close();
    }
  });

  it('let a core of 0.2.0, which does not know preview URLs, remove an import that has some', async () => {
    await migratePostgres(url, {});
    await server.run(
      `INSERT INTO project (number, id, name, sequence, model_sequence, created) VALUES (1, 'one', 'One', 1, 1, '');
       INSERT INTO preview_url (project, position, url) VALUES (1, 0, 'https://example.org');
       DELETE FROM project`,
      database,
    );
    const left = await server.run('SELECT project FROM preview_url', database);
    expect(left.rows).to.deep.equal([]);
  });

  it('wait for running cores that would not work after them, and name their version', async () => {
    await migratePostgres(url, {});
    await server.run(
      `DELETE FROM knex_migrations WHERE name >= '0019-oldest-version';
       DROP TABLE presence, act, act_object, saved_view, preview_url; DROP INDEX job_updated;
       DROP TABLE session, sign_in_link, identity, person, role; ALTER TABLE membership DROP COLUMN roles; DROP TABLE knex_migrations_oldest;
       ALTER TABLE installation DROP COLUMN timeline; ALTER TABLE installation DROP COLUMN bucket_claim;
       ALTER TABLE running_core DROP COLUMN version;
       DROP TABLE listed, listed_count, unlisted, full_text; DROP FUNCTION unlist_items, unlist_variants CASCADE;
       DROP TABLE resolved_block, listed_asset, unlisted_asset; DROP FUNCTION unlist_asset, move_listed_asset, forget_blocks CASCADE;
       DROP FUNCTION unlist_compiled, unlist_used_asset, unlist_language CASCADE;
       ALTER TABLE job DROP COLUMN result; DROP INDEX change_actor, version_order, job_listing, job_kind;
       ALTER TABLE version DROP COLUMN sitting; ALTER TABLE pending DROP COLUMN names_sequence; ALTER TABLE project DROP COLUMN names_sequence;
       INSERT INTO running_core VALUES ('one', '{}', '[]', 0, clock_timestamp() + interval '1 hour')`,
      database,
    );
    const error = await migratePostgres(url, { waitSeconds: 0.3 }).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(StartError);
    expect((error as Error).message).to.match(
      /^The database \S+ at \S+ is used by a running core of version before 0\.2\.0, and migration 0019-oldest-version needs 0\.2\.0 or newer on all of them: stop that core first\.$/,
    );
    const waiting = migratePostgres(url, {});
    await pause(300);
    await server.run(`UPDATE running_core SET state = ''`, database);
    const undone = migrationsOf('postgres').filter((one) => one.name >= '0019-oldest-version');
    expect((await waiting).count).to.equal(undone.length);
  });

  it('are refused by a store that may not migrate, and are not missed by one that finds them', async () => {
    const migrations = { refusal: 'no' };
    const error = await openPostgres({ url, migrations }).catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(StartError);
    expect((error as Error).message).to.match(/has no tables yet, .*: run 'headwater migrate'/);
    await migratePostgres(url, {});
    await (await openPostgres({ url, migrations })).close();
  });
});
