/** `headwater move`: SQLite to PostgreSQL and back, files to a folder and back, killed and refused. */
import '../support/database/postgres-programs.ts';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { Connection } from '../../core/storage/sqlite/connection.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { SAMPLE_PROJECT } from '../support/service/role-processes.ts';
import { runCommand } from '../support/service/run-command.ts';
import { HeadwaterProcess, IN_PLACE, runHeadwater } from '../support/service/run-headwater.ts';

const KILLS = isLongForm ? 50 : 1;
const SEED = testSeed();

describe('headwater move', function () {
  this.slow(5000);

  let server: PostgresServer;
  let folder: string;
  let source: Record<string, string>;
  let answers: string[];
  const databases: string[] = [];

  before(async () => {
    server = await postgresServer();
    folder = mkdtempSync(join(tmpdir(), 'headwater-move-'));
    source = settings({ HEADWATER_DATA_DIR: join(folder, 'source') });
    answers = await answersOf(source, join(folder, 'source', 'admin-token'));
    const generated = await runHeadwater(['generate', '--items', '200'], source);
    expect(generated.code, generated.err).to.equal(0);
  });
  after(async () => {
    for (const name of databases) await server.drop(name);
    rmSync(folder, { recursive: true });
  });

  const settings = (more: Record<string, string>) => ({
    ...IN_PLACE,
    HEADWATER_PORT: '0',
    HEADWATER_TLS_PORT: '0',
    ...more,
  });
  const move = (environment: Record<string, string>, ...words: string[]) =>
    runCommand(['move', ...words], environment, folder);

  async function create(): Promise<string> {
    const name = await server.create();
    databases.push(name);
    return server.url(name);
  }

  /** Of a service with these settings: content, a file, and the list of projects for the admin token. */
  async function answersOf(environment: Record<string, string>, tokenFile: string): Promise<string[]> {
    const service = new HeadwaterProcess(['serve'], environment);
    try {
      const [url] = await service.printed(/http:\/\/[\d.:]+/);
      const read = async (path: string, headers: Record<string, string> = {}) => {
        const answer = await fetch(url + path, { headers });
        expect(answer.status, path).to.equal(200);
        return (await answer.text()).replaceAll(url, '');
      };
      const items = await read(`/delivery/${SAMPLE_PROJECT}/items?language=de`);
      const file = /"url":"(\/assets[^"]+)"/.exec(items)?.[1] ?? '';
      const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
      const projects = JSON.parse(await read('/admin/projects', { authorization })) as {
        projects: { id: string }[];
      };
      return [
        items,
        await read(`/delivery/${SAMPLE_PROJECT}/types`),
        await read(file),
        String(projects.projects.some(({ id }) => id === SAMPLE_PROJECT)),
      ];
    } finally {
      service.signal('SIGTERM');
      await service.ended;
    }
  }

  async function digestsOf(opening: Promise<Storage>) {
    const storage = await opening;
    try {
      const own = await storage.sql.get<{ admin_token: string | null; sample: string | null }>(
        'SELECT admin_token, sample FROM installation',
      );
      return { admin_token: own?.admin_token, sample: own?.sample, tables: await storage.digests() };
    } finally {
      await storage.close();
    }
  }
  const ofFolder = (name: string) => digestsOf(openSqlite({ file: join(folder, name, 'headwater.db') }));
  const ofDatabase = (url: string) => digestsOf(openPostgres({ url }));

  it('moves to PostgreSQL and back, with files: equal rows, equal answers, the same admin token', async () => {
    const url = await create();
    writeFileSync(join(folder, 'url'), `${url}\n`);
    const before = await ofFolder('source');
    expect(before.admin_token).to.match(/^[0-9a-f]{64}$/);
    expect(before.tables.find(({ table }) => table === 'item')?.rows).to.be.above(200);

    const there = await move(source, '--to-file', 'url', '--files-to', 'files');
    expect(there.code, there.err).to.equal(0);
    expect(there.out)
      .to.match(/^The database has been moved: \d{4,} rows in \d+ tables, equal on both sides\.$/m)
      .and.to.match(/^Files: \d\d copied \(\d+ bytes\), 0 were there already, 0 missing\.$/m)
      .and.to.include(`filesDir: ${join(folder, 'files')}`)
      .and.not.include(url);
    expect(await ofDatabase(url)).to.deep.equal(before);
    expect(readdirSync(join(folder, 'source'))).not.to.include('move.unfinished');

    const onPostgres = {
      ...source,
      HEADWATER_DATABASE_URL: url,
      HEADWATER_FILES_DIR: join(folder, 'files'),
    };
    const back = await move(onPostgres, '--to', 'back', '--files-to', 'back/files');
    expect(back.code, back.err).to.equal(0);
    expect(back.out).to.include(`dataDir: ${join(folder, 'back')}`);
    expect(await ofFolder('back')).to.deep.equal(before);
    expect(await ofFolder('source')).to.deep.equal(before);

    const token = join(folder, 'source', 'admin-token');
    expect(await answersOf(onPostgres, token)).to.deep.equal(answers);
    const onSqlite = settings({ HEADWATER_DATA_DIR: join(folder, 'back') });
    expect(await answersOf(onSqlite, token)).to.deep.equal(answers);
  });

  it(`continues after kills, ${KILLS} in all`, async () => {
    const random = new Random(SEED);
    let url = await create();
    const began = performance.now();
    expect((await runHeadwater(['move', '--to', url], source)).code).to.equal(0);
    const duration = performance.now() - began;
    const expected = await ofFolder('source');
    expect(await ofDatabase(url)).to.deep.equal(expected);

    url = await create();
    for (let kill = 0; kill < KILLS; kill++) {
      const running = new HeadwaterProcess(['move', '--to', url], source);
      await pause(duration * (0.2 + 0.8 * random.next()));
      running.signal('SIGKILL');
      if ((await running.ended).code === 0) url = await create();
    }
    // The server may not know yet that the last one was killed.
    let ended = await move(source, '--to', url);
    for (let times = 0; times < 20 && ended.code !== 0; times++) {
      await pause(500);
      ended = await move(source, '--to', url);
    }
    expect(ended.code, `${ended.err}, seed ${SEED}`).to.equal(0);
    expect(await ofDatabase(url)).to.deep.equal(expected);
    expect(await ofFolder('source')).to.deep.equal(expected);
  });

  it('reports files that are missing or damaged, and copies the rest; later only those', async () => {
    const files = join(folder, 'source', 'files');
    const [first = '', second = ''] = readdirSync(files, { recursive: true })
      .map(String)
      .filter((name) => name.length === 65);
    const content = readFileSync(join(files, second));
    renameSync(join(files, first), join(folder, 'aside'));
    writeFileSync(join(files, second), 'damaged');
    const { code, out, err } = await move(source, '--files-to', 'others');
    expect(code).to.equal(1);
    expect(out).to.match(/^Files: \d+ copied .* 2 missing\.$/m);
    for (const name of [first, second])
      expect(err).to.include(
        `The file ${name.replace('/', '')} is missing, damaged or cannot be read in the source.`,
      );
    renameSync(join(folder, 'aside'), join(files, first));
    writeFileSync(join(files, second), content);
    const again = await move(source, '--files-to', 'others');
    expect(again.code, again.err).to.equal(0);
    expect(again.out).to.match(/^Files: 2 copied .* [1-9]\d* were there already, 0 missing\.$/m);
  });

  it('is refused with one sentence where the target has other projects', async () => {
    const url = await create();
    const onPostgres = { ...source, HEADWATER_DATABASE_URL: url };
    expect((await runCommand(['project', 'create', '--name', 'Other'], onPostgres)).code).to.equal(0);
    const { code, out, err } = await move(source, '--to', url);
    expect({ code, out }).to.deep.equal({ code: 1, out: '' });
    expect(err).to.match(/^headwater: The target has other projects already; name an empty database\.$/m);
  });

  it('changes nothing of a source with an older schema, and says what to do', async () => {
    const older = join(folder, 'older');
    cpSync(join(folder, 'source'), older, { recursive: true });
    const file = join(older, 'headwater.db');
    const connection = await Connection.open(file, { readOnly: false });
    await connection.run('DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)');
    await connection.close();
    const { code, out, err } = await move(settings({ HEADWATER_DATA_DIR: older }), '--to', await create());
    expect({ code, out }).to.deep.equal({ code: 1, out: '' });
    expect(err).to.match(
      /^headwater: \S+headwater\.db has the older schema \d{4}-\S+, and this command does not migrate it: run 'headwater migrate' with these settings first\.$/m,
    );
    expect(readdirSync(older).filter((name) => name.includes('before-'))).to.deep.equal([]);
  });

  longTest('is refused while a core serves the source or the target', async () => {
    const url = await create();
    const service = new HeadwaterProcess(['serve'], source);
    await service.printed(/http:\/\//);
    const ofSource = await move(source, '--to', url);
    service.signal('SIGTERM');
    await service.ended;
    expect(ofSource.code).to.equal(1);
    expect(ofSource.err).to.match(/^headwater: The data folder \S+ is in use by another [^\n]+\n$/);

    const elsewhere = settings({
      HEADWATER_DATABASE_URL: url,
      HEADWATER_DATA_DIR: join(folder, 'elsewhere'),
      HEADWATER_SAMPLE: 'false',
    });
    const other = new HeadwaterProcess(['serve'], elsewhere);
    await other.printed(/http:\/\//);
    const ofTarget = await move(source, '--to', url);
    const fromServed = await move({ ...source, HEADWATER_DATABASE_URL: url }, '--to', 'new');
    other.signal('SIGTERM');
    await other.ended;
    for (const [{ code, err }, what] of [
      [ofTarget, 'target'],
      [fromServed, 'source'],
    ] as const) {
      expect(code).to.equal(1);
      expect(err).to.equal(`headwater: A core runs on the database of the ${what}; stop it first.\n`);
    }
  });

  it('names a target that cannot be used in one sentence, without the password', async () => {
    const secret = 'not-for-any-message';
    for (const [to, sentence] of [
      [
        `postgres://u:${secret}@127.0.0.1:9/x`,
        /^headwater: The database x at 127\.0\.0\.1:9 does not answer/,
      ],
      [`postgres://u:${secret}@127.0.0.1:9/`, /^headwater: The URL of the database has no database/],
      [`mysql://u:${secret}@127.0.0.1/x`, /^headwater: The URL of the database does not begin with/],
    ] as const) {
      const { code, out, err } = await move(source, '--to', to);
      expect(code).to.equal(1);
      expect(err).to.match(sentence);
      expect(out + err).not.to.include(secret);
      expect(err.trim().split('\n')).to.have.length(1);
    }
  });

  it('ends with 2 for a wrong command line, and with 1 where there is no source', async () => {
    for (const words of [
      [],
      ['--to', 'a', '--to-file', 'b'],
      ['--to', 'source'],
      ['--files-to', 'source/files'],
      ['--files-to', 's3://UPPER'],
    ])
      expect((await move(source, ...words)).code, words.join(' ')).to.equal(2);
    const nowhere = await move(settings({ HEADWATER_DATA_DIR: join(folder, 'nowhere') }), '--to', 'a');
    expect(nowhere.code).to.equal(1);
    expect(nowhere.err).to.match(/^headwater: There is no database in the data folder [^\n]+\n$/);
    expect((await move(source, '--to-file', 'missing')).err).to.match(/^headwater: --to-file [^\n]+\n$/);
  });
});
