/**
 * Tests of each area once more, with gateways that reach their cores over HTTP. `npm run test:cluster`: all tests of the
 * API that a topology changes, each file in a process of its own.
 *
 *     HEADWATER_TEST_TOPOLOGY=full npm run test:cluster                          one of the topologies
 *     HEADWATER_TEST_FILES=uploads,delivery- npm run test:cluster               files whose names begin so
 */
import '../support/database/postgres-programs.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { importsOf } from '../architecture/repository-files.ts';
import { isLongForm } from '../support/long-form.ts';
import { type SharedEngines, shareEngines } from '../support/programs/test-engines.ts';

const MOCHA = join(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js');

const ONLY_TOPOLOGY = process.env['HEADWATER_TEST_TOPOLOGY'];
const ONLY_FILES = process.env['HEADWATER_TEST_FILES']?.split(',');
/** Files of the long form that run at the same time. */
const AT_A_TIME = 2;
/** Ends a file that hangs. */
const FILE_MS = 1_800_000;
const PIPES_MS = 10_000;

interface Topology {
  readonly title: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the short form; without any, the topology is one of the long form. */
  readonly areas: readonly string[];
  /** Tests that cannot pass there, and why; the title of a `describe` stands for all in it. */
  readonly except: readonly { readonly title: string; readonly reason: string }[];
  /** Tests of core alone run as well, on the database. */
  readonly hasCoreAlone?: boolean;
  /** Redis and Swift, which all files share. */
  readonly hasEngines?: boolean;
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
    areas: [],
    except: [FIRST_BYTES, OWN_GATEWAYS],
  },
  {
    title: 'two gateways and two cores on PostgreSQL',
    environment: { HEADWATER_TEST_TOPOLOGY: 'cluster', HEADWATER_TEST_DATABASE: 'postgres' },
    areas: ['manage-items', 'webhook-service'],
    except: [
      FIRST_BYTES,
      ...SEVERAL_GATEWAYS,
      QUOTAS,
      {
        title: 'images and the processes that make them',
        reason: 'it reads the queue of one core, and an image is made by the core that its URL belongs to',
      },
    ],
    hasCoreAlone: true,
  },
  {
    title: 'two gateways, two cores and two workers with PostgreSQL, Redis and S3',
    environment: { HEADWATER_TEST_TOPOLOGY: 'full', HEADWATER_TEST_DATABASE: 'postgres' },
    areas: [],
    hasEngines: true,
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
        title: 'images and the processes that make them',
        reason: 'it kills processes of a core that makes images itself; here workers make them',
      },
    ],
  },
];

const SERVICE = 'service/topology';
const CORE_ALONE = 'database/test-database';
/** What a file starts, by the file of `test/support` that it imports, directly or not. */
const STARTS: readonly (readonly [file: string, what: string])[] = [
  [SERVICE, 'the service of a topology'],
  [CORE_ALONE, 'core alone, on the database that HEADWATER_TEST_DATABASE names'],
  ['service/run-headwater', 'programs with settings of its own'],
  ['gateway/run-gateway', 'a gateway with a core that the test plays'],
  ['gateway/remote-core', 'both ends of core over HTTP, with a core that the test plays'],
  ['', 'parts of the service with settings of its own'],
];

function startedBy(file: string): string {
  const reached = new Set([`test/04-api/${file}.test.ts`]);
  for (const path of reached)
    for (const { to, isFile } of importsOf(path)) if (isFile && to.startsWith('test/')) reached.add(to);
  return STARTS.find(([name]) => name === '' || reached.has(`test/support/${name}.ts`))?.[0] ?? '';
}

interface FileRun {
  /** What mocha printed. */
  readonly output: string;
  readonly passed: number;
  readonly failed: number;
  /** All tests passed, and the process ended. */
  readonly isPassed: boolean;
  readonly seconds: number;
}

const chosen = TOPOLOGIES.filter(({ areas, environment }) =>
  isLongForm
    ? ONLY_TOPOLOGY === undefined || environment['HEADWATER_TEST_TOPOLOGY'] === ONLY_TOPOLOGY
    : areas.length > 0,
);

