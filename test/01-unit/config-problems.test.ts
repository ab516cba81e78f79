import { execSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { type LoadPluginSchemas, loadConfig, type PluginSchemas } from '../../config/load-config.ts';
import { ConfigError, problemText } from '../../config/problem.ts';
import type { LayerOptions } from '../../config/read-layers.ts';
import { SECRET_TOKEN_RULE } from '../../config/secret-token.ts';
import { settings as rateLimit } from '../../plugins/rate-limit/schema.ts';

const TOKEN = 'a-secret-of-gateways-and-cores-0123456789';

const plugins = {
  cors: z.strictObject({ origins: z.array(z.string()).default(['*']).describe('Origins.') }),
};

describe('wrong settings', () => {
  let folder: string;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const problems = async (
    options: Partial<LayerOptions> = {},
    schemas: PluginSchemas | LoadPluginSchemas = plugins,
  ) => {
    try {
      await loadConfig({ folder, workingDir: folder, environment: {}, ...options }, schemas);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems.map(problemText);
      throw error;
    }
    return [];
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-config-'));
    mkdirSync(join(folder, 'plugins'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('names the line of a key of the rate limit by its text, not the text', async () => {
    for (const limits of ['{second: 500}', '{second: 0}', '{secnd: 1}', '5']) {
      write('plugins/rate-limit.yaml', `keys:\n  secret-1: ${limits}\n`);
      expect(await problems({}, { 'rate-limit': rateLimit }), limits).to.deep.equal([
        "plugins/rate-limit.yaml:2: plugins.rate-limit.keys has a name that is no id of a key; 'headwater key list' shows them",
      ]);
    }
  });

  const inMainFile: readonly [title: string, yaml: string, expected: string][] = [
    [
      'one port for HTTP and HTTPS',
      'port: 9000\ntlsPort: 9000',
      'headwater.yaml:2: tlsPort must differ from port: one port cannot be plain HTTP and HTTPS',
    ],
    [
      'a public URL that cannot exist',
      'surfaces:\n  delivery:\n    publicUrl: http://a:99999',
      'headwater.yaml:3: surfaces.delivery.publicUrl must be a URL with a host name and port that can exist',
    ],
    ['an unknown key', 'host: a\nprot: 1', 'headwater.yaml:2: prot is not a setting; did you mean port?'],
    [
      'an unknown key below a level',
      'vendor:\n  headers: [A]',
      'headwater.yaml:2: vendor.headers is not a setting; did you mean header?',
    ],
    [
      'a key like nothing known',
      'vendor: { zebra: 1 }',
      'headwater.yaml:1: vendor.zebra is not a setting; known here: header, mediaType',
    ],
    ['a text for a number', '\n\nport: "80a"', 'headwater.yaml:3: port must be a number, but is "80a"'],
    [
      'a fraction for a whole number',
      'port: 80.5',
      'headwater.yaml:1: port must be a whole number, but is 80.5',
    ],
    ['a number out of range', 'port: 70000', 'headwater.yaml:1: port must be at most 65535, but is 70000'],
    ['a number for a text', 'host: 5', 'headwater.yaml:1: host must be a text, but is 5'],
    [
      'a text for a list',
      'allowedHosts: a.example',
      'headwater.yaml:1: allowedHosts must be a list, but is "a.example"',
    ],
    [
      'a value for a level',
      'surfaces: yes',
      'headwater.yaml:1: surfaces must be a group of settings, but is "yes"',
    ],
    [
      'a list for a level',
      'surfaces: [1]',
      'headwater.yaml:1: surfaces must be a group of settings, but is a list',
    ],
    [
      'a word that is none of the choice',
      'logLevel: loud',
      'headwater.yaml:1: logLevel must be one of trace, debug, info, warn, error, fatal, silent, but is "loud"',
    ],
    [
      'a wrong entry of a list, with its own line',
      'trustedProxies:\n  - 10.0.0.0/8\n  - nginx',
      'headwater.yaml:3: trustedProxies.1 must be an IP address or a range such as 10.0.0.0/8, but is "nginx"',
    ],
    [
      'an empty list where one is needed',
      'vendor: { header: [] }',
      'headwater.yaml:1: vendor.header must name at least one, but is a list',
    ],
    [
      'half a certificate',
      'tls:\n  key: a.pem',
      'headwater.yaml:1: tls.certificate must be given too, since tls.key is',
    ],
    [
      'two surfaces with one address',
      'surfaces:\n  preview:\n    prefix: /delivery',
      'headwater.yaml:3: surfaces.preview.prefix must differ from surfaces.delivery: two surfaces cannot both be at /delivery',
    ],
    [
      'a gateway without cores',
      `\nrole: gateway\ninternalToken: ${TOKEN}`,
      'headwater.yaml:1: cores must name a core, since role is gateway',
    ],
    [
      'a gateway without the token of its cores',
      'cores: [a:1]\nrole: gateway',
      'headwater.yaml:1: internalToken must be given, since role is gateway',
    ],
    [
      'a core without the token of its gateways',
      'role: core',
      'headwater.yaml:1: internalToken must be given, since role is core',
    ],
    [
      'a worker without the token of its clients',
      'port: 1\nworkers: {}\nrole: worker',
      'headwater.yaml:2: workers.token must be given, since role is worker',
    ],
    [
      'an internal token that can be guessed',
      'port: 1\ninternalToken: short',
      `headwater.yaml:2: internalToken ${SECRET_TOKEN_RULE}`,
    ],
    ['a core given twice', 'port: 1\ncores: [a:1, a:1]', 'headwater.yaml:2: cores names an address twice'],
    [
      'a DNS name beside addresses',
      'cores: [a:1, cores.internal]',
      'headwater.yaml:1: cores has cores.internal without a port beside other addresses: give one DNS name alone, or ports',
    ],
    ...[
      'http://a:1',
      'https://a',
      'a:70000',
      'a:0',
      '10.0.0.1',
      '[::1]',
      'a b:1',
      'unix:relative',
      `unix:/${'x'.repeat(100)}`,
    ].map((address): [string, string, string] => [
      `${address.slice(0, 20)} as the address of a core`,
      `port: 1\ncores: ['${address}']`,
      'headwater.yaml:2: cores.0 must be host:port, https://host:port, unix:/path or one DNS name, for example core-1.internal:8091',
    ]),
    [
      'a URL to listen at',
      'port: 1\nlisten: https://a:1',
      'headwater.yaml:2: listen must be host:port or unix:/path (at most 100 bytes), for example 10.0.0.5:8091',
    ],
    [
      'a feed over Redis without its address',
      'role: core\ninternalToken: 0123456789-0123456789-0123456789\nfeed: redis',
      'headwater.yaml:1: redisUrl must be given, since feed is redis',
    ],
    [
      'several servers of Redis without their kind',
      'redisUrl: redis://a,b',
      'headwater.yaml:1: redisUrl names several servers: redis.sentinel or redis.cluster must be set',
    ],
    [
      'a database of a Redis cluster',
      'redisUrl: redis://:secret@a,b/1\nredis:\n  cluster: true',
      'headwater.yaml:1: redisUrl has the number of a database, and a cluster has one only',
    ],
    [
      'a port of Redis that cannot exist',
      'redisUrl: redis://:secret@a:65536',
      'headwater.yaml:1: redisUrl has a host that cannot exist, or a port above 65535',
    ],
    [
      'an IPv6 address of Redis that cannot exist',
      `redisUrl: 'redis://:secret@[::1]:6379,[1:2]'\nredis:\n  cluster: true`,
      'headwater.yaml:1: redisUrl has a host that cannot exist, or a port above 65535',
    ],
    [
      'a port of a worker that cannot exist',
      `workers:\n  token: ${TOKEN}\n  remote: ['a:65536']`,
      'headwater.yaml:3: workers.remote.0 must have a port up to 65535',
    ],
    [
      'more milliseconds than a timer takes',
      'delivery:\n  answerMilliseconds: 2147483648',
      'headwater.yaml:2: delivery.answerMilliseconds must be at most 3600000, but is 2147483648',
    ],
    [
      'more days than there are dates',
      'retention:\n  changeDays: 99999999',
      'headwater.yaml:2: retention.changeDays must be at most 36500, but is 99999999',
    ],
    [
      'read replicas of no database',
      'port: 1\ndatabaseReplicaUrl: postgres://a/b',
      'headwater.yaml:2: databaseReplicaUrl needs databaseUrl, the address of the primary',
    ],
    ['an infinite number', 'port: .inf', 'headwater.yaml:1: port must be a number, but is Infinity'],
    ['a key twice', 'port: 1\nhost: a\nport: 2', 'headwater.yaml:3: names a setting twice'],
    [
      'a second document',
      'port: 1\n---\nhost: a',
      'headwater.yaml:2: begins a second document: remove the line ---',
    ],
    ['a list as the file', '- port', 'headwater.yaml:1: must hold settings as "name: value"'],
  ];
  for (const [title, yaml, expected] of inMainFile) {
    it(`report file, line, path and rule of ${title}`, async () => {
      write('headwater.yaml', yaml);
      expect(await problems()).to.deep.equal([expected]);
    });
  }

  it('say where a bound is not allowed itself', async () => {
    write('plugins/timing.yaml', 'bounds: [0]');
    const timing = z.strictObject({ bounds: z.array(z.number().positive()).default([]).describe('Bounds.') });
    expect(await problems({}, { timing })).to.deep.equal([
      'plugins/timing.yaml:1: plugins.timing.bounds.0 must be more than 0, but is 0',
    ]);
  });

  it('report the line of broken YAML', async () => {
    write('headwater.yaml', 'host: a\nport: [1, 2\n');
    const [first] = await problems();
    expect(first).to.match(/^headwater\.yaml:[23]: is not valid YAML: /);
  });

  it('are reported together, also across files and layers, ordered by file and line', async () => {
    write('headwater.yaml', 'port: x\nlogLevel: loud\nhots: a\n');
    write('plugins/cors.yaml', 'origins: 5\n');
    const found = await problems({
      environment: { HEADWATER_TLS_PORT: 'y' },
      flags: [{ name: '--set', path: 'a', text: '' }],
    });
    expect(found.map((text) => text.split(' ').slice(0, 2).join(' '))).to.deep.equal([
      '--set: a',
      'HEADWATER_TLS_PORT: tlsPort',
      'headwater.yaml:1: port',
      'headwater.yaml:2: logLevel',
      'headwater.yaml:3: hots',
      'plugins/cors.yaml:1: plugins.cors.origins',
    ]);
  });

  it('name the variable or the flag of a value', async () => {
    expect(await problems({ environment: { HEADWATER_PORT: 'tcp://10.0.0.1:8080' } })).to.deep.equal([
      'HEADWATER_PORT: port must be a number, but is "tcp://10.0.0.1:8080"',
    ]);
    expect(await problems({ flags: [{ name: '--port', path: 'port', text: '-1' }] })).to.deep.equal([
      '--port: port must be at least 0, but is -1',
    ]);
    expect(await problems({ flags: [{ name: '--set prot', path: 'prot', text: '1' }] })).to.deep.equal([
      '--set prot: prot is not a setting; did you mean port?',
    ]);
  });

  it('include a setting that two variables or two different options give, in both orders', async () => {
    const one = 'HEADWATER_VENDOR_HEADER';
    const other = 'HEADWATER_VENDOR__HEADER';
    expect(await problems({ environment: { [one]: 'A', [other]: 'B' } })).to.deep.equal([
      `${other}: vendor.header is also given by ${one}: keep one`,
    ]);
    expect(await problems({ environment: { [other]: 'B', [one]: 'A' } })).to.deep.equal([
      `${one}: vendor.header is also given by ${other}: keep one`,
    ]);
    const port = { name: '--port', path: 'port', text: '2' };
    const set = { name: '--set port', path: 'port', text: '1' };
    expect(await problems({ flags: [port, set] })).to.deep.equal([
      '--set port: port is also given by --port: keep one',
    ]);
    expect(await problems({ flags: [set, port] })).to.deep.equal([
      '--port: port is also given by --set port: keep one',
    ]);
    expect(await problems({ flags: [set, { ...set, text: '3' }] })).to.deep.equal([]);
    expect(await problems({ flags: [port, { ...port, text: 'x' }] })).to.deep.equal([
      '--port: port must be a number, but is "x"',
    ]);
  });

  it('never show a secret', async () => {
    const [problem] = await problems({ environment: { HEADWATER_ADMIN_TOKEN: 'pass word' } });
    expect(problem).to.include('HEADWATER_ADMIN_TOKEN: adminToken must be').and.not.include('pass word');
  });

  it('report a token that can be guessed or cannot be sent, with the command that generates a valid one', async () => {
    const good = 'a'.repeat(32);
    let command = '';
    for (const bad of ['ab', good.slice(1), `${good} ${good}`, `${good}é`, `${good}\t`, 'a'.repeat(1001)]) {
      for (const name of ['HEADWATER_ADMIN_TOKEN', 'HEADWATER_WORKERS__TOKEN']) {
        const [problem, ...others] = await problems({ environment: { [name]: bad } });
        expect(others).to.deep.equal([]);
        expect(problem).to.match(
          new RegExp(`^${name}: \\w+(\\.\\w+)? must be 32 to 1000 visible ASCII characters`),
        );
        command = problem?.split('this command creates one: ')[1] ?? '';
      }
    }
    const made = execSync(command).toString().trim();
    expect(made).to.have.lengthOf(43);
    for (const token of [good, made])
      expect(await problems({ environment: { HEADWATER_ADMIN_TOKEN: token } })).to.deep.equal([]);
  });

  it('include files that are not read', async () => {
    write('headwatr.yaml', 'port: 1');
    write('plugins/crs.yaml', '');
    write('plugins/cors.yml', '');
    expect(await problems()).to.deep.equal([
      'headwatr.yaml:1: is not read by anything; did you mean headwater.yaml?',
      'plugins/cors.yml:1: is not read by anything; did you mean cors.yaml?',
      'plugins/crs.yaml:1: is for no plugin; did you mean cors.yaml?',
    ]);
  });

  it('do not include settings of plugins that are not known, as headwater.yaml or a module cannot be read', async () => {
    write('plugins/mine.yaml', 'greeting: 3');
    write('headwater.yaml', 'pipeline: [');
    const [broken, ...others] = await problems();
    expect(broken).to.match(/^headwater\.yaml:1: is not valid YAML/);
    expect(others).to.deep.equal([]);
    write('headwater.yaml', 'pipeline: {own: [./mine.mjs]}');
    const rejecting: LoadPluginSchemas = (own, reject) => {
      reject(own[0] ?? '', 'names a module that is not there');
      return {};
    };
    expect(await problems({}, rejecting)).to.deep.equal([
      'headwater.yaml:1: pipeline.own.0 names a module that is not there',
    ]);
  });

  it('include a folder that is missing or cannot be read, by the name that gave it', async () => {
    const nowhere = join(folder, 'nowhere');
    expect(await problems({ folder: nowhere })).to.deep.equal([
      '--config: must be a folder, but there is none at nowhere',
    ]);
    expect(await problems({ folder: nowhere, environment: { HEADWATER_CONFIG: nowhere } })).to.deep.equal([
      'HEADWATER_CONFIG: must be a folder, but there is none at nowhere',
    ]);
    const loop = join(folder, 'loop');
    symlinkSync('loop', loop);
    expect(await problems({ folder: loop })).to.deep.equal([
      '--config: names loop, which cannot be read (ELOOP)',
    ]);
  });

  it('include files that are there, but cannot be read', async () => {
    rmSync(join(folder, 'plugins'), { recursive: true });
    symlinkSync('plugins', join(folder, 'plugins'));
    symlinkSync('gone.yaml', join(folder, 'headwater.yaml'));
    expect(await problems()).to.deep.equal([
      '--config: names plugins, which cannot be read (ELOOP)',
      'headwater.yaml:1: cannot be read (ENOENT)',
    ]);
  });

  it('have one sentence for each kind of fault', async () => {
    write('headwater.yaml', 'port: x\nhots: a\n');
    const error: unknown = await loadConfig({ folder, workingDir: folder, environment: {} }, plugins).catch(
      (e: unknown) => e,
    );
    expect(String(error)).to.equal(
      [
        'ConfigError: The configuration has 2 problems:',
        '  headwater.yaml:1: port must be a number, but is "x"',
        '  headwater.yaml:2: hots is not a setting; did you mean host?',
      ].join('\n'),
    );
  });

  it('include unknown plugins in the pipeline, each with its line, beside all others', async () => {
    write(
      'headwater.yaml',
      [
        'prot: 1',
        'pipeline:',
        '  off: [cors, crs]',
        '  own:',
        '    - ./good.mjs',
        '    - ./missing.mjs',
        '  order:',
        '    edge: [zebra]',
        '  surfaces:',
        '    teapot: [docs]',
        '    kettle: [docs]',
      ].join('\n'),
    );
    const rejecting: LoadPluginSchemas = (own, reject) => {
      expect(own).to.deep.equal([join(folder, 'good.mjs'), join(folder, 'missing.mjs')]);
      reject(own[1] ?? '', 'names a module that is not there');
      return { ...plugins, teapot: z.strictObject({}) };
    };
    expect(await problems({}, rejecting)).to.deep.equal([
      'headwater.yaml:1: prot is not a setting; did you mean port?',
      "headwater.yaml:3: pipeline.off.1 names 'crs', which is no plugin; did you mean cors?",
      'headwater.yaml:6: pipeline.own.1 names a module that is not there',
      "headwater.yaml:8: pipeline.order.edge.0 names 'zebra', which is no plugin",
      "headwater.yaml:11: pipeline.surfaces.kettle names 'kettle', which is no plugin",
    ]);
    expect(await problems({ environment: { HEADWATER_PIPELINE__OFF: 'crs' } }, plugins)).to.include(
      "HEADWATER_PIPELINE__OFF: pipeline.off.0 names 'crs', which is no plugin; did you mean cors?",
    );
  });

  it('of own plugins name their entry in the list, also after an entry that is no text and for repeated ones', async () => {
    write('headwater.yaml', 'pipeline:\n  own:\n    - 7\n    - ./missing.mjs\n    - ./missing.mjs\n');
    const rejecting: LoadPluginSchemas = (own, reject) => {
      for (const module of own) reject(module, 'names a module that is not there');
      return {};
    };
    expect(await problems({}, rejecting)).to.have.members([
      'headwater.yaml:3: pipeline.own.0 must be a text, but is 7',
      'headwater.yaml:4: pipeline.own.1 names a module that is not there',
      'headwater.yaml:5: pipeline.own.2 names a module that is not there',
    ]);
  });

  it('name what a schema turns into an object that a reload, or another process, would not get', async () => {
    write('plugins/own.yaml', 'url: http://a.example\npattern: a+\ntree: {name: root}\n');
    const own = z.strictObject({
      tree: z.strictObject({ name: z.string() }).transform((root) => {
        const leaf: { name: string; root?: unknown } = { name: 'leaf' };
        leaf.root = { ...root, leaf };
        return { ...root, leaf };
      }),
      url: z.string().transform((text) => new URL(text)),
      pattern: z.string().transform((text) => new RegExp(text)),
    });
    expect(await problems({}, { own })).to.deep.equal([
      'plugins/own.yaml:1: plugins.own.url must stay a text, a number, a list or a map: make other objects of it in setup',
      'plugins/own.yaml:3: plugins.own.tree.leaf.root.leaf must stay a text, a number, a list or a map: make other objects of it in setup',
    ]);
  });

  it('say where there is no setting at all', async () => {
    const bare = { cors: z.strictObject({}) };
    write('plugins/cors.yaml', 'origins: []');
    expect(await problems({}, bare)).to.deep.equal([
      'plugins/cors.yaml:1: plugins.cors.origins is not a setting; there is none here',
    ]);
  });

  it('include a plugin schema that accepts unknown keys', async () => {
    const loose = { cors: z.object({ inner: z.object({ a: z.string().default('') }).prefault({}) }) };
    const error: unknown = await problems({}, loose).catch((e: unknown) => e);
    expect(String(error)).to.equal(
      'Error: The schema of plugin cors takes unknown keys at (top level), inner.',
    );
  });
});
