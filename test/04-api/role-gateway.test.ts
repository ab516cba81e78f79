/** Real processes of the roles `gateway` and `core`: what they load, say and refuse. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../support/gateway/run-gateway.ts';
import { longTest } from '../support/long-form.ts';
import {
  ADMIN_TOKEN,
  eventually,
  fetchOnce,
  librariesOf,
  RoleProcesses,
  residentBytes,
  SAMPLE_PROJECT,
} from '../support/service/role-processes.ts';
import type { HeadwaterProcess } from '../support/service/run-headwater.ts';

const ENGINES = ['sqlite3', 'knex', 'pg', 'sharp', 'piscina', 'got', 'nodemailer'];
const MOST_MEMORY = 110 * 2 ** 20;
/** A process that starts no other one, as a process manager may run it: signals reach the service itself. */
const IN_PLACE = {
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '8388608',
  MALLOC_ARENA_MAX: '2',
};

/** Modules in the files of the bundle that a process has loaded. */
function bundledModules(loaded: readonly string[]): string[] {
  const list = join(import.meta.dirname, '../../.build/bundle/outputs.json');
  const outputs = JSON.parse(readFileSync(list, 'utf8')) as Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>
  >;
  const names = new Set(loaded.map((file) => file.slice(file.lastIndexOf('/.build/') + 1)));
  return Object.keys(outputs)
    .filter((path) => names.has(path))
    .flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
}

