/** The files for service managers and containers: each setting exists, has a valid value, and is one of the role. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../config/load-config.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { plugins } from '../../plugins/registry.ts';
import { settings as cacheSettings } from '../../plugins/response-cache/schema.ts';
import { realProgram } from '../support/programs/real-program.ts';

const CONFIG = join(import.meta.dirname, '../../config');
const schemas = schemasOf(plugins);

type Environment = Record<string, string>;

/** What the secrets of the files would hold. */
const SECRETS: Readonly<Record<string, string>> = {
  'database-url': 'postgres://headwater:password@database:5432/headwater',
  'redis-url': 'redis://redis:6379',
  'admin-token': 'a'.repeat(64),
  'internal-token': 'b'.repeat(64),
  'worker-token': 'c'.repeat(64),
  'bucket-key': 'd'.repeat(40),
};

/** Of ten million items, with a margin. A core answers no probe until then. */
const MIGRATION_SECONDS = 600;

/** A setting in a comment: of compose, Kubernetes and systemd. */
const OPTIONAL = /^ *# ?(?:- \{ name: |Environment=)?(HEADWATER_\w+)(?:=|: |, value: )'?([^'}\n]*[^'} \n])/gm;

describe('the files for deployments', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-deployment-'));
    for (const [name, value] of Object.entries(SECRETS)) await writeFile(join(folder, name), value);
  });
  after(() => rm(folder, { recursive: true }));

  /** @returns the role, after a check of all settings */
  async function roleOf(environment: Environment): Promise<string> {
    const own = Object.entries(environment).filter(([name]) => name.startsWith('HEADWATER_'));
    const readable = own.map(([name, value]) =>
      name.endsWith('_FILE') ? [name, join(folder, value.split('/').at(-1)!)] : [name, value],
    );
    const config = await loadConfig({ environment: Object.fromEntries(readable) as Environment }, schemas);
    expect(config.warnings).to.deep.equal([]);
    return config.settings.role;
  }

  it('of Docker have valid settings', async () => {
    const text = await readFile(join(CONFIG, 'docker/compose.yaml'), 'utf8');
    const { services, secrets } = parse(text, { merge: true }) as {
      services: Record<string, { environment?: Environment; secrets?: string[] }>;
      secrets: Record<string, unknown>;
    };
    const roles: string[] = [];
    for (const { environment = {}, secrets: used = [] } of Object.values(services)) {
      if (environment['HEADWATER_ROLE'] === undefined) continue;
      roles.push(await roleOf(environment));
      const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
      expect(files.map(([, file]) => file)).to.have.members(used.map((name) => `/run/secrets/${name}`));
      expect(secrets).to.include.keys(used);
    }
    expect(roles).to.have.members(['gateway', 'gateway', 'core', 'core', 'worker']);
  });

  it('of Docker leave replaced gateways their addresses, which nginx looks up at its start only', async () => {
    const text = await readFile(join(CONFIG, 'docker/compose.yaml'), 'utf8');
    const { services, networks } = parse(text, { merge: true }) as {
      services: Record<string, { networks?: { default: { ipv4_address: string } } }>;
      networks: { default: { ipam: { config: readonly [{ subnet: string; ip_range: string }] } } };
    };
    const [{ subnet, ip_range }] = networks.default.ipam.config;
    const contains = (range: string, address: string) => {
      const [net, bits] = range.split('/') as [string, string];
      const list = new BlockList();
      list.addSubnet(net, Number(bits));
      return list.check(address);
    };
    const addresses = ['gateway-1', 'gateway-2'].map(
      (name) => services[name]!.networks?.default.ipv4_address ?? '',
    );
    expect(new Set(addresses)).to.have.lengthOf(2);
    for (const address of addresses) {
      expect(contains(subnet, address), address).to.equal(true);
      expect(contains(ip_range, address), address).to.equal(false);
    }
  });

  for (const [file, role] of [
    ['docker/compose.yaml', 'core'],
    ['kubernetes/headwater.yaml', 'core'],
    ['systemd/headwater-core.service', 'core'],
    ['systemd/headwater-gateway.service', 'gateway'],
  ] as const)
    it(`name only settings of a ${role} in the comments of ${file}`, async () => {
      const text = await readFile(join(CONFIG, file), 'utf8');
      const optional = [...text.matchAll(OPTIONAL)].map(
        ([, name = '', value = '']) => [name, value] as const,
      );
      expect(optional).to.not.deep.equal([]);
      const environment = Object.fromEntries(optional);
      const needed: Environment = {
        HEADWATER_ROLE: role,
        HEADWATER_INTERNAL_TOKEN: SECRETS['internal-token']!,
        ...(role === 'core'
          ? { HEADWATER_DATABASE_URL: SECRETS['database-url']! }
          : { HEADWATER_CORES: '127.0.0.1:8091' }),
      };
      // One of both forms of a setting.
      if ('HEADWATER_DATABASE_URL_FILE' in environment) delete needed['HEADWATER_DATABASE_URL'];
      expect(await roleOf({ ...needed, ...environment })).to.equal(role);
    });

  it('of Docker keep the secrets beside them out of images and commits', async () => {
    const composition = await readFile(join(CONFIG, 'docker/compose.yaml'), 'utf8');
    const { secrets } = parse(composition, { merge: true }) as { secrets: Record<string, { file: string }> };
    const folders = new Set(Object.values(secrets).map(({ file }) => join('config/docker', file, '..')));
    expect([...folders]).to.deep.equal(['config/docker/secrets']);
    const lines = async (file: string) => (await readFile(join(CONFIG, file), 'utf8')).split('\n');
    expect(await lines('docker/Dockerfile.dockerignore')).to.include.members([...folders]);
    expect(await lines('../.gitignore')).to.include.members([...folders].map((folder) => `${folder}/`));
  });

  it('of Kubernetes have valid settings', async () => {
    interface Resource {
      readonly kind: string;
      readonly metadata: { readonly name: string };
      readonly data?: Environment;
      readonly spec?: {
        readonly template?: { readonly spec: { readonly containers: readonly Container[] } };
      };
    }
    interface Container {
      readonly env: readonly { readonly name: string; readonly value: string }[];
      readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
    }
    const text = await readFile(join(CONFIG, 'kubernetes/headwater.yaml'), 'utf8');
    const all = parseAllDocuments(text).map((document) => {
      expect(document.errors).to.deep.equal([]);
      return document.toJS() as Resource;
    });
    const maps = new Map(
      all.flatMap(({ kind, metadata, data }) => (kind === 'ConfigMap' ? [[metadata.name, data!]] : [])),
    );
    const roles: string[] = [];
    for (const { spec } of all) {
      for (const { env, envFrom = [] } of spec?.template?.spec.containers ?? []) {
        const environment: Environment = {};
        for (const { configMapRef } of envFrom) Object.assign(environment, maps.get(configMapRef.name));
        for (const { name, value } of env) environment[name] = value;
        roles.push(await roleOf(environment));
      }
    }
    expect(roles).to.have.members(['core', 'gateway', 'worker']);
  });

  it('of Kubernetes leave gateways their endpoints while these answer from their caches', async () => {
    const text = await readFile(join(CONFIG, 'kubernetes/headwater.yaml'), 'utf8');
    const gateway = parseAllDocuments(text)
      .map((document) => document.toJS())
      .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'headwater-gateway');
    const { periodSeconds, failureThreshold } = gateway.spec.template.spec.containers[0].readinessProbe;
    expect(periodSeconds * failureThreshold).to.equal(cacheSettings.parse({}).staleIfErrorSeconds);
  });

  it('give a core the time to migrate a large database before anything ends it', async () => {
    const text = await readFile(join(CONFIG, 'kubernetes/headwater.yaml'), 'utf8');
    const core = parseAllDocuments(text)
      .map((document) => document.toJS())
      .find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'headwater-core');
    const { periodSeconds, failureThreshold } = core.spec.template.spec.containers[0].startupProbe;
    expect(periodSeconds * failureThreshold).to.be.at.least(MIGRATION_SECONDS);
    const composition = await readFile(join(CONFIG, 'docker/compose.yaml'), 'utf8');
    const { services } = parse(composition, { merge: true }) as {
      services: Record<string, { healthcheck: { start_period: string } }>;
    };
    for (const name of ['core-1', 'core-2'])
      expect(Number.parseInt(services[name]!.healthcheck.start_period, 10)).to.be.at.least(MIGRATION_SECONDS);
  });

  it('of systemd have valid settings, and systemd accepts them', async function () {
    // It may have to be installed.
    this.timeout(300_000);
    const program = await realProgram('systemd-analyze');
    const units = join(folder, 'units');
    await promisify(execFile)('mkdir', [units]);
    const roles: string[] = [];
    const files = (await readdir(join(CONFIG, 'systemd'))).filter((name) => !name.endsWith('.md'));
    for (const file of files) {
      const text = await readFile(join(CONFIG, 'systemd', file), 'utf8');
      // Both are where the operator has them.
      const here = text.replaceAll('/usr/bin/node', process.execPath).replaceAll('/opt/headwater', folder);
      // A running core writes backups, and may write nowhere but in its data folder.
      if (file === 'headwater-core.service') expect(text).to.match(/^#?ReadWritePaths=\//m);
      await writeFile(join(units, file), here);
      const words = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, some]) => some!.split(' '));
      if (words.length > 0)
        roles.push(await roleOf(Object.fromEntries(words.map((word) => word.split('=')))));
    }
    expect(roles).to.have.members(['core', 'gateway', 'worker']);
    const { stdout, stderr } = await promisify(execFile)(program, [
      'verify',
      ...files.map((file) => join(units, file)),
    ]);
    expect(stdout + stderr).to.equal('');
  });
});
