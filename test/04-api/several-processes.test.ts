/** What an operator sees of a gateway, a core and a worker that are processes of their own. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../config/load-config.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { startAll } from '../../gateway/roles/all.ts';
import { plugins } from '../../plugins/registry.ts';
import { HeadwaterProcess } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

const INTERNAL_TOKEN = 'a-secret-of-gateway-and-core-0123456789';
const ADMIN_TOKEN = 'a-token-for-tests-only-0123456789abcdef';
const WORKER_TOKEN = 'a-secret-of-core-and-worker-0123456789';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACED = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'x-request-id': 'image-1' };
const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };

type Line = Readonly<Record<string, unknown>>;

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}

describe('a gateway, a core and a worker', () => {
  let folder: string;
  let worker: HeadwaterProcess;
  let core: HeadwaterProcess;
  let gateway: HeadwaterProcess;
  let coreUrl: string;
  let url: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-processes-'));
    worker = new HeadwaterProcess(['serve'], {
      HEADWATER_ROLE: 'worker',
      HEADWATER_DATA_DIR: join(folder, 'worker'),
      HEADWATER_WORKERS__LISTEN: '127.0.0.1:0',
      HEADWATER_WORKERS__TOKEN: WORKER_TOKEN,
      HEADWATER_LOG_LEVEL: 'debug',
    });
    const [, workerAddress = ''] = await worker.printed(/images for other services at ([\d.]+:\d+)\.\n/);
    core = new HeadwaterProcess(['serve'], {
      HEADWATER_ROLE: 'core',
      HEADWATER_INSTANCE: 'core-a',
      HEADWATER_DATA_DIR: join(folder, 'core'),
      HEADWATER_LISTEN: '127.0.0.1:0',
      HEADWATER_INTERNAL_TOKEN: INTERNAL_TOKEN,
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_WORKERS__REMOTE: workerAddress,
      HEADWATER_WORKERS__TOKEN: WORKER_TOKEN,
      HEADWATER_SLOW_MILLISECONDS: '1',
    });
    const [, coreAddress = ''] = await core.printed(/as a core at ([\d.:]+)\.\n/);
    coreUrl = `http://${coreAddress}`;
    gateway = new HeadwaterProcess(['serve'], {
      HEADWATER_ROLE: 'gateway',
      HEADWATER_DATA_DIR: join(folder, 'gateway'),
      HEADWATER_CORES: coreAddress,
      HEADWATER_INTERNAL_TOKEN: INTERNAL_TOKEN,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
      HEADWATER_PLUGINS__CORE_PROXY__SLOW_MILLISECONDS: '1',
    });
    [, url = ''] = await gateway.printed(/as a gateway at (http:\S+?)\.\n/);
  });
  after(async () => {
    for (const one of [gateway, core, worker]) one?.signal('SIGKILL');
    await rm(folder, { recursive: true });
  });

  async function admin(path: string): Promise<{ status: number; headers: Headers; body: unknown }> {
    const answer = await fetch(url + path, { headers: ADMIN });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }

  async function projectId(): Promise<string> {
    const { body } = await admin('/admin/projects');
    return (body as { projects: { id: string }[] }).projects[0]!.id;
  }

  it('show where the time went, on the admin surface only', async () => {
    const found = await admin('/admin/projects');
    const parts = Object.fromEntries(
      found.headers
        .get('server-timing')!
        .split(', ')
        .map((part) => part.split(';dur=')),
    ) as Record<string, string>;
    expect(Object.keys(parts)).to.deep.equal(['gateway', 'core', 'queue', 'database', 'workers', 'network']);
    expect(Number(parts['database'])).to.be.above(0).and.at.most(Number(parts['core']));
    expect(Number(parts['network'])).to.be.above(0);

    const missing = await admin('/admin/projects/none');
    expect(missing.status).to.equal(404);
    expect(missing.headers.get('server-timing')).to.match(/^gateway;dur=.* network;dur=\d/);

    const items = `${url}/delivery/${await projectId()}/items`;
    for (const headers of [{}, ADMIN]) {
      const answer = await fetch(items, { headers: headers as Record<string, string> });
      expect(answer.headers.has('server-timing')).to.equal(false);
    }
  });

  it('are listed by the admin API and on both health pages', async () => {
    const list = async () =>
      ((await admin('/admin/processes')).body as { processes: Record<string, unknown>[] }).processes;
    let processes = await list();
    // A gateway reports a change of its state with the next heartbeat.
    await until(async () => {
      processes = await list();
      return processes[1]?.['address'] !== null;
    });
    expect(processes.map(({ role }) => role)).to.deep.equal(['core', 'gateway']);
    const [first, second] = processes;
    expect(first).to.include({ instance: 'core-a', address: new URL(coreUrl).host, behind_ms: 0 });
    expect(second).to.include({ address: url, protocol: first!['protocol'], version: first!['version'] });
    expect(second!['instance']).to.match(/^.+-\d+$/);
    expect(second!['sequence']).to.equal(first!['sequence']);
    for (const { started } of processes) expect(Date.parse(String(started))).to.be.below(Date.now());

    const health = (await admin('/health')).body as {
      parts: Record<string, { ok: boolean; detail: string }>;
    };
    const part = health.parts[`core ${new URL(coreUrl).host}`]!;
    expect(part.ok).to.equal(true);
    expect(part.detail).to.match(/^core-a, version \d+\.\d+\.\d+, feed \d+ ms old$/);

    expect((await fetch(`${coreUrl}/health`)).status).to.equal(401);
    expect(
      (await fetch(`${coreUrl}/health`, { headers: { authorization: 'Bearer wrong' } })).status,
    ).to.equal(401);
    for (const token of [INTERNAL_TOKEN, ADMIN_TOKEN]) {
      const answer = await fetch(`${coreUrl}/health`, { headers: { authorization: `Bearer ${token}` } });
      const { status, parts } = (await answer.json()) as typeof health & { status: string };
      expect(status).to.equal('ok');
      expect(parts).to.include.keys('core', 'database', 'gateways', 'workers');
      expect(parts['gateways']!.detail).to.include(`${second!['instance']}, version `);
    }
  });

  it('have request id, trace, role and instance in their logs', async () => {
    const items = await (await fetch(`${url}/delivery/${await projectId()}/items`)).text();
    const [image] = /http:[^"\\]+\.(jpe?g|png)/.exec(items) ?? [];
    // The log has one slow call a second.
    await pause(1100);
    const answer = await fetch(`${image}?w=31`, { headers: TRACED });
    expect(answer.status).to.equal(200);
    await answer.arrayBuffer();
    const ended: Line[][] = [];
    for (const one of [gateway, core, worker]) {
      one.signal('SIGTERM');
      const { code, out, err } = await one.ended;
      expect(code, err).to.equal(0);
      ended.push([...linesOf(out), ...linesOf(err)]);
    }
    const [ofGateway = [], ofCore = [], ofWorker = []] = ended;
    const traced = (lines: Line[]) => lines.filter(({ trace }) => trace === TRACE);
    for (const line of ended.flatMap(traced)) expect(line['id']).to.equal('image-1');

    const access = traced(ofGateway).find(({ log }) => log === 'access');
    expect(access).to.include({ role: 'gateway', status: 200, surface: 'assets' });
    const slow = traced(ofGateway).find(({ msg }) => msg === 'A call was slow.');
    expect(slow).to.include({ part: 'core-proxy', surface: 'assets', method: 'GET' });
    expect(slow!['workers_ms']).to.be.above(0).and.at.most(Number(slow!['core_ms']));
    expect(slow).to.include.keys('gateway_ms', 'queue_ms', 'database_ms', 'network_ms', 'suppressed');

    expect(ofCore.find(({ msg }) => msg === 'A call was slow.')).to.include.keys('call', 'ms', 'database_ms');
    expect(traced(ofWorker)[0]).to.include({ role: 'worker', part: 'workers', task: 'image-transform' });
    for (const [index, role] of ['gateway', 'core', 'worker'].entries())
      for (const line of ended[index]!) expect(line).to.include({ role }).and.have.property('instance');
  });
});

describe('a service in one process', () => {
  it('is listed alone by the admin API, with no time in the network', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-one-process-'));
    const environment = {
      HEADWATER_DATA_DIR: dataDir,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_SAMPLE: 'false',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(dataDir, 'access.log'),
    };
    const schemas = schemasOf(plugins);
    const service = await startAll({ config: await loadConfig({ environment }, schemas), plugins });
    const answer = await fetch(`${service.urls.http}/admin/processes`, { headers: ADMIN });
    const { processes } = (await answer.json()) as { processes: Record<string, unknown>[] };
    await service.close();
    const log = await readFile(join(dataDir, 'access.log'), 'utf8');
    await rm(dataDir, { recursive: true });
    expect(processes).to.have.lengthOf(1);
    expect(processes[0]).to.include({
      role: 'all',
      address: service.urls.http,
      protocol: null,
      behind_ms: 0,
    });
    expect(answer.headers.get('server-timing')).to.match(/^gateway;dur=\S+ core;dur=.* network;dur=0$/);
    expect(linesOf(log)[0]).to.include.keys('id', 'trace').and.not.have.any.keys('role', 'instance');
  });
});
