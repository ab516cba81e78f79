/** People on the command line, and the first sign-in link of a start on a terminal. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConsoleBrowser } from '../support/console/console-browser.ts';
import { longTest } from '../support/long-form.ts';
import { runCommand, ServiceHere } from '../support/service/run-command.ts';
import { HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'correct horse battery staple';
const LINK = /(https?:\/\/\S+\/console)\/sign-in#token=([\w-]{43})/;

describe('people on the command line', () => {
  let folder: string;
  let environment: Record<string, string>;
  let service: ServiceHere | undefined;
  const command = (...words: string[]) => runCommand(words, environment);
  const listed = async () =>
    JSON.parse((await command('user', 'list', '--json')).out) as Record<string, unknown>[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-users-'));
    environment = {
      HEADWATER_DATA_DIR: join(folder, 'data'),
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
    };
  });
  afterEach(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are listed also where they have keys only', async () => {
    service = new ServiceHere(environment);
    const [, url = ''] = await service.printed(/delivery +(http:\/\/[^/]+)/);
    const token = readFileSync(join(folder, 'data', 'admin-token'), 'utf8').trim();
    const made = await fetch(`${url}/admin/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Bo', email: 'bo@example.org' }),
    });
    expect(made.status).to.equal(201);
    await command('user', 'create', '--name', 'Ada', '--email', 'ada@example.org');
    expect(await listed()).to.have.length(2);
    expect((await listed())[0]).to.include({ name: 'Bo', signs_in: false, operator: false, password: false });
    expect((await listed())[1]).to.include({ name: 'Ada', signs_in: true });
  });

  it('get management keys that are valid for as long as is said, also when one is replaced', async () => {
    service = new ServiceHere(environment);
    const [, url = ''] = await service.printed(/delivery +(http:\/\/[^/]+)/);
    const token = readFileSync(join(folder, 'data', 'admin-token'), 'utf8').trim();
    const { id } = JSON.parse((await command('project', 'create', '--name', 'Site')).out) as { id: string };
    const made = await fetch(`${url}/admin/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Bo', email: 'bo@example.org', projects: [{ id }] }),
    });
    const user = ((await made.json()) as { id: string }).id;
    const keyOf = async (...words: string[]) => {
      const { code, out, err } = await command('key', ...words, '--project', id);
      expect(code, err).to.equal(0);
      const { id: key, created, expires } = JSON.parse(out) as Record<string, string>;
      return { key, days: (Date.parse(expires!) - Date.parse(created!)) / 86_400_000 };
    };
    const first = await keyOf('create', '--kind', 'management', '--user', user, '--days', '7');
    expect(first.days).to.equal(7);
    const second = await keyOf('regenerate', '--key', first.key!.toUpperCase(), '--days', '30');
    expect(second.days).to.equal(30);
    expect((await keyOf('regenerate', '--key', second.key!)).days).to.equal(4000);
    const refused = await command(
      'key',
      'create',
      '--project',
      id,
      '--kind',
      'management',
      '--user',
      user,
      '--days',
      '36501',
    );
    expect([refused.code, refused.out]).to.deep.equal([2, '']);
    expect(refused.err).to.include('--days must be a whole number from 1 to 36500.');
  });

  it('are made with a link that signs in once, listed, and signed out', async () => {
    const running = new HeadwaterProcess(['serve'], { ...environment, ...IN_PLACE });
    const [, url = ''] = await running.printed(/delivery +(http:\/\/[^/]+)/);
    const made = await command('user', 'create', '--name', 'Ada', '--email', 'ada@example.org', '--operator');
    expect(made.code).to.equal(0);
    const [, , token] = LINK.exec(made.out) ?? [];
    const [ada] = await listed();
    expect(made.err).to.include(String(ada?.['id']));
    expect(ada).to.include({ name: 'Ada', email: 'ada@example.org', operator: true, password: false });
    expect((await command('user', 'list')).out).to.match(/NAME +EMAIL +SIGNS IN +OPERATOR +PASSWORD/);

    const browser = new ConsoleBrowser(url);
    const signIn = () => browser.request('POST', 'session/link', { token, password: PASSWORD });
    expect((await signIn()).status).to.be.within(200, 201);
    expect((await browser.request('GET', 'session')).status).to.equal(200);
    const again = new ConsoleBrowser(url);
    const refused = await again.request('POST', 'session/link', { token, password: PASSWORD });
    expect(refused.status).to.equal(401);

    const link = await command('user', 'sign-in-link', '--email', 'ada@example.org');
    expect(link.out).to.match(LINK).and.to.include(url);
    expect((await listed())[0]).to.include({ password: true });
    const ended = await command('user', 'end-sessions', '--email', 'ada@example.org');
    expect(ended).to.include({ code: 0, out: '1 session was ended.\n' });
    expect((await browser.request('GET', 'session')).status).to.equal(401);
    running.signal('SIGTERM');
    const { code, out, err } = await running.ended;
    expect(code).to.equal(0);
    // Nothing prints a link without being asked, and no log has one.
    expect(out + err).to.not.match(LINK);
  });

  longTest('get links to where the console is at present, also from another folder', async () => {
    const config = join(folder, 'config');
    const file = join(config, 'headwater.yaml');
    mkdirSync(config);
    environment['HEADWATER_CONFIG'] = config;
    service = new ServiceHere(environment);
    const [, url = ''] = await service.printed(/delivery +(http:\/\/[^/]+)/);
    writeFileSync(file, 'surfaces: {console: {prefix: /desk}}\n');
    expect((await command('reload')).code).to.equal(0);
    const link = ['user', 'sign-in-link'];
    expect((await command(...link)).out).to.include(`${url}/desk/sign-in#token=`);
    writeFileSync(file, 'surfaces: {console: {publicUrl: https://content.example.org/desk}}\n');
    expect((await command('reload')).code).to.equal(0);
    const there = new HeadwaterProcess([...link, '--config', 'config'], environment, ['env', '-C', folder]);
    const { code, out, err } = await there.ended;
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out).to.include('https://content.example.org/desk/sign-in#token=');
  });

  it('are named in errors that say what to do', async () => {
    service = new ServiceHere(environment);
    await service.printed(/delivery +http/);
    const unknown = ['--email', 'nobody@example.org'];
    for (const words of [
      ['sign-in-link', ...unknown],
      ['end-sessions', ...unknown],
    ]) {
      const { code, err } = await command('user', ...words);
      expect(code).to.equal(1);
      expect(err).to.include(
        "No user signs in with 'nobody@example.org'; 'headwater user list' lists the users.",
      );
    }
    expect((await command('user', 'create', '--name', 'Ada')).code).to.equal(2);
    await command('user', 'create', '--name', 'Ada', '--email', 'ada@example.org');
    const twice = await command('user', 'create', '--name', 'Eve', '--email', 'ada@example.org');
    expect(twice.code).to.equal(1);
    expect(await listed()).to.have.length(1);
    const { code, err } = await command('user', 'sign-in-link');
    expect({ code, err }).to.deep.include({ code: 1 });
    expect(err).to.include('--email says whose link it is');
  });

  longTest('begin with the link that a start prints on a terminal, until there is one', async () => {
    // util-linux's script gives the process a terminal; the shell makes one command line of its words.
    const onTerminal = ['sh', '-c', 'exec script -qfec "$*" /dev/null', 'sh'];
    const start = (more = {}) =>
      new HeadwaterProcess(['serve'], { ...environment, ...more, SHELL: '/bin/sh' }, onTerminal);
    const stop = async (service: HeadwaterProcess) => {
      // Not the shell: the terminal would be gone before the service has stopped.
      const own = children(service.pid).filter((pid) => commandLine(pid).startsWith(process.execPath));
      for (const pid of own) process.kill(pid, 'SIGTERM');
      const ended = await service.ended;
      await until(() => own.every((pid) => commandLine(pid) === ''));
      return ended;
    };
    const first = start();
    const [, url = '', token = ''] = await first.printed(LINK);
    const browser = new ConsoleBrowser(url.replace(/\/console$/, ''));
    const person = { name: 'Ada', email: 'ada@example.org', password: PASSWORD };
    const answer = await browser.request('POST', 'session/link', { token, ...person });
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 201);
    await stop(first);

    const second = start(IN_PLACE);
    await second.printed(/admin token/);
    expect((await stop(second)).out).to.not.match(LINK);
  });
});

/** Processes that a process started, and those that they started. */
function children(pid: number): number[] {
  const direct = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return direct.flatMap((child) => [...children(Number(child)), Number(child)]);
}

/** Empty for a process that has ended. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
