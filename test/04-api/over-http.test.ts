/** Tests of each area once more, with a gateway that reaches its core over HTTP; `npm run test:cluster`: all tests of the API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const MOCHA = join(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js');

const LONG = process.env['HEADWATER_TEST_LONG'] !== undefined;

const AREAS = [
  'admin-keys',
  'admin-projects',
  'asset-files',
  'delivery-errors',
  'delivery-filters',
  'delivery-preview',
  'delivery-secure-access',
  'http-streaming',
  'manage-items-states',
  'manage-items',
  'uploads',
  'webhook-service',
];

/** A gateway sends the head of a request with the first bytes of its body, so the client is asked for those first. */
const EXCEPT = 'is 413 before any of the body is sent';

describe('the API with core over HTTP', function () {
  this.timeout(LONG ? 3_600_000 : 300_000);

  it(`passes the tests of ${LONG ? 'all areas' : AREAS.join(', ')}`, async () => {
    const all = readdirSync(import.meta.dirname)
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => file.slice(0, -'.test.ts'.length))
      .filter((name) => name !== 'over-http');
    const files = (LONG ? all : AREAS).map((name) => join(import.meta.dirname, `${name}.test.ts`));
    const { HEADWATER_TEST_LONG: _, ...environment } = process.env;
    const child = spawn(process.execPath, [MOCHA, '--grep', EXCEPT, '--invert', ...files], {
      env: { ...environment, HEADWATER_TEST_TOPOLOGY: 'http' },
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
