/** Guessing the admin token of a running service, and the commands that end a block or replace the token. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../support/gateway/run-gateway.ts';
import { runCommand } from '../support/service/run-command.ts';
import { HeadwaterProcess, runHeadwater } from '../support/service/run-headwater.ts';

describe('a service under guesses of its admin token', () => {
  let folder: string;
  let dataDir: string;
  let environment: Record<string, string>;
  let service: HeadwaterProcess;
  let url: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-unblock-'));
    // Longer than the path of a socket may be.
    dataDir = join(folder, 'd'.repeat(60), 'e'.repeat(60));
    mkdirSync(dataDir, { recursive: true });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    environment = {
      HEADWATER_DATA_DIR: dataDir,
      HEADWATER_PORT: String(port),
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
      HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
    };
    service = new HeadwaterProcess(['serve'], environment);
    await service.printed(/admin token/);
  });
  after(async () => {
    service.signal('SIGTERM');
    await service.ended;
    rmSync(folder, { recursive: true });
  });

  const token = () => readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const run = (...words: string[]) => runCommand(words, environment);
  const status = async (path: string, key: string, from: string) => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': from, 'x-forwarded-proto': 'https' };
    return (await fetch(url + path, { headers })).status;
  };

  it('blocks the address until the operator unblocks it, and audits that', async () => {
    for (const [from, group] of [
      ['203.0.113.7', '203.0.113.7'],
      ['2001:db8::7', '2001:db8::/64'],
    ] as const) {
      const seen = new Set<number>();
      for (let guess = 0; guess < 100; guess += 1) {
        seen.add(await status(guess % 2 ? '/health' : '/metrics', `guess-${guess}`, from));
      }
      expect([...seen]).to.deep.equal([401, 429]);
      expect(await status('/admin/projects', token(), from)).to.equal(429);
      expect(await status('/admin/projects', token(), '203.0.113.8')).to.equal(200);

      const ended = await run(
        'unblock',
        from.startsWith('2') && from.includes('.') ? `::ffff:${from}` : from,
      );
      expect(ended.err).to.equal('');
      expect([ended.code, ended.out]).to.deep.equal([0, `${group} was blocked and is not any more.\n`]);
      expect(await status('/admin/projects', token(), from)).to.equal(200);
    }
    expect(await run('unblock', '203.0.113.7')).to.include({
      code: 0,
      out: '203.0.113.7 was not blocked.\n',
    });
    const audit = await fetch(`${url}/admin/audit`, { headers: { authorization: `Bearer ${token()}` } });
    const text = await audit.text();
    expect(text.split('::ffff:203.0.113.7').length, text).to.equal(2);
  });

  it('unblocks a valid address, and only while it runs', async () => {
    const wrong = await run('unblock', 'localhost');
    expect(wrong).to.include({ code: 2, out: '' });
    expect(wrong.err).to.include("'localhost' is no IP address");
    const withoutService = await runHeadwater(['unblock', '192.0.2.1'], { HEADWATER_DATA_DIR: folder });
    expect(withoutService.code).to.equal(1);
    expect(withoutService.err).to.include('No service runs on the data folder');
  });

  it('is not confused with a program that listens at a predictable name', async () => {
    const name = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 16);
    const place = join(tmpdir(), `headwater-${name}.sock`);
    let connections = 0;
    const impostor = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.write(`${JSON.stringify({ out: '{"token":"of-the-impostor"}' })}\n{"exit":0}\n`);
    });
    await new Promise<void>((done) => impostor.listen(place, done));
    const before = token();
    const { code, out } = await run('key', 'regenerate', '--admin-token');
    await new Promise((done) => impostor.close(done));
    expect(code).to.equal(0);
    expect(connections).to.equal(0);
    expect((JSON.parse(out) as { token: string }).token)
      .to.equal(token())
      .and.not.equal(before);
    expect(await status('/admin/projects', token(), '203.0.113.8')).to.equal(200);
  });
});

describe('an admin token that can be guessed', () => {
  it('stops start and check in one sentence, with a command that generates a valid one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-short-token-'));
    for (const command of ['check', 'serve']) {
      const { code, out, err } = await runHeadwater([command], {
        HEADWATER_DATA_DIR: join(folder, 'data'),
        HEADWATER_ADMIN_TOKEN: 'ab',
      });
      expect([code, out], err).to.deep.equal([1, '']);
      expect(err).to.include('HEADWATER_ADMIN_TOKEN: adminToken must be 32 to 1000');
      expect(err).to.include('node -p').and.not.include('is "ab"');
    }
    rmSync(folder, { recursive: true });
  });
});