for (const topology of chosen)
  describe(`the API with ${topology.title}`, function () {
    this.timeout(isLongForm ? 0 : 900_000);
    const { areas, except, hasCoreAlone = false, hasEngines = false } = topology;

    it(`passes the tests of ${isLongForm ? 'all areas' : areas.join(', ')}`, async () => {
      for (const { title: test, reason } of except) console.log(`      without "${test}": ${reason}`);
      if (isLongForm) return passEach(topology, filesOf(hasCoreAlone), hasEngines);
      const run = await runFiles(areas, topology);
      console.log(`      ${areas.length} files: ${countsOf(run)}`);
      // Those of the other topologies may run for long.
      if (!run.isPassed) console.log(failuresOf(run));
      expect(run.isPassed, run.output.slice(-8000)).to.equal(true);
      expect(run.passed).to.be.at.least(1);
    });
  });

/** Runs every file, also after one has failed. */
async function passEach(topology: Topology, names: readonly string[], hasEngines: boolean): Promise<void> {
  const began = performance.now();
  const engines: SharedEngines | undefined = hasEngines ? await shareEngines() : undefined;
  const waiting = [...names];
  const total = { passed: 0, failed: 0 };
  const failed: string[] = [];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const run = await runFiles([name], topology, engines?.environment);
      total.passed += run.passed;
      total.failed += run.failed;
      const number = names.indexOf(name) + 1;
      console.log(`      ${number}/${names.length} ${name}: ${countsOf(run)}`);
      if (run.isPassed) continue;
      failed.push(name);
      console.log(failuresOf(run));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    await engines?.end();
  }
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  console.log(`      ${names.length} files, ${minutes} min: ${total.passed} passed, ${total.failed} failed`);
  expect(failed, 'files that failed').to.deep.equal([]);
  expect(total.passed).to.be.at.least(1);
}

async function runFiles(
  names: readonly string[],
  { environment: topology, except }: Topology,
  engines: Readonly<Record<string, string>> = {},
): Promise<FileRun> {
  const files = names.map((name) => join(import.meta.dirname, `${name}.test.ts`));
  const without = except.map(({ title: test }) => test.replace(/[^\w ]/g, '\\$&')).join('|');
  const { HEADWATER_TEST_LONG: _, ...environment } = process.env;
  const form = isLongForm && { HEADWATER_TEST_LONG: 'tests' };
  const began = performance.now();
  const child = spawn(process.execPath, [MOCHA, '--grep', without, '--invert', ...files], {
    env: { ...environment, ...form, ...topology, ...engines },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: FILE_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const closed = once(child, 'close');
  const [code] = await once(child, 'exit');
  // A process that it left behind may hold the pipes.
  await Promise.race([closed, pause(PIPES_MS, undefined, { ref: false })]);
  const count = (what: string) => Number(new RegExp(`^ +(\\d+) ${what}`, 'm').exec(output)?.[1] ?? 0);
  return {
    output,
    passed: count('passing'),
    failed: count('failing'),
    isPassed: code === 0,
    seconds: (performance.now() - began) / 1000,
  };
}

function countsOf({ passed, failed, isPassed, seconds }: FileRun): string {
  const failures = isPassed ? '' : failed > 0 ? `, ${failed} FAILED` : ', IT DID NOT END IN ORDER';
  return `${passed} passed${failures}, ${seconds.toFixed(0)} s`;
}

/** Its report of failures; without one, the end of what it printed. */
function failuresOf({ output }: FileRun): string {
  const at = output.search(/^ +\d+ failing/m);
  return at === -1 ? output.slice(-4000) : output.slice(at);
}

/** Names of the files that a topology changes; prints the others, each with what it starts instead. */
function filesOf(hasCoreAlone: boolean): string[] {
  const all = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.test.ts') && file !== basename(import.meta.filename))
    .map((file) => file.slice(0, -'.test.ts'.length));
  for (const [name] of STARTS)
    if (name !== '') expect(existsSync(`test/support/${name}.ts`), `test/support/${name}.ts`).to.equal(true);
  const started = new Map(all.map((name) => [name, startedBy(name)]));
  const isRun = (what: string | undefined) => what === SERVICE || (hasCoreAlone && what === CORE_ALONE);
  for (const [name, what] of STARTS) {
    const apart = all.filter((file) => started.get(file) === name);
    if (!isRun(name)) console.log(`      without ${apart.join(', ')}: it starts ${what}`);
  }
  return all.filter(
    (name) =>
      isRun(started.get(name)) && (ONLY_FILES?.some((beginning) => name.startsWith(beginning)) ?? true),
  );
}
