import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { liveConfig } from '../../config/live-settings.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { ConfigError, originText, problemText } from '../../config/problem.ts';
import { SECRET_TOKEN_RULE } from '../../config/secret-token.ts';

const TOKEN = 'let-me-in-let-me-in-let-me-in-let-me-in';
const plugins = {
  mine: z.strictObject({
    key: z.string().default('none').meta({ description: 'A key.', secret: true }),
    keys: z.array(z.string().min(3)).default([]).meta({ description: 'Keys.', secret: true }),
    boot: z.string().default('').meta({ description: 'A key.', secret: true, live: false }),
    logFile: z.string().default('').describe('A file.'),
  }),
};

describe('a secret setting from a file', () => {
  let folder: string;
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const load = (environment: Record<string, string>, yaml = '') => {
    write('headwater.yaml', yaml);
    return loadConfig({ folder, workingDir: folder, environment }, plugins);
  };
  const problems = async (environment: Record<string, string>) => {
    const found = await load(environment).catch((error: unknown) => error);
    if (!(found instanceof ConfigError)) throw new Error('expected a ConfigError', { cause: found });
    expect(found.message).not.to.include('in-let-me');
    return found.problems.map(problemText);
  };
  const originOf = (config: Config, path: string) =>
    originText(config.entries.find((entry) => entry.path === path)!.origin);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has the content without the newline at its end, and the file in its origin', async () => {
    for (const end of ['', '\n', '\r\n']) {
      const file = write('token', `${TOKEN}${end}`);
      const config = await load({ HEADWATER_ADMIN_TOKEN_FILE: file });
      expect(config.settings.adminToken).to.equal(TOKEN);
      expect(originOf(config, 'adminToken')).to.equal(`HEADWATER_ADMIN_TOKEN_FILE=${file}`);
      expect(config.warnings).to.deep.equal([]);
    }
  });

  it('loses one newline only, and no other character', async () => {
    write('key', ' a\tb \n\n');
    const config = await load({ HEADWATER_PLUGINS__MINE__KEY_FILE: 'key' });
    expect(config.plugins['mine']).to.deep.include({ key: ' a\tb \n' });
  });

  it('works for every secret, those of plugins and short names included, and through links', async () => {
    write('token', TOKEN);
    write('smtp', 'smtp://mail.example');
    symlinkSync(join(folder, 'token'), join(folder, 'link'));
    const { settings, plugins: own } = await load({
      HEADWATER_ADMIN_TOKEN_FILE: 'token',
      HEADWATER_INTERNAL_TOKEN_FILE: 'link',
      HEADWATER_WORKERS_TOKEN_FILE: 'token',
      HEADWATER_MAIL__SMTP_FILE: 'smtp',
      HEADWATER_PLUGINS__MINE__KEY_FILE: 'token',
      HEADWATER_PLUGINS__MINE__KEYS_FILE: write('keys', 'one, two2\n'),
    });
    expect(settings).to.include({ adminToken: TOKEN, internalToken: TOKEN });
    expect(settings.workers.token).to.equal(TOKEN);
    expect(settings.mail.smtp).to.equal('smtp://mail.example');
    expect(own['mine']).to.deep.include({ key: TOKEN, keys: ['one', 'two2'] });
  });

  it('is laid over the file of the operator, and below an option', async () => {
    write('token', TOKEN);
    write('headwater.yaml', `adminToken: ${TOKEN}-of-the-yaml-file\n`);
    const options = { folder, workingDir: folder, environment: { HEADWATER_ADMIN_TOKEN_FILE: 'token' } };
    expect((await loadConfig(options, plugins)).settings.adminToken).to.equal(TOKEN);
    const flags = [{ name: '--set adminToken', path: 'adminToken', text: `${TOKEN}-of-the-option` }];
    const { settings } = await loadConfig({ ...options, flags }, plugins);
    expect(settings.adminToken).to.equal(`${TOKEN}-of-the-option`);
  });

  it('is refused beside its value, with both names', async () => {
    const file = write('token', TOKEN);
    const both = { HEADWATER_ADMIN_TOKEN: TOKEN, HEADWATER_ADMIN_TOKEN_FILE: file };
    const expected = `HEADWATER_ADMIN_TOKEN_FILE=${file}: adminToken is also given by HEADWATER_ADMIN_TOKEN: keep one`;
    expect(await problems(both)).to.deep.equal([expected]);
    const twice = { HEADWATER_WORKERS__TOKEN_FILE: file, HEADWATER_WORKERS_TOKEN_FILE: file };
    expect(await problems(twice)).to.deep.equal([
      `HEADWATER_WORKERS_TOKEN_FILE=${file}: workers.token is also given by HEADWATER_WORKERS__TOKEN_FILE: keep one`,
    ]);
  });

  it('may be empty in the environment, which is as if not set', async () => {
    const { settings } = await load({ HEADWATER_ADMIN_TOKEN: TOKEN, HEADWATER_ADMIN_TOKEN_FILE: '' });
    expect(settings.adminToken).to.equal(TOKEN);
    write('token', TOKEN);
    const other = await load({ HEADWATER_ADMIN_TOKEN: '', HEADWATER_ADMIN_TOKEN_FILE: 'token' });
    expect(other.settings.adminToken).to.equal(TOKEN);
  });

  const unusable: readonly [title: string, make: (path: string) => void, rule: string][] = [
    ['missing', () => {}, 'names a file that cannot be read (ENOENT)'],
    ['a link to itself', (path) => symlinkSync(path, path), 'names a file that cannot be read (ELOOP)'],
    ['a folder', (path) => execFileSync('mkdir', [path]), 'must name a file'],
    ['a pipe that is never written', (path) => execFileSync('mkfifo', [path]), 'must name a file'],
    ['empty', (path) => writeFileSync(path, ''), 'names an empty file'],
    ['a newline only', (path) => writeFileSync(path, '\n'), 'names an empty file'],
    [
      'too large',
      (path) => writeFileSync(path, 'let-me-in-'.repeat(6554)),
      'names a file that is too large for a secret: more than 65536 bytes',
    ],
    [
      'no text',
      (path) => writeFileSync(path, Buffer.from([0x69, 0xff])),
      'names a file that is not UTF-8 text',
    ],
  ];
  for (const [title, make, rule] of unusable) {
    it(`is refused with variable and path where the file is ${title}`, async () => {
      const path = join(folder, 'secret');
      make(path);
      // The role needs the token: a secret that cannot be read is one problem, not two.
      const found = await problems({ HEADWATER_ROLE: 'core', HEADWATER_INTERNAL_TOKEN_FILE: path });
      expect(found).to.deep.equal([`HEADWATER_INTERNAL_TOKEN_FILE=${path}: internalToken ${rule}`]);
    });
  }

  it('that breaks its rule is reported with variable and path, never with its content', async () => {
    const file = write('token', 'let-me-in-let-me in');
    expect(await problems({ HEADWATER_ADMIN_TOKEN_FILE: file })).to.deep.equal([
      `HEADWATER_ADMIN_TOKEN_FILE=${file}: adminToken ${SECRET_TOKEN_RULE}`,
    ]);
    const list = write('keys', '[in-let-me, 17, x]');
    expect(await problems({ HEADWATER_PLUGINS__MINE__KEYS_FILE: list })).to.deep.equal([
      `HEADWATER_PLUGINS__MINE__KEYS_FILE=${list}: plugins.mine.keys.1 must be a text`,
      `HEADWATER_PLUGINS__MINE__KEYS_FILE=${list}: plugins.mine.keys.2 must have at least 3 characters`,
    ]);
  });

  it('exists for secrets only, and a setting of that name stays one', async () => {
    const { warnings, plugins: own } = await load({
      HEADWATER_PORT_FILE: 'port',
      HEADWATER_ADMIN_TOKENS_FILE: 'token',
      HEADWATER_PLUGINS__MINE__LOG_FILE: 'a.log',
    });
    expect(warnings).to.deep.equal([
      'HEADWATER_PORT_FILE has no effect: only secrets can be read from a file',
      'HEADWATER_ADMIN_TOKENS_FILE is no setting and has no effect; did you mean HEADWATER_ADMIN_TOKEN_FILE?',
    ]);
    expect(own['mine']).to.deep.include({ logFile: 'a.log' });
  });

  it('is read again by a reload, which applies it where the setting is live', async () => {
    write('secret', 'first');
    const environment = {
      HEADWATER_PLUGINS__MINE__KEY_FILE: 'secret',
      HEADWATER_PLUGINS__MINE__BOOT_FILE: 'secret',
    };
    const running = await load(environment);
    write('secret', 'second\n');
    const { config, changed, waiting } = liveConfig(running, await load(environment));
    expect(config.plugins['mine']).to.deep.include({ key: 'second', boot: 'first' });
    expect(changed).to.deep.equal(['plugins.mine.key']);
    expect(waiting.map(({ path }) => path)).to.deep.equal(['plugins.mine.boot']);
  });
});