describe('a gateway and a core as processes', function () {
  this.slow(5000);

  const roles = new RoleProcesses();
  const modules = join(roles.folder, 'modules');
  let gateway: HeadwaterProcess;
  let core: HeadwaterProcess;
  let url: string;
  const ready = async () => (await fetchOnce(`${url}/health/ready`)).status;
  const logged = (process: HeadwaterProcess, text: string) => process.err.split(text).length - 1;

  before(async () => {
    ({ process: gateway, url } = await roles.startGateway('gateway', {
      ...IN_PLACE,
      NODE_OPTIONS: `--require=${join(import.meta.dirname, '../support/service/list-modules.cjs')}`,
      LIST_MODULES_IN: modules,
    }));
  });
  after(() => roles.stop());

  it('a gateway starts before its core, answers 503, logs that once, and recovers by itself', async () => {
    expect(await ready()).to.equal(503);
    for (let call = 0; call < 20; call += 1) {
      const answer = await fetchOnce(`${url}/delivery/${SAMPLE_PROJECT}/items?limit=1`);
      expect(answer.status).to.equal(503);
      expect(Number(answer.headers['retry-after'])).to.be.above(0);
    }
    // One line of the calls, one of the change feed.
    expect(logged(gateway, 'A core gets no calls.'), gateway.err).to.equal(1);
    expect(logged(gateway, '"level":'), gateway.err).to.equal(2);
    core = await roles.startCore(IN_PLACE);
    await eventually(ready, (status) => status === 200);
    const { status } = await fetchOnce(`${url}/delivery/${SAMPLE_PROJECT}/items?limit=1`);
    expect(status).to.equal(200);
  });

  it('a core prints where gateways reach it, and the next step; neither prints the secret they share', () => {
    expect(core.out)
      .to.include(`Headwater runs as a core at ${roles.coreAddress}.`)
      .and.match(new RegExp(`^ {2}next +HEADWATER_ROLE=gateway HEADWATER_CORES=${roles.coreAddress}`, 'm'));
    expect(gateway.out).to.match(/^ {2}cores +unix:\S+$/m);
    expect(core.out + core.err + gateway.out + gateway.err).to.not.include('a-secret-of-gateways');
  });

  it('a gateway has no native module, and 110 MB of memory at rest at most', async function () {
    // V8 collects the garbage of the start when the process is idle, and after 100 seconds in any case.
    this.timeout(150_000);
    expect(librariesOf(core.pid).filter((file) => file.endsWith('.node'))).to.have.length(1);
    expect(librariesOf(gateway.pid).filter((file) => file.endsWith('.node'))).to.deep.equal([]);
    await eventually(
      async () => residentBytes(gateway.pid),
      (bytes) => bytes <= MOST_MEMORY,
      130_000,
    );
  });

  it('commands for the data say where they have to run; reload and unblock work', async () => {
    for (const words of [
      ['project', 'list'],
      ['backup', '--to', join(roles.folder, 'backup')],
    ]) {
      const { code, err } = await roles.run(words, 'gateway');
      expect([code, err]).to.deep.equal([
        1,
        "headwater: A gateway keeps no content: run this command on the machine of a core, with that core's settings and data folder.\n",
      ]);
    }
    expect(await roles.run(['reload'], 'gateway')).to.include({
      code: 0,
      out: 'Reloaded; no setting is different.\n',
    });
    expect(await roles.run(['unblock', '192.0.2.1'], 'gateway')).to.include({
      code: 0,
      out: '192.0.2.1 was not blocked.\n',
    });
    const atCore = await roles.run(['unblock', '192.0.2.1'], 'core');
    expect(atCore.code).to.equal(1);
    expect(atCore.err).to.include('A core blocks no address, gateways do');
    expect((await roles.run(['reload'], 'core')).code).to.equal(0);
  });

  it('a write that was answered with 503 while its core stood still does not happen afterwards', async () => {
    const call = (method: string, path: string, body?: string) =>
      fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      });
    const make = async (name: string) => {
      const answer = await call('POST', '/admin/projects', JSON.stringify({ name }));
      expect(answer.status).to.equal(201);
      return `/admin/projects/${((await answer.json()) as { id: string }).id}`;
    };
    const project = await make('Kept');
    core.signal('SIGSTOP');
    // Without a body, whose end core would miss.
    expect((await call('DELETE', project)).status).to.equal(503);
    core.signal('SIGCONT');
    await eventually(ready, (status) => status === 200);
    // A write that begins later has ended.
    await make('Next');
    expect((await call('GET', project)).status).to.equal(200);
  });

  longTest('no process takes the data folder or the address of another', async () => {
    const sentence = async (environment: Readonly<Record<string, string>>) => {
      const { code, err } = await roles.serve(environment).ended;
      return [code, err];
    };
    const at = (name: string) => join(roles.folder, name);
    expect(await sentence(roles.environment('gateway', 'core'))).to.deep.equal([
      1,
      `headwater: The data folder ${at('core')} belongs to a running process with the role core (process ${core.pid}); give this gateway a folder of its own (HEADWATER_DATA_DIR).\n`,
    ]);
    expect(await sentence(roles.environment('core', 'gateway'))).to.deep.equal([
      1,
      `headwater: The data folder ${at('gateway')} belongs to a running process with the role gateway (process ${gateway.pid}); give this core a folder of its own (HEADWATER_DATA_DIR).\n`,
    ]);
    expect(await sentence(roles.environment('core', 'other'))).to.deep.equal([
      1,
      `headwater: The address ${roles.coreAddress} is taken by another program; stop that or set another address (HEADWATER_LISTEN).\n`,
    ]);
  });

  it('a gateway with another internal token ends with one sentence, and shows neither', async () => {
    const other = 'another-secret-0123456789-0123456789-abcdef';
    const environment = roles.environment('gateway', 'foreign', { HEADWATER_INTERNAL_TOKEN: other });
    const { code, err } = await roles.serve(environment).ended;
    expect(code).to.equal(1);
    expect(err.trim().split('\n').at(-1)).to.match(/^headwater: The core unix:\S+ .*internalToken/);
    expect(err).to.not.include(other);
  });

  it('a worker answers health and metrics where its port is set, and takes a reload', async () => {
    const port = await freePort();
    const environment = {
      HEADWATER_ROLE: 'worker',
      HEADWATER_DATA_DIR: join(roles.folder, 'worker'),
      HEADWATER_WORKERS__LISTEN: '127.0.0.1:0',
      HEADWATER_WORKERS__TOKEN: 'a-secret-of-both-0123456789-0123456789',
      HEADWATER_PORT: String(port),
    };
    const worker = roles.serve(environment);
    await worker.printed(/\/health\/ready\.\n/);
    const at = (path: string) => fetchOnce(`http://127.0.0.1:${port}${path}`);
    expect((await at('/health/live')).text).to.equal('{"status":"ok"}');
    expect((await at('/health/ready')).status).to.equal(200);
    expect((await at('/metrics')).text).to.include('headwater_workers_hosts{');
    expect((await at('/delivery')).status).to.equal(404);
    expect(await roles.run(['reload'], 'worker')).to.include({ code: 0 });
    worker.signal('SIGTERM');
    expect((await worker.ended).code).to.equal(0);
  });

  it('a gateway ends with 0 on SIGTERM, and has loaded no engine and no part of core that uses one', async () => {
    expect(
      (await fetchOnce(`${url}/admin/projects`, { authorization: `Bearer ${ADMIN_TOKEN}` })).status,
    ).to.equal(200);
    gateway.signal('SIGTERM');
    expect((await gateway.ended).code).to.equal(0);
    const loaded = readFileSync(`${modules}.${gateway.pid}`, 'utf8').split('\n');
    const packages = new Set(loaded.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]));
    // Those that are part of the bundle load no file of their own.
    expect([...packages]).to.include('undici');
    expect(ENGINES.filter((name) => packages.has(name))).to.deep.equal([]);
    const bundled = bundledModules(loaded);
    const of = (start: string) => bundled.filter((path) => path.startsWith(start));
    expect(of('node_modules/koa/')).to.not.deep.equal([]);
    expect(of('.build/gateway/listeners/')).to.not.deep.equal([]);
    for (const name of ENGINES) expect(of(`node_modules/${name}/`)).to.deep.equal([]);
    expect(
      bundled.filter((path) => /core\/storage\/(sqlite|postgres|migrations)\//.test(path)),
    ).to.deep.equal([]);
  });
});
