import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { dropIndexes } from '../../core/storage/sqlite/bulk-load.ts';
import { Connection } from '../../core/storage/sqlite/connection.ts';
import { open, readAll } from '../support/clients/raw-http.ts';
import { longTest } from '../support/long-form.ts';
import { SmallFolder } from '../support/programs/small-folder.ts';
import { runCommand, ServiceHere, WITHOUT_IMAGE } from '../support/service/run-command.ts';
import { HeadwaterProcess, IN_PLACE, runHeadwater } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

/** Whether a new connection is accepted. */
const accepts = (origin: string) =>
  open(origin).then(
    (socket) => Boolean(socket.destroy()),
    () => false,
  );

describe('the command line', function () {
  // A start that loads the sample takes about a second.
  this.slow(5000);

  let folder: string;
  let environment: Record<string, string>;
  /** As a process of its own, for what the program does before and after the command. */
  const run = (...words: string[]) => runHeadwater(words, environment);
  const command = (...words: string[]) => runCommand(words, environment);
  const inData = (name: string) => join(folder, 'data', name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-cli-'));
    environment = { HEADWATER_DATA_DIR: join(folder, 'data'), HEADWATER_PORT: '0', HEADWATER_TLS_PORT: '0' };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  describe('help and usage', () => {
    it('prints help on stdout and ends with 0 where it is requested', async () => {
      const { code, out, err } = await run('--help');
      expect({ code, err }).to.deep.equal({ code: 0, err: '' });
      expect(out).to.include('Usage: headwater <command>').and.to.include('\n  serve ');
      expect((await command('key', 'create', '--help')).out).to.include('--project GUID');
    });

    it('prints the commands of a group where its help is requested', async () => {
      for (const words of [
        ['key', '--help'],
        ['key', '-h'],
        ['help', 'key'],
      ]) {
        const { code, out, err } = await command(...words);
        expect({ code, err }, words.join(' ')).to.deep.equal({ code: 0, err: '' });
        expect(out).to.match(
          /^Usage: headwater key <command> .*\n {2}key create .*\n {2}key regenerate .*\n {2}key list /s,
        );
      }
      expect(await command('key')).to.include({ code: 2, out: '' });
    });

    it('prints the version of package.json', async () => {
      const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
      expect(await command('--version')).to.deep.equal({ code: 0, out: `${version}\n`, err: '' });
    });

    it('ends with 2 for a wrong command line, and points at the help', async () => {
      expect(await run()).to.include({ code: 2, out: '' });
      const { code, err } = await command('serv');
      expect({ code, err }).to.deep.equal({
        code: 2,
        err: "headwater: There is no command 'serv'. Did you mean 'serve'?\n'headwater --help' shows more.\n",
      });
      expect((await command('key', 'list')).err).to.include('--project is missing.');
    });
  });

  describe('configuration', () => {
    it('is checked without listening and without touching the data folder', async () => {
      const { code, out } = await command('check');
      expect(code).to.equal(0);
      expect(out)
        .to.match(/^delivery +request-id → .* → core-proxy$/m)
        .and.to.match(/The configuration is valid\.\n$/);
      expect(() => statSync(join(folder, 'data'))).to.throw();
    });

    it('ends with 1 and every fault where it is invalid, for check and for serve', async () => {
      mkdirSync(join(folder, 'plugins'));
      writeFileSync(join(folder, 'headwater.yaml'), 'host: ::1\nprot: 80\n');
      writeFileSync(join(folder, 'plugins', 'limits.yaml'), '\nurlBytes: lots\n');
      environment['HEADWATER_CONFIG'] = folder;
      for (const words of ['check', 'serve']) {
        const { code, out, err } = await command(words);
        expect({ code, out }).to.deep.equal({ code: 1, out: '' });
        expect(err.split('\n')).to.deep.equal([
          'headwater: The configuration has 2 problems:',
          `  ${join(folder, 'headwater.yaml')}:2: prot is not a setting; did you mean port?`,
          `  ${join(folder, 'plugins', 'limits.yaml')}:2: plugins.limits.urlBytes must be a number, but is "lots"`,
          '',
        ]);
      }
    });

    it('is explained with the origin of each value, without secrets', async () => {
      environment['HEADWATER_ADMIN_TOKEN'] = 'hush-hush-hush-hush-hush-hush-hush-hush';
      const { code, out } = await command(
        'explain',
        '--json',
        '--set',
        'plugins.cors.origins=https://a.example',
      );
      expect(code).to.equal(0);
      expect(out).not.to.include('hush');
      const entries = JSON.parse(out) as { path: string; value: unknown; origin: unknown }[];
      const at = (path: string) => entries.find((entry) => entry.path === path);
      expect(at('port')).to.deep.include({
        environment_name: 'HEADWATER_PORT',
        is_path: false,
        value: 0,
        origin: { from: 'environment', name: 'HEADWATER_PORT' },
      });
      expect(at('host')).to.deep.include({ value: '127.0.0.1', origin: { from: 'default' } });
      expect(at('adminToken')).to.deep.include({ value: '(secret)' });
      expect(at('plugins.cors.origins')).to.deep.include({ value: ['https://a.example'] });
    });

    longTest('is one sentence and exit code 1 where the result cannot be written', async () => {
      const full = ['sh', '-c', 'exec "$@" >/dev/full', 'sh'];
      expect(await new HeadwaterProcess(['explain'], environment, full).ended).to.deep.equal({
        code: 1,
        out: '',
        err: 'headwater: The result could not be written: ENOSPC.\n',
      });
    });

    it('of an operator may name own plugins', async () => {
      writeFileSync(
        join(folder, 'teapot.mjs'),
        `import { z } from '${pathToFileURL(join(import.meta.dirname, '../../node_modules/zod/index.js'))}';
         export const plugin = {
           name: 'teapot', phase: 'edge', surfaces: ['docs'],
           settings: z.strictObject({ volume: z.int().default(1).describe('Litres.') }),
           setup: () => ({ handle: (ctx, next) => next() }),
         };`,
      );
      writeFileSync(join(folder, 'headwater.yaml'), 'pipeline: { own: [./teapot.mjs] }\n');
      environment['HEADWATER_CONFIG'] = folder;
      environment['HEADWATER_PLUGINS__TEAPOT__VOLUME'] = '2';
      expect((await command('check')).out).to.match(/^docs .*teapot/m);
      expect((await command('explain', '--changed')).out).to.match(
        /^plugins\.teapot\.volume +2 +HEADWATER_/m,
      );
    });
  });

  describe('serve', () => {
    const ready = /try +curl -s '([^']+)'/;

    it('prints its URLs, its files and a call that works, and ends with 0 on SIGTERM', async () => {
      const service = new HeadwaterProcess(['serve'], environment);
      try {
        const [, url = ''] = await service.printed(ready);
        const answer = await fetch(url);
        expect(answer.status).to.equal(200);
        const [, sample = ''] = await service.printed(/sample project +(\S+)/);
        expect(url).to.include(`/delivery/${sample}/items`);
        for (const surface of ['delivery', 'preview', 'assets', 'admin', 'docs', 'health', 'metrics']) {
          await service.printed(new RegExp(`\\n +${surface} +http://127\\.0\\.0\\.1:\\d+/${surface}`));
        }
        for (const file of ['admin-token', 'first-run-keys.json']) {
          expect(service.out).to.include(inData(file));
          expect(statSync(inData(file)).mode & 0o777, file).to.equal(0o600);
        }
        const keys = JSON.parse(readFileSync(inData('first-run-keys.json'), 'utf8')) as Record<
          string,
          string
        >;
        const preview = url.replace('/delivery/', '/preview/');
        expect((await fetch(preview)).status).to.equal(401);
        const authorization = `Bearer ${keys['preview-primary']}`;
        expect((await fetch(preview, { headers: { authorization } })).status).to.equal(200);
      } finally {
        service.signal('SIGTERM');
      }
      expect((await service.ended).code).to.equal(0);
    });

    longTest('prints a call that works where the sample project needs a key', async () => {
      const first = new ServiceHere(environment);
      const [, sample = ''] = await first.printed(/sample project +(\S+)/);
      expect((await first.stop()).code).to.equal(0);
      expect((await command('key', 'create', '--project', sample, '--kind', 'delivery')).code).to.equal(0);
      const second = new ServiceHere(environment);
      const [, url = ''] = await second.printed(ready);
      expect(second.out).to.include(sample);
      expect((await fetch(url)).status).to.equal(200);
      expect((await second.stop()).code).to.equal(0);
    });

    it('keeps keys and token on the next start', async () => {
      const kept: string[][] = [];
      for (let start = 0; start < 2; start++) {
        const service = new ServiceHere(environment);
        await service.printed(ready);
        kept.push(['admin-token', 'first-run-keys.json'].map((file) => readFileSync(inData(file), 'utf8')));
        expect((await service.stop()).code).to.equal(0);
      }
      expect(kept[1]).to.deep.equal(kept[0]);
    });

    for (const [what, wait, code, started] of [
      // The process that starts the service once more passes both on.
      ['as npm sends it, is one: running requests finish', 30, 0, {}],
      ['with a pause ends it at once', 400, 1, IN_PLACE],
    ] as const) {
      (code === 0 ? it : longTest)(`Ctrl-C twice, ${what}`, async () => {
        const own = { ...environment, ...started, HEADWATER_SAMPLE: 'false' };
        const service = new HeadwaterProcess(['serve'], own);
        const [, origin = ''] = await service.printed(/try +curl -s '([^']+)\/health\/ready'/);
        const token = readFileSync(inData('admin-token'), 'utf8').trim();
        const socket = await open(origin);
        const answer = readAll(socket);
        const body = '{"name":"Begun before"}';
        socket.write(
          `POST /admin/projects HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
        );
        await pause(100);
        service.signal('SIGINT');
        // The first one has arrived: Node merges two that wait.
        if (code === 1) await until(async () => !(await accepts(origin)));
        await pause(wait);
        service.signal('SIGINT');
        await pause(100);
        socket.write(body.slice(9), () => {});
        expect((await answer).includes('201 Created')).to.equal(code === 0);
        expect((await service.ended).code).to.equal(code);
      });
    }

    it('goes on while its log cannot be written, and then writes what waited', async () => {
      const disk = await SmallFolder.make({ megabytes: 1 });
      try {
        const own = { ...environment, ...IN_PLACE, HEADWATER_SAMPLE: 'false' };
        const service = new HeadwaterProcess(['serve'], own, [
          ...disk.through,
          ...['sh', '-c', 'exec "$@" 2>>"$0"', join(disk.path, 'service.log')],
        ]);
        await service.printed(/ready'/);
        // An empty disk cannot be full.
        writeFileSync(join(disk.reached, 'ballast'), '.');
        await disk.fill();
        for (let reload = 0; reload < 2; reload += 1) expect((await command('reload')).code).to.equal(0);
        const log = () => readFileSync(join(disk.reached, 'service.log'), 'utf8');
        expect(log()).to.equal('');
        await disk.free();
        expect((await command('reload')).code).to.equal(0);
        expect(log().match(/"The configuration was reloaded\."/g)).to.have.lengthOf(3);
        await disk.fill();
        service.signal('SIGTERM');
        expect((await service.ended).code).to.equal(0);
      } finally {
        await disk.end();
      }
    });

    longTest('ends with 0 where standard output and standard error are full from the start', async () => {
      const full = ['sh', '-c', 'exec "$@" >/dev/full 2>&1', 'sh'];
      const own = { ...environment, ...IN_PLACE, HEADWATER_SAMPLE: 'false' };
      const service = new HeadwaterProcess(['serve'], own, full);
      await until(() => existsSync(inData('owner.json')));
      expect((await command('reload')).code).to.equal(0);
      service.signal('SIGTERM');
      expect((await service.ended).code).to.equal(0);
    });

    it('runs commands that need its data, and lets no second service use the folder', async () => {
      const service = new ServiceHere({ ...environment, HEADWATER_SAMPLE: 'false' });
      try {
        const [, origin = ''] = await service.printed(/try +curl -s '([^']+)\/health\/ready'/);
        const made = await command('project', 'create', '--name', 'Made beside the service');
        const { id } = JSON.parse(made.out) as { id: string };
        expect((await command('project', 'list')).out).to.match(
          new RegExp(`^${id} +Made beside the service`, 'm'),
        );
        expect((await fetch(`${origin}/delivery/${id}/items`)).status).to.equal(200);
        expect(await command('key', 'list', '--project', 'nope')).to.deep.equal({
          code: 1,
          out: '',
          err: "headwater: There is no project with the id 'nope'.\n",
        });
        const migrated = await command('migrate');
        expect(migrated).to.include({ code: 0, err: '' });
        expect(migrated.out).to.match(/^The database is up to date: its schema is [\w-]+\.\n$/);
        const { code, err } = await runHeadwater(['serve'], { ...environment, ...IN_PLACE });
        expect(code).to.equal(1);
        expect(err).to.match(
          /^headwater: The data folder .* is in use by another Headwater process[^\n]*\n$/,
        );
      } finally {
        await service.stop();
      }
    });
  });

  describe('an error that prevents the start is one sentence and exit code 1', () => {
    const sentence = (err: string) => {
      expect(err).to.match(/^headwater: [^\n]+\n$/);
      return err;
    };

    longTest('a taken port', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      try {
        const { port } = await new Promise<AddressInfo>((resolve) =>
          other.once('listening', () => resolve(other.address() as AddressInfo)),
        );
        const { code, err } = await runHeadwater(['serve'], {
          ...environment,
          HEADWATER_SAMPLE: 'false',
          HEADWATER_PORT: String(port),
        });
        expect(code).to.equal(1);
        expect(sentence(err)).to.include(`The address 127.0.0.1:${port} is taken`);
      } finally {
        other.close();
      }
    });

    it('a database file of another program', async () => {
      mkdirSync(join(folder, 'data'));
      writeFileSync(
        inData('headwater.db'),
        'This is my shopping list, and it is no database at all.\n'.repeat(100),
      );
      const { code, err } = await command('serve');
      expect(code).to.equal(1);
      expect(sentence(err)).to.include('is not a database');
    });

    it('a folder in place of the database file', async () => {
      mkdirSync(inData('headwater.db'), { recursive: true });
      const { code, err } = await command('project', 'list');
      expect(code).to.equal(1);
      expect(err).to.equal(
        `headwater: ${inData('headwater.db')} is a folder; move it away or choose another data folder.\n`,
      );
    });

    it('a truncated database file', async () => {
      expect((await command('migrate')).code).to.equal(0);
      const whole = readFileSync(inData('headwater.db'));
      writeFileSync(inData('headwater.db'), whole.subarray(0, Math.floor(whole.length / 2)));
      const { code, err } = await command('serve');
      expect(code).to.equal(1);
      sentence(err);
    });

    it('an invalid certificate', async () => {
      writeFileSync(join(folder, 'a.pem'), 'no certificate');
      const { code, err } = await command(
        'serve',
        '--tls-port=18443',
        `--set=tls.certificate=${join(folder, 'a.pem')}`,
        `--set=tls.key=${join(folder, 'a.pem')}`,
        '--set=sample=false',
      );
      expect(code).to.equal(1);
      expect(sentence(err)).to.include(join(folder, 'a.pem'));
    });

    it('a data folder that cannot be created', async () => {
      writeFileSync(join(folder, 'data'), 'a file is in its place');
      const { code, err } = await command('serve');
      expect(code).to.equal(1);
      expect(sentence(err)).to.include(join(folder, 'data'));
    });

    longTest('a socket for commands that cannot be made, and the service is closed', async () => {
      const dataDir = join(folder, 'a'.repeat(60), 'b'.repeat(60));
      const { code, err } = await runHeadwater(['serve'], {
        ...environment,
        ...IN_PLACE,
        HEADWATER_DATA_DIR: dataDir,
        HEADWATER_SAMPLE: 'false',
        TMPDIR: join(folder, 'none'),
      });
      expect(code).to.equal(1);
      expect(sentence(err)).to.include(join(folder, 'none'));
      expect(readdirSync(dataDir)).to.include('headwater.db').and.not.include('headwater.db-wal');
    });
  });

  describe('projects and keys', () => {
    it('are created, listed and replaced, and a key is printed once', async () => {
      expect((await command('project', 'list')).err).to.include('There is no data folder');
      const made = await command('project', 'create', '--name', 'My site', '--language', 'en-GB');
      expect(made).to.include({ code: 0, err: '' });
      const project = JSON.parse(made.out) as { id: string; keys: Record<string, string> };
      expect((await command('project', 'list')).out).to.match(new RegExp(`^${project.id} +My site +`, 'm'));

      const old = project.keys['preview-primary'] ?? '';
      const replaced = await command(
        'key',
        'regenerate',
        '--project',
        project.id,
        '--slot',
        'preview-primary',
      );
      const { key } = JSON.parse(replaced.out) as { key: string };
      const listed = (await command('key', 'list', '--project', project.id)).out;
      expect(listed)
        .to.include(`…${key.slice(-4)}`)
        .and.not.to.include(`…${old.slice(-4)}`);
      expect(listed).not.to.include(key);

      const delivery = await command('key', 'create', '--project', project.id, '--kind', 'delivery');
      expect(JSON.parse(delivery.out)).to.have.keys('enabled', 'primary', 'secondary');
      const again = await command('key', 'create', '--project', project.id, '--kind', 'delivery');
      expect([again.code, again.out]).to.deep.equal([1, '']);
      expect(again.err).to.include('Secure access is on already').and.to.include('key regenerate');
    });

    it('are refused with options that would have no effect', async () => {
      for (const [words, hint] of [
        [
          ['project', 'create', '--name', 'A', '--language-name', 'English'],
          '--language-name needs --language.',
        ],
        [
          ['key', 'create', '--project', 'x', '--kind', 'delivery', '--days', '3'],
          '--days is for --kind management',
        ],
        [
          ['key', 'create', '--project', 'x', '--kind', 'delivery', '--user', 'x'],
          '--user is for --kind management',
        ],
        [['key', 'regenerate', '--admin-token', '--project', 'x'], 'leave --project out'],
        [
          ['key', 'regenerate', '--project', 'x', '--slot', 'preview-primary', '--days', '3'],
          '--days is for --key',
        ],
      ] as const) {
        const { code, out, err } = await command(...words);
        expect([code, out], words.join(' ')).to.deep.equal([2, '']);
        expect(err).to.include(hint);
      }
      expect(existsSync(inData('.'))).to.equal(false);
    });

    it('end with 1 and the reason where that fails', async () => {
      const { code, err } = await command('project', 'create', '--name', ' ', '--id', 'x');
      expect(code).to.equal(1);
      expect(err).to.equal('headwater: The name must not be empty. The id must be a GUID.\n');

      const made = await command('project', 'create', '--name', 'My site');
      const { id } = JSON.parse(made.out) as { id: string };
      const user = await command('user', 'create', '--name', 'Ann', '--email', 'ann@example.com');
      const [account = ''] = /[0-9a-f-]{36}/.exec(user.err) ?? [];
      const words = ['--project', id, '--kind', 'management', '--user', account];
      const refused = await command('key', 'create', ...words);
      expect([refused.code, refused.out]).to.deep.equal([1, '']);
      expect(refused.err)
        .to.include(`no user with the id '${account}'`)
        .and.to.include('PATCH /admin/users/');
    });
  });

  describe('generate', () => {
    it('prints the id of its project as its last line, and continues an earlier call', async () => {
      const first = await command('generate', '--items', '30');
      expect(first.code).to.equal(0);
      expect(first.err).to.match(/^30 of 30 items, \d+ a second, \d+ s\n$/);
      const { project_id: project } = JSON.parse(first.out.trim().split('\n').at(-1) ?? '') as {
        project_id: string;
      };
      const second = await command('generate', '--items', '5', '--project', project);
      expect(JSON.parse(second.out)).to.deep.equal({ project_id: project });
      const third = await command('generate', '--items', '5', '--project', project, '--languages', '2');
      expect([third.code, third.out]).to.deep.equal([1, '']);
      expect(third.err).to.include('The number of languages').and.not.to.include('makes the rest');
    });

    it('fills an empty project', async () => {
      const made = await command('project', 'create', '--name', 'Empty', '--language', 'en');
      const { id: empty } = JSON.parse(made.out) as { id: string };
      expect(await command('generate', '--items', '2', '--project', empty, '--languages', '2')).to.include({
        code: 0,
        out: `${JSON.stringify({ project_id: empty })}\n`,
      });
    });
  });

  describe('doctor', () => {
    it('finds nothing wrong with a fresh installation', async () => {
      const { code, out } = await run('doctor');
      expect(out).not.to.match(/^bad/m);
      expect(out)
        .to.match(/^ok +node +v\d+.* 24 pool threads$/m)
        .and.to.match(/^ok +database driver +SQLite 3/m)
        .and.to.match(/^ok +image workers +.*sharp \d.*libvips \d.*first image after \d+ ms$/m)
        .and.to.match(/^ok +image memory +/m)
        .and.to.match(/^ok +image cache +0 results/m);
      expect(code).to.equal(0);
    });

    longTest('reports indexes that a load has left out, and migrate writes them', async () => {
      await command('migrate');
      const connection = await Connection.open(inData('headwater.db'), { readOnly: false });
      await dropIndexes(connection);
      await connection.close();
      const lacking = await command('doctor');
      expect(lacking.out).to.match(
        /^warn +schema +\d{4}-\S+, without some indexes: .* the next start writes them$/m,
      );
      expect(lacking.code).to.equal(0);
      expect((await command('migrate')).err).to.match(/writing indexes of the database/);
      expect((await command('doctor', ...WITHOUT_IMAGE)).out).to.match(/^ok +schema +up to date/m);
    });

    longTest('reports the allocator of image workers', async () => {
      const here = await command('doctor', '--set', 'workers.allocator=system');
      expect(here.out).to.match(/^ok +image memory +the allocator of the system, as configured$/m);
      const elsewhere = await command('doctor', ...WITHOUT_IMAGE);
      expect(elsewhere.out).to.match(/^bad +image workers +.*; at 127\.0\.0\.1:1: /m);
      expect(elsewhere.out).to.match(/^ok +image memory +where the images are made$/m);
      expect(elsewhere.code).to.equal(1);
    });

    it('ends with 1 where other users can read the admin token, or it is too short', async () => {
      mkdirSync(join(folder, 'data'));
      writeFileSync(inData('admin-token'), 'x', { mode: 0o644 });
      const { code, out } = await command('doctor');
      expect(out).to.match(/^bad +data folder .*can be read by other users$/m);
      expect(code).to.equal(1);
      chmodSync(inData('admin-token'), 0o600);
      const { out: short } = await command('doctor', ...WITHOUT_IMAGE);
      expect(short).to.match(/^bad +data folder .*holds no admin token/m);
    });
  });
});
