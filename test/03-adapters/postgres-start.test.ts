/** A database that cannot be used is refused at the start, with one sentence that contains no secret. */
import '../support/database/postgres-programs.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { StartError } from '../../config/start-error.ts';
import { migrationsOf } from '../../core/storage/migrations/migration-list.ts';
import { PostgresConnection } from '../../core/storage/postgres/connection.ts';
import { migrateSchema } from '../../core/storage/postgres/migrate.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { refuseServer } from '../../core/storage/postgres/server-checks.ts';
import { Servers } from '../../core/storage/postgres/servers.ts';
import { loadCertificate } from '../../gateway/listeners/certificate.ts';
import {
  POSTGRES_PASSWORD,
  type PostgresServer,
  postgresServer,
  startPostgres,
} from '../support/database/postgres.ts';
import { migratedDatabase } from '../support/database/postgres-database.ts';
import { freePort } from '../support/gateway/run-gateway.ts';
import { hasAllTests, longTest } from '../support/long-form.ts';
import { realProgram } from '../support/programs/real-program.ts';

const SECRET = 'not-for-any-message';

describe('the start on PostgreSQL', () => {
  let server: PostgresServer;
  let database: string;
  before(async () => {
    server = await postgresServer();
  });
  beforeEach(async () => {
    database = await server.create();
  });
  afterEach(() => server.drop(database));

  async function refusal(url: string): Promise<string> {
    const error: unknown = await openPostgres({ url }).then(
      async (storage) => {
        await storage.close();
        return undefined;
      },
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(StartError);
    const { message } = error as Error;
    expect(message).to.match(/^[A-Z][^\n]*\.$/);
    expect(message).not.to.include(SECRET).and.not.to.include(POSTGRES_PASSWORD);
    return message;
  }

  longTest('migrates an empty database, for several processes at once', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openPostgres({ url: server.url(database) })));
    expect(new Set(opened.map(({ epoch }) => epoch)).size).to.equal(1);
    for (const storage of opened) await storage.close();
  });

  it('names the process in its sessions, unless the URL has another name', async () => {
    const url = server.url(database);
    const named = `${url}${url.includes('?') ? '&' : '?'}application_name=other`;
    for (const [from, name] of [
      [url, 'headwater core-a'],
      [named, 'other'],
    ] as const) {
      const storage = await openPostgres({ url: from, application: 'headwater core-a' });
      const row = await storage.sql.get("SELECT current_setting('application_name') AS name");
      await storage.close();
      expect(row).to.deep.equal({ name });
    }
  });

  it('uses the first of several hosts that answers, over TCP with a password', async () => {
    const url = new URL(server.tcpUrl(database));
    const hosts = url.href.replace(url.host, `127.0.0.1:9,${url.host},127.0.0.1:8`);
    const storage = await openPostgres({ url: hosts });
    expect(await storage.sql.get('SELECT sequence FROM installation')).to.deep.equal({ sequence: 0 });
    await storage.close();
    expect(await refusal(url.href.replace(url.host, '127.0.0.1:9,127.0.0.1:8'))).to.match(
      /127\.0\.0\.1:9, 127\.0\.0\.1:8 does not answer/,
    );
  });

  const urls: readonly (readonly [string, string, RegExp])[] = [
    ['that is none', `${SECRET} `, /is not valid/],
    ['of another database', `mysql://u:${SECRET}@localhost/x`, /begin with postgres/],
    ['without a host', `postgres:///x?password=${SECRET}`, /has no host/],
    ['without a database', `postgres://u:${SECRET}@localhost/`, /has no database/],
    ['that nothing answers at', `postgres://u:${SECRET}@127.0.0.1:9/x`, /does not answer \(ECONNREFUSED\)/],
    ['whose host does not exist', `postgres://u:${SECRET}@host.invalid/x`, /does not answer/],
    [
      'with a certificate file that does not exist',
      `postgres://u:${SECRET}@127.0.0.1:9/x?sslrootcert=/no/file`,
      /\/no\/file/,
    ],
  ];
  for (const [title, url, expected] of urls)
    it(`refuses a URL ${title}`, async () => {
      expect(await refusal(url)).to.match(expected);
    });

  it('refuses a wrong password', async () => {
    const url = server.tcpUrl(database).replace(/:[^:@]*@/, `:${SECRET}@`);
    expect(await refusal(url)).to.match(/refused the password of the user headwater/);
  });

  it('refuses a missing password', async () => {
    expect(await refusal(server.tcpUrl(database).replace(/:[^:@]*@/, '@'))).to.match(/password/);
  });

  it('refuses an unknown user', async () => {
    const url = server.url(database).replace('//headwater@', '//nobody-knows@');
    expect(await refusal(url)).to.match(/does not accept the user nobody-knows/);
  });

  it('refuses a database that does not exist', async () => {
    expect(await refusal(server.url('missing'))).to.match(/does not exist/);
  });

  it('refuses a user that may not create tables', async () => {
    await server.run('DROP ROLE IF EXISTS reader');
    await server.run('CREATE ROLE reader LOGIN');
    const url = server.url(database).replace('//headwater@', '//reader@');
    expect(await refusal(url)).to.match(/does not let the user reader create tables/);
    await server.run('DROP ROLE reader');
  });

  it('refuses a database of another application, and does not change it', async () => {
    await server.run('CREATE TABLE theirs (a int)', database);
    expect(await refusal(server.url(database))).to.match(/another application/);
    const { rows } = await server.run(
      `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
      database,
    );
    expect(rows).to.deep.equal([{ relname: 'theirs' }]);
  });

  it('refuses migrations of another application', async () => {
    await server.run('CREATE TABLE knex_migrations (id int, name text)', database);
    await server.run(`INSERT INTO knex_migrations VALUES (1, '001-theirs')`, database);
    expect(await refusal(server.url(database))).to.match(/another application/);
  });

  it('continues migrations of a process that was killed', async () => {
    const url = server.url(database);
    const connection = await PostgresConnection.open({ servers: new Servers(url), session: 'SET jit = off' });
    const upTo = migrationsOf('postgres').map(({ name }) => name);
    await migrateSchema(connection, 'The database', { upTo: upTo.slice(0, 6) });
    await connection.run('UPDATE knex_migrations_lock SET is_locked = 1');
    await connection.close();
    const storage = await openPostgres({ url });
    expect(await storage.sql.all('SELECT name FROM knex_migrations ORDER BY id')).to.deep.equal(
      upTo.map((name) => ({ name })),
    );
    await storage.close();
  });

  describe('with a schema', () => {
    let name: string;
    beforeEach(async () => {
      await server.drop(database);
      database = await migratedDatabase();
      name = database;
    });

    it('refuses one of a newer version', async () => {
      await server.run(
        `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('9999-from-the-future', 9, now())`,
        name,
      );
      expect(await refusal(server.url(name))).to.match(/newer version.*9999-from-the-future/);
    });

    it('refuses one that lacks a migration in between', async () => {
      await server.run(`DELETE FROM knex_migrations WHERE name = '0004-folders-webhooks'`, name);
      expect(await refusal(server.url(name))).to.match(/only partly migrated/);
    });

    it('refuses one that lacks its tables', async () => {
      await server.run('DROP TABLE installation', name);
      expect(await refusal(server.url(name))).to.match(/only partly migrated/);
    });
  });

  it('refuses a server that is too old, and another encoding', () => {
    const current = { version: 150000, name: '15.0', encoding: 'UTF8' };
    refuseServer({ ...current, version: 130000 }, 'The database x');
    expect(() => refuseServer({ ...current, version: 120018, name: '12.18' }, 'The database x')).to.throw(
      StartError,
      'The database x is PostgreSQL 12.18; Headwater needs version 13 or newer.',
    );
    expect(() => refuseServer({ ...current, encoding: 'LATIN1' }, 'The database x')).to.throw(
      StartError,
      'encoding LATIN1',
    );
  });

  it('refuses a database of another encoding', async () => {
    await server.drop(database);
    database = await server.create(`TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    expect(await refusal(server.url(database))).to.match(/encoding LATIN1/);
  });

  it('refuses a certificate that is not trusted, and accepts one that is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-certificate-'));
    const { cert, key } = await loadCertificate(
      { certificate: null, key: null },
      { dataDir: folder, names: ['localhost'], now: new Date() },
    );
    const secure = await startPostgres({ tls: { cert, key } });
    try {
      const url = secure.tcpUrl('postgres').replace('127.0.0.1', 'localhost');
      for (const mode of ['verify-full', 'require', 'prefer', 'allow'])
        expect(await refusal(`${url}?sslmode=${mode}`)).to.match(
          /certificate that is not trusted \(\w+\): .* sslrootcert names there\.$/,
        );
      await writeFile(join(folder, 'ca.pem'), cert);
      const storage = await openPostgres({ url: `${url}?sslmode=verify-full&sslrootcert=${folder}/ca.pem` });
      expect(await storage.sql.get('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).to.deep.equal(
        {
          ssl: 1,
        },
      );
      await storage.close();
    } finally {
      await secure.end();
      await rm(folder, { recursive: true });
    }
  });

  it('refuses a server without TLS where the URL demands it', async () => {
    for (const mode of ['verify-full', 'prefer', 'allow'])
      expect(await refusal(`${server.tcpUrl(database)}?sslmode=${mode}`)).to.match(
        /does not support TLS, which sslmode asks for: .* sslmode=disable\.$/,
      );
    const storage = await openPostgres({ url: `${server.tcpUrl(database)}?sslmode=disable` });
    await storage.close();
  });

  describe('through pgbouncer', () => {
    for (const [mode, isAccepted] of [
      ['transaction', false],
      ...(hasAllTests ? ([['session', true]] as const) : []),
    ] as const)
      it(`in ${mode} mode is ${isAccepted ? 'accepted' : 'refused'}`, async () => {
        const bouncer = await startPgbouncer(server, database, mode);
        try {
          if (isAccepted) {
            const storage = await openPostgres({ url: bouncer.url });
            expect(await storage.sql.get('SELECT sequence FROM installation')).to.deep.equal({ sequence: 0 });
            await storage.close();
          } else expect(await refusal(bouncer.url)).to.match(/pooler in transaction mode/);
        } finally {
          await bouncer.end();
        }
      });
  });
});

async function startPgbouncer(server: PostgresServer, database: string, mode: string) {
  const program = await realProgram('pgbouncer');
  const folder = await mkdtemp(join(tmpdir(), 'headwater-pgbouncer-'));
  const port = await freePort();
  const target = new URL(server.url(database));
  await writeFile(join(folder, 'users'), '"headwater" ""\n', { mode: 0o644 });
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${decodeURIComponent(target.hostname)} port=${server.port} user=headwater
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
auth_file = ${folder}/users
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits
${process.getuid?.() === 0 ? 'user = postgres' : ''}
`,
    { mode: 0o644 },
  );
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await pause(300);
  return {
    url: `postgres://headwater@127.0.0.1:${port}/${database}`,
    async end() {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
