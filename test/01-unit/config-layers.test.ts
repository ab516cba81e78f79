import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { type Config, loadConfig } from '../../config/load-config.ts';

const plugins = {
  'rate-limit': z.strictObject({
    limits: z
      .strictObject({ second: z.int().min(1).default(10).describe('Calls in a second.') })
      .prefault({})
      .describe('Limits.'),
    key: z.string().default('none').meta({ description: 'A key.', secret: true }),
  }),
};

function originAt(config: Config, path: string): unknown {
  return config.entries.find((entry) => entry.path === path)?.origin;
}

describe('settings in layers', () => {
  let folder: string;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-config-'));
    mkdirSync(join(folder, 'plugins'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('have the defaults of the schemas where no layer sets them', async () => {
    const config = await loadConfig({ environment: {}, workingDir: '/srv' }, plugins);
    expect(config.settings).to.include({
      host: '127.0.0.1',
      port: 8080,
      tlsPort: 8443,
      dataDir: '/srv/data',
      sample: true,
    });
    expect(config.settings.vendor).to.deep.equal({ header: ['SVC'], mediaType: 'service' });
    expect(config.plugins).to.deep.equal({ 'rate-limit': { limits: { second: 10 }, key: 'none' } });
    expect(originAt(config, 'port')).to.deep.equal({ from: 'default' });
  });

  it('come from file, then environment, then flags, and have their origin', async () => {
    write('headwater.yaml', 'host: 10.0.0.1\n\nport: 1001\ntlsPort: 2001\n');
    write('plugins/rate-limit.yaml', 'limits:\n  second: 20\n');
    const config = await loadConfig(
      {
        folder,
        environment: { HEADWATER_PORT: '1002', HEADWATER_TLS_PORT: '2002' },
        flags: [{ name: '--tls-port', path: 'tlsPort', text: '2003' }],
      },
      plugins,
    );
    expect(config.settings).to.include({ host: '10.0.0.1', port: 1002, tlsPort: 2003, drainSeconds: 30 });
    expect(originAt(config, 'host')).to.deep.equal({
      from: 'file',
      file: join(folder, 'headwater.yaml'),
      line: 1,
    });
    expect(originAt(config, 'port')).to.deep.equal({ from: 'environment', name: 'HEADWATER_PORT' });
    expect(originAt(config, 'tlsPort')).to.deep.equal({ from: 'flag', name: '--tls-port' });
    expect(config.plugins['rate-limit']).to.deep.include({ limits: { second: 20 } });
    expect(originAt(config, 'plugins.rate-limit.limits.second')).to.deep.include({ line: 2 });
  });

  it('have their documented names in the environment', async () => {
    const config = await loadConfig(
      {
        workingDir: '/srv',
        environment: {
          HEADWATER_DATA_DIR: 'elsewhere',
          HEADWATER_HOST: '::1',
          HEADWATER_PORT: '0',
          HEADWATER_TLS_PORT: '0',
          HEADWATER_ADMIN_TOKEN: 'let-me-in-let-me-in-let-me-in-let-me-in',
          HEADWATER_SAMPLE: 'false',
          HEADWATER_ROLE: 'all',
          HEADWATER_VENDOR_HEADER: 'KC, Kontent',
          HEADWATER_VENDOR_MEDIA_TYPE: 'kenticocloud',
        },
      },
      plugins,
    );
    expect(config.settings).to.include({
      dataDir: '/srv/elsewhere',
      host: '::1',
      port: 0,
      tlsPort: 0,
      adminToken: 'let-me-in-let-me-in-let-me-in-let-me-in',
      sample: false,
    });
    expect(config.settings.vendor).to.deep.equal({ header: ['KC', 'Kontent'], mediaType: 'kenticocloud' });
    expect(config.warnings).to.deep.equal([]);
  });

  it('can each be set by HEADWATER_ and their path, with __ between levels', async () => {
    const config = await loadConfig(
      {
        environment: {
          HEADWATER_SURFACES__DELIVERY__PUBLIC_URL: 'https://cdn.example/content',
          HEADWATER_SURFACES__PREVIEW__HOSTS: '[]',
          HEADWATER_PIPELINE__SURFACES: '{rate-limit: [manage]}',
          HEADWATER_PLUGINS__RATE_LIMIT__LIMITS__SECOND: '3',
          HEADWATER_VENDOR__HEADER: 'A',
        },
      },
      plugins,
    );
    expect(config.settings.surfaces.delivery.publicUrl).to.equal('https://cdn.example/content');
    expect(config.settings.surfaces.preview.hosts).to.deep.equal([]);
    expect(config.settings.pipeline.surfaces).to.deep.equal({ 'rate-limit': ['manage'] });
    expect(config.plugins['rate-limit']).to.deep.include({ limits: { second: 3 } });
    expect(config.settings.vendor.header).to.deep.equal(['A']);
    for (const entry of config.entries) expect(entry.environmentName).to.match(/^HEADWATER_[A-Z0-9_]+$/);
  });

  it('of several kinds are read from the environment as each of them, null too', async () => {
    write('headwater.yaml', 'filesUrl: s3://bucket\n');
    const own = z.strictObject({
      flag: z.boolean().nullable().default(null),
      factor: z.number().nullable().default(null),
      either: z.union([z.boolean(), z.number()]).default(1),
      level: z.literal([false, 1, null, 'auto']).default('auto'),
      mode: z.literal([false, 'auto']).default(false),
    });
    const environment = {
      HEADWATER_FILES_URL: 'null',
      HEADWATER_PLUGINS__OWN__FLAG: 'true',
      HEADWATER_PLUGINS__OWN__FACTOR: '0.5',
      HEADWATER_PLUGINS__OWN__EITHER: 'no',
      HEADWATER_PLUGINS__OWN__LEVEL: 'false',
      HEADWATER_PLUGINS__OWN__MODE: 'auto',
    };
    const config = await loadConfig({ folder, environment }, { own });
    expect(config.settings.filesUrl).to.equal(null);
    expect(config.plugins['own']).to.deep.equal({
      flag: true,
      factor: 0.5,
      either: false,
      level: false,
      mode: 'auto',
    });
  });

  it('have lists separated by commas in the environment, also of addresses that begin with a bracket', async () => {
    const cores = ['[::1]:8091', '[2001:db8::7]:8091'];
    const environment = {
      HEADWATER_CORES: cores.join(', '),
      HEADWATER_WORKERS__REMOTE: '["[::1]:8095"] # one',
    };
    const { settings } = await loadConfig(
      { environment: { ...environment, HEADWATER_WORKERS__TOKEN: 'x'.repeat(32) } },
      plugins,
    );
    expect(settings.cores).to.deep.equal(cores);
    expect(settings.workers.remote).to.deep.equal(['[::1]:8095']);
  });

  it('of several processes have their documented names and defaults', async () => {
    const byDefault = await loadConfig({ environment: {}, workingDir: '/srv' }, plugins);
    expect(byDefault.settings).to.deep.include({
      listen: '127.0.0.1:8091',
      cores: [],
      internalToken: null,
      filesDir: null,
      gateway: { processes: 1 },
      feed: 'core',
    });
    const { settings } = await loadConfig(
      {
        workingDir: '/srv',
        environment: {
          HEADWATER_ROLE: 'gateway',
          HEADWATER_LISTEN: 'unix:/run/headwater/core.sock',
          HEADWATER_CORES: 'core-1:8091, https://core-2:8091,[::1]:1,unix:/run/core.sock',
          HEADWATER_INTERNAL_TOKEN: 'let-me-in-let-me-in-let-me-in-let-me-in',
          HEADWATER_FILES_DIR: 'files',
          HEADWATER_GATEWAY__PROCESSES: '3',
          HEADWATER_FEED: 'core',
        },
      },
      plugins,
    );
    expect(settings).to.deep.include({
      role: 'gateway',
      listen: 'unix:/run/headwater/core.sock',
      cores: ['core-1:8091', 'https://core-2:8091', '[::1]:1', 'unix:/run/core.sock'],
      internalToken: 'let-me-in-let-me-in-let-me-in-let-me-in',
      filesDir: '/srv/files',
      gateway: { processes: 3 },
      feed: 'core',
    });
  });

  it('treat an empty variable as not set', async () => {
    const config = await loadConfig(
      { environment: { HEADWATER_ADMIN_TOKEN: '', HEADWATER_PORT: '' } },
      plugins,
    );
    expect(config.settings.port).to.equal(8080);
    expect(config.settings.adminToken).to.equal(undefined);
  });

  it('warn of an unknown variable, because orchestrators add names of their own', async () => {
    const config = await loadConfig(
      { environment: { HEADWATER_PROT: '1', HEADWATER_CONFIG: 'x', PORT: '2' } },
      plugins,
    );
    expect(config.warnings).to.deep.equal([
      'HEADWATER_PROT is no setting and has no effect; did you mean HEADWATER_PORT?',
    ]);
  });

  it('warn of settings that the role does not use, with their origin', async () => {
    write(
      'headwater.yaml',
      'trustedProxies: [10.0.0.1]\nretention:\n  changeDays: 3\nlogLevel: warn\ndrainSeconds: 9\n',
    );
    write('plugins/rate-limit.yaml', '\nlimits:\n  second: 5\n');
    const warnings = async (role: string) =>
      (
        await loadConfig(
          {
            folder,
            workingDir: folder,
            environment: { HEADWATER_ROLE: role, HEADWATER_CORES: 'core:1', HEADWATER_WORKERS__HOSTS: '2' },
            flags: ['internalToken', 'workers.token'].map((path) => ({
              name: `--set ${path}`,
              path,
              text: 'a-secret-of-several-processes-0123456789',
            })),
          },
          plugins,
        )
      ).warnings;
    const cores = (role: string) => `HEADWATER_CORES: cores has no effect, since role is ${role}`;
    const ofGateways = (role: string) => [
      `headwater.yaml:1: trustedProxies has no effect, since role is ${role}`,
      `plugins/rate-limit.yaml:3: plugins.rate-limit.limits.second has no effect, since role is ${role}`,
    ];
    const ofCores = (role: string) =>
      `headwater.yaml:3: retention.changeDays has no effect, since role is ${role}`;
    const token = (role: string) => `--set internalToken: internalToken has no effect, since role is ${role}`;
    expect(await warnings('all')).to.have.members([cores('all'), token('all')]);
    expect(await warnings('core')).to.have.members([cores('core'), ...ofGateways('core')]);
    expect(await warnings('gateway')).to.have.members([
      ofCores('gateway'),
      'HEADWATER_WORKERS__HOSTS: workers.hosts has no effect, since role is gateway',
      '--set workers.token: workers.token has no effect, since role is gateway',
    ]);
    expect(await warnings('worker')).to.have.members([
      cores('worker'),
      token('worker'),
      ofCores('worker'),
      ...ofGateways('worker'),
      'headwater.yaml:5: drainSeconds has no effect, since role is worker',
    ]);
  });

  it('treat a level that contains only comments as not set', async () => {
    write('headwater.yaml', 'surfaces:\n  delivery:\n    # prefix: /x\nvendor:\n');
    const config = await loadConfig({ folder, environment: {} }, plugins);
    expect(config.settings.surfaces.delivery.prefix).to.equal('/delivery');
  });

  it('resolve paths in a file relative to that file, others relative to the working directory', async () => {
    write(
      'headwater.yaml',
      'tls: { certificate: certs/a.pem, key: /etc/key.pem }\npipeline:\n  own: [./mine.mjs, a-package]\n',
    );
    const own: string[] = [];
    const config = await loadConfig(
      { folder, environment: { HEADWATER_DATA_DIR: 'd' }, workingDir: '/srv' },
      (modules) => {
        own.push(...modules);
        return plugins;
      },
    );
    expect(config.settings.tls).to.deep.equal({
      certificate: join(folder, 'certs/a.pem'),
      key: '/etc/key.pem',
    });
    expect(config.settings.dataDir).to.equal('/srv/d');
    expect(own).to.deep.equal([join(folder, 'mine.mjs'), 'a-package']);
    expect(config.settings.pipeline.own).to.deep.equal(own);
  });

  it('are paths in a list, or beside a null, as they are alone', async () => {
    const file = z.string().meta({ path: true });
    const own = z.strictObject({ one: file.nullable(), none: file.nullable(), many: z.array(file) });
    write('plugins/own.yaml', 'one: a.pem\nnone: null\nmany: [b.pem, /c.pem]\n');
    const { plugins: made } = await loadConfig({ folder, environment: {} }, { own });
    const at = (name: string) => join(folder, 'plugins', name);
    expect(made['own']).to.deep.equal({ one: at('a.pem'), none: null, many: [at('b.pem'), '/c.pem'] });
  });

  it('may be in a level that can be left out, a path too', async () => {
    const tls = z.strictObject({ file: z.string().meta({ path: true }) }).optional();
    const load = () => loadConfig({ folder, environment: {} }, { own: z.strictObject({ tls }) });
    expect((await load()).plugins['own']).to.deep.equal({});
    write('plugins/own.yaml', 'tls: {file: a.pem}\n');
    expect((await load()).plugins['own']).to.deep.equal({ tls: { file: join(folder, 'plugins/a.pem') } });
  });

  it('are deeply frozen', async () => {
    const config = await loadConfig({ environment: {} }, plugins);
    expect(() => Object.assign(config.settings.surfaces.delivery, { prefix: '/x' })).to.throw(TypeError);
    expect(() => (config.settings.vendor.header as string[]).push('x')).to.throw(TypeError);
    expect(() => Object.assign(config.plugins['rate-limit'] as object, { key: 'x' })).to.throw(TypeError);
  });

  it('mark values that are secrets', async () => {
    const config = await loadConfig({ environment: {} }, plugins);
    const secrets = config.entries.filter((entry) => entry.secret).map((entry) => entry.path);
    expect(secrets).to.deep.equal([
      'databaseUrl',
      'databaseReplicaUrl',
      'files.secretAccessKey',
      'internalToken',
      'redisUrl',
      'adminToken',
      'mail.smtp',
      'workers.token',
      'plugins.rate-limit.key',
    ]);
  });

  it('mark groups, lists and maps of secrets, and problems show none of these', async () => {
    const token = z.string().min(8).meta({ secret: true });
    const own = z.strictObject({
      targets: z
        .array(z.strictObject({ url: z.string(), token }))
        .default([])
        .describe('Targets.'),
      keys: z.record(z.string(), token).default({}).describe('Keys.'),
      one: z.strictObject({ token }).nullable().default(null).describe('One.'),
      login: z
        .strictObject({ name: z.string().min(8).default('somebody').describe('Who.') })
        .prefault({})
        .meta({ description: 'A login.', secret: true }),
      names: z.array(z.string()).default([]).describe('Names.'),
    });
    const config = await loadConfig({ environment: {} }, { own });
    const secrets = config.entries.filter(({ path, secret }) => secret && path.startsWith('plugins.'));
    expect(secrets.map(({ path }) => path)).to.deep.equal([
      'plugins.own.targets',
      'plugins.own.keys',
      'plugins.own.one',
      'plugins.own.login.name',
    ]);
    write(
      'plugins/own.yaml',
      'targets: [{url: a, token: hush}]\nkeys: {a: hush}\none: {token: hush}\nlogin: {name: hush}\n',
    );
    const { message } = await loadConfig({ environment: {}, folder }, { own }).then(
      () => expect.fail(),
      (error: Error) => error,
    );
    expect(message.match(/ must have at least 8 characters/g)).to.have.length(4);
    expect(message).to.not.include('hush');
  });
});
