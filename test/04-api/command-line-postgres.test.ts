/** Every command on a PostgreSQL database, beside a running service and without one. */
import '../support/database/postgres-programs.ts';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrationsOf } from '../../core/storage/migrations/migration-list.ts';
import { PostgresConnection } from '../../core/storage/postgres/connection.ts';
import { migrateSchema } from '../../core/storage/postgres/migrate.ts';
import { Servers } from '../../core/storage/postgres/servers.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { hasAllTests, longTest } from '../support/long-form.ts';
import { ADMIN_TOKEN, SAMPLE_PROJECT } from '../support/service/role-processes.ts';
import { runCommand, ServiceHere } from '../support/service/run-command.ts';
import type { Ended } from '../support/service/run-headwater.ts';

const NAMES = migrationsOf('postgres').map(({ name }) => name);
const NEWEST = NAMES.at(-1)!;

describe('the command line on PostgreSQL', function () {
  this.slow(3000);

  let server: PostgresServer;
  let folder: string;
  const databases: string[] = [];

  before(async () => {
    server = await postgresServer();
    folder = mkdtempSync(join(tmpdir(), 'headwater-commands-'));
  });
  after(async () => {
    for (const name of databases) await server.drop(name);
    rmSync(folder, { recursive: true });
  });

  async function create(): Promise<string> {
    const name = await server.create();
    databases.push(name);
    return name;
  }
  function environmentOf(database: string, data: string, more: Record<string, string> = {}) {
    return {
      HEADWATER_DATABASE_URL: server.url(database),
      HEADWATER_DATA_DIR: join(folder, data),
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_WORKERS__REMOTE: '127.0.0.1:1',
      HEADWATER_WORKERS__TOKEN: 'a-secret-of-core-and-worker-0123456789',
      ...more,
    };
  }
  async function done(answer: Promise<Ended>): Promise<string> {
    const { code, out, err } = await answer;
    expect(code, err).to.equal(0);
    return out;
  }

  describe('migrate', () => {
    let database: string;
    beforeEach(async () => {
      database = await create();
    });
    const migrate = (more: Record<string, string> = {}) =>
      runCommand(['migrate'], environmentOf(database, 'migrated', more));
    const command = { HEADWATER_MIGRATIONS: 'command' };

    it('creates the tables with progress, and says when there is nothing to do; no data folder is needed', async () => {
      const { code, out, err } = await migrate();
      expect({ code, out }).to.deep.equal({
        code: 0,
        out: `The database was created: its schema is ${NEWEST}.\n`,
      });
      expect(err.trim().split('\n')).to.deep.equal(
        NAMES.map((name, index) => `${name}, ${index + 1} of ${NAMES.length}`),
      );
      expect(await migrate()).to.deep.equal({
        code: 0,
        out: `The database is up to date: its schema is ${NEWEST}.\n`,
        err: '',
      });
      expect(existsSync(join(folder, 'migrated'))).to.equal(false);
    });

    longTest('names the schema before and after', async () => {
      await migrateTo(6);
      const { code, out } = await migrate(command);
      expect({ code, out }).to.deep.equal({
        code: 0,
        out: `The database was migrated from ${NAMES[5]} to ${NEWEST}: ${NAMES.length - 6} migrations.\n`,
      });
    });

    it('is what a core asks for that may not migrate', async () => {
      const name = `database ${database} at ${decodeURIComponent(new URL(server.url(database)).hostname)}:${server.port}`;
      const start = () => runCommand(['project', 'list'], environmentOf(database, 'refused', command));
      expect(await start()).to.deep.equal({
        code: 1,
        out: '',
        err: `headwater: The ${name} has no tables yet, and the setting migrations is 'command': run 'headwater migrate' with these settings first.\n`,
      });
      await migrateTo(6);
      expect((await start()).err).to.include(`has the older schema ${NAMES[5]}, and the setting`);
      await done(migrate(command));
      expect(await done(start())).to.match(/^ID/);
    });

    it('ends with 1 and a sentence where it cannot', async () => {
      await server.run('CREATE TABLE theirs (a int)', database);
      const { code, err } = await migrate();
      expect(code).to.equal(1);
      expect(err).to.match(
        /^headwater: The database \S+ at \S+ has tables of another application; [^\n]+\n$/,
      );
    });

    async function migrateTo(count: number): Promise<void> {
      const connection = await PostgresConnection.open({
        servers: new Servers(server.url(database)),
        session: '',
      });
      await migrateSchema(connection, 'The database', { upTo: NAMES.slice(0, count) });
      await connection.close();
    }
  });

  describe('on the data', () => {
    let database: string;
    let service: ServiceHere | undefined;
    before(async () => {
      database = await create();
      service = new ServiceHere(environmentOf(database, 'data'));
      await service.printed(/try +curl/);
    });
    after(() => stop());

    async function stop(): Promise<void> {
      expect((await service?.stop())?.code ?? 0).to.equal(0);
      service = undefined;
    }
    const run = (words: string, more: Record<string, string> = {}) =>
      runCommand(words.split(' '), environmentOf(database, 'data', more), folder);

    for (const isRunning of hasAllTests ? [true, false] : [true])
      describe(isRunning ? 'beside a running service' : 'without a service', () => {
        let project: string;
        const suffix = isRunning ? 'running' : 'stopped';
        before(async () => {
          if (!isRunning) await stop();
        });

        it('project create, project list', async () => {
          project = JSON.parse(await done(run(`project create --name ${suffix}`))).id;
          expect(await done(run('project list')))
            .to.include(project)
            .and.to.include(SAMPLE_PROJECT);
        });

        it('key create, key list, key regenerate', async () => {
          const created = JSON.parse(
            await done(run(`key regenerate --project ${project} --slot preview-primary`)),
          );
          expect(created.key).to.be.a('string');
          expect(await done(run(`key list --project ${project}`))).to.include('preview-primary');
        });

        it('generate, into a new project and into one that exists', async () => {
          const out = await done(run('generate --items 20'));
          const { project_id: made } = JSON.parse(out.trim().split('\n').at(-1)!);
          expect(JSON.parse((await done(run(`generate --items 5 --project ${made}`))).trim())).to.deep.equal({
            project_id: made,
          });
        });

        it('export, import', async () => {
          const file = join(folder, `${suffix}.tar`);
          await done(run(`export --project ${SAMPLE_PROJECT} --to ${file}`));
          const imported = JSON.parse(await done(run(`import --from ${file} --project ${randomUUID()}`)));
          expect(imported.project_id).not.to.equal(SAMPLE_PROJECT);
        });

        it('backup with its files, restore', async () => {
          await done(run(`backup --to ${suffix}`));
          const list = await done(run('project list'));
          await done(run('project create --name later'));
          expect((await run(`restore --from ${suffix}`)).code).to.equal(2);
          await done(run(`restore --from ${suffix} --replace`));
          expect(await done(run('project list'))).to.equal(list);
        });

        it(`unblock, reload: ${isRunning ? 'done by' : 'need'} the service`, async () => {
          for (const [words, out] of [
            ['unblock 192.0.2.1', '192.0.2.1 was not blocked.\n'],
            ['reload', 'Reloaded; no setting is different.\n'],
          ] as const) {
            const ended = await run(words);
            if (isRunning) expect(ended).to.include({ code: 0, out });
            else expect(ended.err).to.match(/^headwater: No service runs on the data folder [^\n]+\n$/);
          }
        });

        it('migrate, doctor', async () => {
          expect(await done(run('migrate'))).to.match(/up to date/);
          const { out } = await run('doctor');
          expect(out)
            .to.match(
              /^(?:ok|warn) +database +PostgreSQL \d+\S* .*database test_\d+ at \S+, answers in [\d.]+ ms(;|$)/m,
            )
            .and.to.match(new RegExp(`^ok +schema +up to date, ${NEWEST}$`, 'm'))
            .and.to.match(/^ok +content +\d+ projects, sequence \d+$/m)
            .and.to.match(/^ok +asset files +\d+, all there$/m)
            .and.to.match(/^ok +database rights +headwater may read, write, migrate and restore$/m)
            .and.to.match(/^ok +connections +\d+ for this user, \d+ in use; 1 core may open \d+$/m)
            .and.to.match(/^ok +clocks +the database's is \d+ ms (ahead|behind)$/m);
        });
      });
  });

  describe('restore', () => {
    longTest(
      'restores a backup with its files on another database, where doctor finds each that is missing',
      async () => {
        const other = await postgresDatabase();
        const environment = { ...environmentOf('', 'other'), HEADWATER_DATABASE_URL: other.url };
        try {
          await done(runCommand(['restore', '--from', 'stopped'], environment, folder));
          expect(await done(runCommand(['project', 'list'], environment))).to.include(SAMPLE_PROJECT);
          const files = (of: string) =>
            readdirSync(join(folder, of, 'files'), { recursive: true })
              .map(String)
              .filter(isFile)
              .sort();
          expect(files('other')).to.deep.equal(files('data')).and.to.have.length.above(10);
          expect((await runCommand(['doctor'], environment)).out).to.match(
            /^ok +asset files +\d+, all there$/m,
          );

          const [first = '', second = ''] = files('other');
          rmSync(join(folder, 'other', 'files', first));
          writeFileSync(join(folder, 'other', 'files', second), 'shorter');
          const { code, out } = await runCommand(['doctor'], environment);
          expect(code).to.equal(1);
          expect(out).to.match(
            /^bad +asset files +2 of \d+ missing or of another size \([^)]+, [^)]+\); check filesDir or filesUrl, or restore them/m,
          );
        } finally {
          await other.remove();
        }
      },
    );
  });

  describe('doctor', () => {
    let database: string;
    const doctor = (data = 'doctor', more: Record<string, string> = {}) =>
      runCommand(['doctor'], environmentOf(database, data, more));
    beforeEach(async () => {
      database = await create();
    });

    it('names the next step for a database without tables, which depends on the setting migrations', async () => {
      expect((await doctor()).out).to.match(
        /^warn +schema +there are no tables yet; the next start of a core applies them$/m,
      );
      const { code, out } = await doctor('doctor', { HEADWATER_MIGRATIONS: 'command' });
      expect(code).to.equal(1);
      expect(out).to.match(
        /^bad +schema +there are no tables yet; run 'headwater migrate' before a core starts$/m,
      );
    });

    it('finds settings that lose data or end sessions', async () => {
      for (const setting of [
        'synchronous_commit = off',
        `statement_timeout = '5s'`,
        'idle_session_timeout = 900',
      ])
        await server.run(`ALTER DATABASE ${database} SET ${setting}`);
      const { code, out } = await doctor();
      expect(code).to.equal(1);
      // The server of the tests.
      expect(out)
        .to.match(/^bad +durability +fsync and full_page_writes off: .*; set them to on$/m)
        .and.to.match(
          /^warn +database limits +statement_timeout is 5s, idle_session_timeout is 900ms: .*ALTER ROLE/m,
        );
    });

    it('finds missing rights and too few connections', async () => {
      await server.run('DROP ROLE IF EXISTS tenant');
      await server.run('CREATE ROLE tenant LOGIN CONNECTION LIMIT 12');
      const url = server.url(database).replace('//headwater@', '//tenant@');
      const rights = async (granted: string) => {
        await server.run(granted, database);
        const { code, out } = await doctor('doctor', { HEADWATER_DATABASE_URL: url });
        expect(code).to.equal(1);
        return out;
      };
      try {
        await done(runCommand(['migrate'], environmentOf(database, 'doctor')));
        expect(await rights('SELECT 1')).to.match(/^bad +database +The database \S+ at \S+ does not let/m);
        expect(await rights('GRANT SELECT ON ALL TABLES IN SCHEMA public TO tenant'))
          .to.match(/^bad +database rights +tenant may not write account, \S+, \S+ and \d+ more; grant it/m)
          .and.to.match(/^bad +connections +12 for this user, 0 in use; 1 core may open \d+; raise/m);
        const all = 'GRANT ALL ON ALL TABLES IN SCHEMA public TO tenant';
        const sequences = 'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO tenant';
        expect(await rights(`${all}; ${sequences}`)).to.match(
          /^warn +database rights +tenant cannot migrate the schema; run 'headwater migrate' as the owner/m,
        );
        expect(await rights(`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`)).to.match(
          /^bad +database rights +tenant may not make temporary objects; GRANT TEMPORARY ON DATABASE$/m,
        );
      } finally {
        await server.run('DROP OWNED BY tenant', database);
        await server.run('DROP ROLE tenant');
      }
    });

    it('says why it cannot connect, without the password', async () => {
      const url = 'postgres://headwater:not-for-any-message@127.0.0.1:9/x';
      const { code, out } = await doctor('doctor', { HEADWATER_DATABASE_URL: url });
      expect(code).to.equal(1);
      expect(out)
        .to.match(/^bad +database +The database x at 127\.0\.0\.1:9 does not answer \(ECONNREFUSED\);/m)
        .and.not.include('not-for-any-message');
    });
  });

  describe('check', () => {
    const check = (url: string) =>
      runCommand(['check'], environmentOf('none', 'checked', { HEADWATER_DATABASE_URL: url }));

    it('validates the URL of the database and its files, but does not connect', async () => {
      const out = await done(check('postgres://u:not-for-any-message@127.0.0.1:9/x'));
      expect(out)
        .to.match(/^database +PostgreSQL, database x at 127\.0\.0\.1:9; 'headwater doctor' connects to it$/m)
        .and.not.include('not-for-any-message');
      expect(await check('postgres://u@127.0.0.1:9/')).to.deep.include({
        code: 1,
        err: 'headwater: database: The URL of the database has no database; it has the form postgres://user:password@host:5432/database.\n',
      });
      const { code, err } = await check('postgres://u@127.0.0.1:9/x?sslrootcert=/no/file');
      expect(code).to.equal(1);
      expect(err).to.equal('headwater: database: the certificate file /no/file of its URL is not there.\n');
    });
  });
});

function isFile(path: string): boolean {
  return /^[0-9a-f]{2}.[0-9a-f]{62}$/.test(path);
}
