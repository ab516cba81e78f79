/**
 * Tests of each area once more, with gateways that reach their cores over HTTP. `npm run test:cluster`: all tests of the
 * API, in both topologies.
 */
import '../support/postgres-programs.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';

const MOCHA = join(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js');

const LONG = process.env['HEADWATER_TEST_LONG'] !== undefined;

interface Topology {
  readonly title: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the short form. */
  readonly areas: readonly string[];
  /** Tests that cannot pass there, and why. */
  readonly except: readonly { readonly title: string; readonly reason: string }[];
}

const FIRST_BYTES = {
  title: 'is 413 before any of the body is sent',
  reason:
    'a gateway sends the head of a request with the first bytes of its body, so a client is asked for those',
};

const TOPOLOGIES: readonly Topology[] = [
  {
    title: 'a gateway and a core',
    environment: { HEADWATER_TEST_TOPOLOGY: 'http' },
    areas: ['admin-projects', 'asset-files', 'delivery-filters', 'manage-items-states', 'webhook-service'],
    except: [FIRST_BYTES],
  },
  {
    title: 'two gateways and two cores on PostgreSQL',
    environment: { HEADWATER_TEST_TOPOLOGY: 'cluster', HEADWATER_TEST_DATABASE: 'postgres' },
    areas: ['admin-projects', 'delivery-preview', 'manage-items', 'uploads', 'webhook-service'],
    except: [
      FIRST_BYTES,
      {
        title: 'show their last use at once, without an entry in the change log',
        reason:
          'a core writes the last use of keys within five seconds, and the other core shows it from then on',
      },
      {
        title: 'refuses calls beyond the quota, and shows its state',
        reason: 'a gateway counts its own calls at once, and those of the other gateway within seconds',
      },
      {
        title: 'disconnects a gateway that does not read, which then gets what it missed',
        reason: 'it counts the gateways of a core, and expects no others than its own',
      },
      {
        title: 'has figures of calls, cores and the change feed',
        reason: 'it expects the figures of one gateway and one core',
      },
    ],
  },
];

for (const { title, environment: topology, areas, except } of TOPOLOGIES)
  describe(`the API with ${title}`, function () {
    this.timeout(LONG ? 7_200_000 : 300_000);

    it(`passes the tests of ${LONG ? 'all areas' : areas.join(', ')}`, async () => {
      for (const { title: test, reason } of except) console.log(`      without "${test}": ${reason}`);
      const all = readdirSync(import.meta.dirname)
        .filter((file) => file.endsWith('.test.ts') && file !== basename(import.meta.filename))
        .map((file) => file.slice(0, -'.test.ts'.length));
      const files = (LONG ? all : areas).map((name) => join(import.meta.dirname, `${name}.test.ts`));
      const without = except.map(({ title: test }) => test.replace(/[^\w ]/g, '\\$&')).join('|');
      const { HEADWATER_TEST_LONG: _, ...environment } = process.env;
      const child = spawn(process.execPath, [MOCHA, '--grep', without, '--invert', ...files], {
        env: { ...environment, ...topology },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      child.stdout.on('data', (text) => (output += text));
      child.stderr.on('data', (text) => (output += text));
      const [code] = await once(child, 'close');
      expect(code, output.slice(-8000)).to.equal(0);
      expect(output).to.match(/\d+ passing/);
    });
  });
