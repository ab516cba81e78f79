/**
 * Tests of each area once more, with gateways that reach their cores over HTTP. `npm run test:cluster`: all tests of the
 * API that a topology changes.
 */
import '../support/postgres-programs.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { importsOf } from '../architecture/repository-files.ts';

const MOCHA = join(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js');

const LONG = process.env['HEADWATER_TEST_LONG'] !== undefined;
/** The short form runs beside other tests. */
const JOBS = LONG ? ['--parallel', '--jobs', '2'] : [];

interface Topology {
  readonly title: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the short form; without any, the topology is one of the long form. */
  readonly areas: readonly string[];
  /** Tests that cannot pass there, and why; the title of a `describe` stands for all in it. */
  readonly except: readonly { readonly title: string; readonly reason: string }[];
  /** Tests of core alone run as well, on the database. */
  readonly hasCoreAlone?: boolean;
}

const FIRST_BYTES = {
  title: 'is 413 before any of the body is sent',
  reason:
    'a gateway sends the head of a request with the first bytes of its body, so a client is asked for those',
};

const QUOTAS = {
  title: 'refuses calls beyond the quota, and shows its state',
  reason: 'a gateway counts its own calls at once, and those of the other gateway within seconds',
};

const OWN_GATEWAYS = {
  title: 'disconnects a gateway that does not read, which then gets what it missed',
  reason: 'it counts the gateways of a core, and expects no others than its own',
};

const SEVERAL_GATEWAYS = [
  OWN_GATEWAYS,
  {
    title: 'ends the oldest stream of a session that has too many',
    reason: 'each gateway counts its own event streams',
  },
  {
    title: 'blocks an address that guesses passwords',
    reason: 'each gateway counts the failures of an address itself',
  },
  {
    title: 'show their last use at once, without an entry in the change log',
    reason:
      'a core writes the last use of keys within five seconds, and the other core shows it from then on',
  },
  {
    title: 'has figures of calls, cores and the change feed',
    reason: 'it expects the figures of one gateway and one core',
  },
];

const TOPOLOGIES: readonly Topology[] = [
  {
    title: 'a gateway and a core',
    environment: { HEADWATER_TEST_TOPOLOGY: 'http' },
    areas: ['asset-files', 'delivery-filters', 'manage-items-states', 'webhook-service'],
    except: [FIRST_BYTES, OWN_GATEWAYS],
  },
  {
    title: 'two gateways and two cores on PostgreSQL',
    environment: { HEADWATER_TEST_TOPOLOGY: 'cluster', HEADWATER_TEST_DATABASE: 'postgres' },
    areas: ['admin-projects', 'delivery-preview', 'manage-items', 'uploads'],
    except: [FIRST_BYTES, ...SEVERAL_GATEWAYS, QUOTAS],
    hasCoreAlone: true,
  },
  {
    title: 'two gateways, two cores and two workers with PostgreSQL, Redis and S3',
    environment: { HEADWATER_TEST_TOPOLOGY: 'full', HEADWATER_TEST_DATABASE: 'postgres' },
    areas: [],
    except: [
      FIRST_BYTES,
      ...SEVERAL_GATEWAYS,
      QUOTAS,
      ...[
        'has only the hashes of files that stay in their store, which a restore compares with them',
        'replaces a stored file of another size by that of the backup',
      ].map((title) => ({ title, reason: 'it damages files of a folder, and the files are in a bucket' })),
      {
        title: 'a folder of asset files that several cores share',
        reason: 'the files are in a bucket',
      },
      {
        title: 'cores that are killed behind gateways',
        reason:
          'its cores have faults of their own, and neither Redis nor a bucket; test/06-chaos kills cores that do',
      },
      {
        title: 'pictures and the processes that make them',
        reason: 'it kills processes of a core that makes pictures itself; here workers make them',
      },
    ],
  },
];

/** What a file starts, by the file of `test/support` that it imports, directly or not. */
const STARTS: readonly (readonly [file: string, what: string])[] = [
  ['topology', 'the service of a topology'],
  ['test-database', 'core alone, on the database that HEADWATER_TEST_DATABASE names'],
  ['run-headwater', 'programs with settings of its own'],
  ['run-gateway', 'a gateway with a core that the test plays'],
  ['remote-core', 'both ends of core over HTTP, with a core that the test plays'],
  ['', 'parts of the service with settings of its own'],
];

function startedBy(file: string): string {
  const reached = new Set([`test/04-api/${file}.test.ts`]);
  for (const path of reached)
    for (const { to, isFile } of importsOf(path)) if (isFile && to.startsWith('test/')) reached.add(to);
  return STARTS.find(([name]) => name === '' || reached.has(`test/support/${name}.ts`))?.[0] ?? '';
}

for (const { title, environment: topology, areas, except, hasCoreAlone } of TOPOLOGIES.filter(
  (one) => LONG || one.areas.length > 0,
))
  describe(`the API with ${title}`, function () {
    this.timeout(LONG ? 14_400_000 : 900_000);

    it(`passes the tests of ${LONG ? 'all areas' : areas.join(', ')}`, async () => {
      for (const { title: test, reason } of except) console.log(`      without "${test}": ${reason}`);
      const names = LONG ? filesOf(hasCoreAlone ?? false) : areas;
      const files = names.map((name) => join(import.meta.dirname, `${name}.test.ts`));
      const without = except.map(({ title: test }) => test.replace(/[^\w ]/g, '\\$&')).join('|');
      const { HEADWATER_TEST_LONG: _, ...environment } = process.env;
      const child = spawn(process.execPath, [MOCHA, ...JOBS, '--grep', without, '--invert', ...files], {
        env: { ...environment, ...topology },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      child.stdout.on('data', (text) => (output += text));
      child.stderr.on('data', (text) => (output += text));
      const [code] = await once(child, 'close');
      const [summary] = /\d+ passing \(.*\)/.exec(output) ?? [];
      console.log(`      ${files.length} files: ${summary}`);
      // Those of the other topologies may run for long.
      if (code !== 0) console.log(output.slice(output.search(/^ +\d+ failing/m)));
      expect(code, output.slice(-8000)).to.equal(0);
      expect(summary).to.be.a('string');
    });
  });

/** Names of the files that a topology changes; prints the others, each with what it starts instead. */
function filesOf(hasCoreAlone: boolean): string[] {
  const all = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.test.ts') && file !== basename(import.meta.filename))
    .map((file) => file.slice(0, -'.test.ts'.length));
  const started = new Map(all.map((name) => [name, startedBy(name)]));
  const isRun = (what: string | undefined) =>
    what === 'topology' || (hasCoreAlone && what === 'test-database');
  for (const [name, what] of STARTS) {
    const apart = all.filter((file) => started.get(file) === name);
    if (!isRun(name)) console.log(`      without ${apart.join(', ')}: it starts ${what}`);
  }
  return all.filter((name) => isRun(started.get(name)));
}
