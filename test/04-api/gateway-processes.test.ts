/** Several gateway processes behind one port: `gateway.processes`. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { freePort } from '../support/gateway/run-gateway.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import {
  ADMIN_TOKEN,
  eventually,
  fetchOnce,
  isRunning,
  RoleProcesses,
  SAMPLE_PROJECT,
} from '../support/service/role-processes.ts';
import { runCommand } from '../support/service/run-command.ts';
import type { HeadwaterProcess } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
const CALLS_A_MINUTE = 20;
const PROCESSES = isLongForm ? 3 : 2;

/** Names its process in each answer, delays on request (which a file shows), and refuses to be set up in a process for which a file exists. */
const PLUGIN = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
let slow = 0;
export const plugin = {
  name: 'picky',
  phase: 'edge',
  surfaces: ['delivery', 'docs', 'manage', 'health'],
  settings: (z) => z.strictObject({ word: z.string().default('first').describe('A word in each answer.') }),
  setup({ word }) {
    if (existsSync(new URL('./refuse-' + process.pid, import.meta.url))) throw new Error('the process is refused');
    return {
      async handle(ctx, next) {
        ctx.set('x-process', String(process.pid));
        ctx.set('x-word', word);
        if (ctx.query.slow !== undefined) {
          writeFileSync(new URL(\`./slow-\${process.pid}-\${++slow}\`, import.meta.url), '');
          await new Promise((resolve) => setTimeout(resolve, 1000));
        }
        return next();
      },
      dispose: () => appendFileSync(new URL('./disposed', import.meta.url), process.pid + '\\n'),
    };
  },
};
`;

/** The first process serves at once, others wait for a file. */
const SLOW_START = `
import { existsSync, writeFileSync } from 'node:fs';
const file = (name) => new URL(name, import.meta.url);
export const plugin = {
  name: 'slow-start',
  phase: 'edge',
  surfaces: ['docs'],
  settings: (z) => z.strictObject({}),
  async setup() {
    if (existsSync(file('first'))) {
      writeFileSync(file('others'), '');
      while (!existsSync(file('go'))) await new Promise((resolve) => setTimeout(resolve, 50));
    } else writeFileSync(file('first'), String(process.pid));
    return { handle: (ctx, next) => next() };
  },
};
`;

interface Listed {
  readonly pid: number;
  readonly digest: string | undefined;
}

const UNKNOWN_PROJECT = '99999999-9999-4999-8999-999999999999';

describe('several gateway processes', function () {
  this.slow(5000);

  const roles = new RoleProcesses();
  const config = join(roles.folder, 'config');
  let gateway: HeadwaterProcess;
  let url: string;
  let items: string;

  before(async () => {
    mkdirSync(join(config, 'plugins'), { recursive: true });
    writeFileSync(join(config, 'headwater.yaml'), 'pipeline:\n  own: [./picky.mjs]\n');
    writeFileSync(join(config, 'picky.mjs'), PLUGIN);
    await roles.startCore();
    ({ process: gateway, url } = await roles.startGateway('gateway', {
      HEADWATER_CONFIG: config,
      HEADWATER_GATEWAY__PROCESSES: String(PROCESSES),
      HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
      HEADWATER_PLUGINS__RATE_LIMIT__LIMITS__SECOND: 'null',
      HEADWATER_PLUGINS__RATE_LIMIT__LIMITS__MINUTE: String(CALLS_A_MINUTE),
    }));
    items = `${url}/delivery/${SAMPLE_PROJECT}/items?limit=1`;
  });
  after(() => roles.stop());

  async function listed(): Promise<Listed[]> {
    const { text } = await fetchOnce(`${url}/health`, ADMIN);
    const { processes } = (JSON.parse(text) as { parts: { processes: { detail: string } } }).parts;
    return processes.detail.split('; ').map((one) => ({
      pid: Number(/process (\d+)/.exec(one)?.[1]),
      digest: /connections, digest (\w+)$/.exec(one)?.[1],
    }));
  }
  /** Waits until all serve; one that was just killed may still get a connection. */
  const allServing = (except = 0) =>
    eventually(
      () => listed().catch(() => []),
      (all) =>
        all.length === PROCESSES && all.every(({ pid, digest }) => digest !== undefined && pid !== except),
    );
  const onEach = async () => {
    const seen = new Map<string, string>();
    for (let call = 0; call < 12; call += 1) {
      const { headers } = await fetchOnce(items);
      seen.set(String(headers['x-process']), String(headers['x-word']));
    }
    return seen;
  };
  const setWord = (word: string) => writeFileSync(join(config, 'plugins/picky.yaml'), `word: ${word}\n`);
  const count = async (metric: string) => {
    const { text } = await fetchOnce(`${url}/metrics`);
    const lines = text.split('\n').filter((line) => line.startsWith(metric));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };

  it('take connections in turns and are listed on the health page of each, with one digest', async () => {
    const all = await allServing();
    expect([...(await onEach()).keys()].sort()).to.deep.equal(all.map(({ pid }) => String(pid)).sort());
    expect(new Set(all.map(({ digest }) => digest)).size).to.equal(1);
  });

  it('show the metrics of all of them: sums, and gauges by process', async () => {
    const name = 'headwater_metrics_requests_total{surface="delivery",method="GET",status="200"}';
    const before = await count(name);
    await onEach();
    expect(await count(name)).to.equal(before + 12);
    const { text } = await fetchOnce(`${url}/metrics`);
    expect(text.match(/^process_resident_memory_bytes\{process="[123]"\} \d+$/gm)).to.have.length(PROCESSES);
    expect(
      text.match(/^headwater_gateway_connections\{scheme="http",process="[123]"\} \d+$/gm),
    ).to.have.length(PROCESSES);
  });

  it('admit together what one key may call', async () => {
    const admin = (path: string, body: object) =>
      fetch(`${url}/admin${path}`, { method: 'POST', headers: ADMIN, body: JSON.stringify(body) });
    const projects = [{ id: SAMPLE_PROJECT, capabilities: ['manage-apis'] }];
    const made = await admin('/users', { name: 'One', email: 'one@example.org', projects });
    const { id } = (await made.json()) as { id: string };
    const keyed = await admin(`/projects/${SAMPLE_PROJECT}/management-keys`, { user_id: id });
    const { key } = (await keyed.json()) as { key: string };
    // Each process knows the key from a call that is refused before it is counted; else the first to know it may admit all.
    for (let call = 0; call < 6; call += 1) {
      const refused = await fetchOnce(`${url}/manage/v2/projects/${UNKNOWN_PROJECT}/types`, {
        authorization: `Bearer ${key}`,
      });
      expect(refused.status).to.equal(403);
    }
    const answers = await Promise.all(
      Array.from({ length: 60 }, () =>
        fetchOnce(`${url}/manage/v2/projects/${SAMPLE_PROJECT}/types`, { authorization: `Bearer ${key}` }),
      ),
    );
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted).to.have.length(CALLS_A_MINUTE);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(60 - CALLS_A_MINUTE);
    // One may have admitted all of them: then the others refused by its counts.
    expect(new Set(answers.map(({ headers }) => headers['x-process'])).size).to.be.above(1);
  });

  it('block an address together, and unblock it together', async () => {
    const from = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };
    const guess = async (token: string) =>
      (await fetchOnce(`${url}/admin/projects`, { ...from, authorization: `Bearer ${token}` })).status;
    const statuses: number[] = [];
    for (let call = 0; call < 80; call += 1) statuses.push(await guess(`guess-${call}`));
    // The others count a failure a moment later.
    expect(statuses.filter((status) => status === 401).length).to.be.within(60, 65);
    for (let call = 0; call < 6; call += 1) expect(await guess(ADMIN_TOKEN)).to.equal(429);
    const { code, out, err } = await roles.run(['unblock', '203.0.113.7'], 'gateway');
    expect({ code, out, err }).to.deep.equal({
      code: 0,
      out: '203.0.113.7 was blocked and is not any more.\n',
      err: '',
    });
    for (let call = 0; call < 6; call += 1) expect(await guess(ADMIN_TOKEN)).to.equal(200);
  });

  it('take a new configuration all or none', async () => {
    const [first, second] = await allServing();
    const refused = join(config, `refuse-${second!.pid}`);
    const reload = () => runCommand(['reload'], roles.environment('gateway', 'gateway'));
    setWord('second');
    writeFileSync(refused, '');
    const failed = await reload();
    expect(failed.code).to.equal(1);
    expect(failed.err)
      .to.include(`(process id ${second!.pid}) refuses the configuration`)
      .and.include('the process is refused');
    expect(new Set((await onEach()).values())).to.deep.equal(new Set(['first']));
    expect((await listed()).map(({ digest }) => digest)).to.deep.equal(Array(PROCESSES).fill(first!.digest));

    rmSync(refused);
    const done = await reload();
    expect(done).to.include({ code: 0, out: 'Reloaded: plugins.picky.word.\n' });
    expect([...(await onEach()).values()]).to.deep.equal(Array(PROCESSES).fill('second'));
    const digests = new Set((await listed()).map(({ digest }) => digest));
    expect([digests.size, digests.has(first!.digest)]).to.deep.equal([1, false]);
  });

  it('are replaced when they are killed, while the others answer, and no count falls', async () => {
    const before = await allServing();
    const [{ digest }, killed] = [before[0]!, before.at(-1)!];
    const name = 'headwater_metrics_requests_total{surface="delivery",method="GET",status="200"}';
    await onEach();
    const counted = await count(name);
    setWord('third');
    process.kill(killed.pid, 'SIGKILL');
    const answers = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, at) => {
        await pause(at * 10);
        return (await fetchOnce(items)).status;
      }),
    );
    const ok = answers.filter((one) => one.status === 'fulfilled' && one.value === 200);
    // One connection at most was passed to the killed process; it is closed, not left open.
    expect(ok.length, JSON.stringify(answers)).to.be.at.least(59);
    const all = await allServing(killed.pid);
    expect(all.map(({ pid }) => pid)).to.not.include(killed.pid);
    // A replacement has the configuration of the others, not the one that the files have meanwhile.
    expect(all.map((one) => one.digest)).to.deep.equal(Array(PROCESSES).fill(digest));
    expect(await count(name)).to.be.at.least(counted + 59);
  });

  it('get no further connection while they stall; one that is killed then leaves none open', async () => {
    const [, second] = await allServing();
    process.kill(second!.pid, 'SIGSTOP');
    const calls = Array.from({ length: 12 }, () => fetchOnce(items, {}, 20_000));
    let answered = 0;
    let refused = 0;
    for (const call of calls) {
      call.then(
        () => (answered += 1),
        () => (refused += 1),
      );
    }
    await eventually(
      async () => answered,
      (number) => number >= 11,
    );
    expect(refused).to.equal(0);
    process.kill(second!.pid, 'SIGKILL');
    await Promise.allSettled(calls);
    expect(answered + refused).to.equal(12);
    expect(await Promise.race([Promise.allSettled(calls), pause(5000)])).to.be.an('array');
    await allServing();
  });

  it('let running requests finish on SIGTERM, then end, the supervisor with 0', async () => {
    // A report is shown again for a moment.
    const all = await eventually(allServing, (some) => some.every(({ pid }) => isRunning(pid)));
    const pids = all.map(({ pid }) => pid);
    writeFileSync(join(config, 'disposed'), '');
    const begun = () => readdirSync(config).filter((name) => name.startsWith('slow-')).length;
    const before = begun();
    const slow = Array.from({ length: 6 }, () => fetchOnce(`${items}&slow`));
    await until(() => begun() === before + 6);
    // As systemd does: to each process.
    for (const pid of pids) process.kill(pid, 'SIGTERM');
    gateway.signal('SIGTERM');
    const answers = await Promise.all(slow);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(200));
    expect(new Set(answers.map(({ headers }) => headers['x-process'])).size).to.be.above(1);
    expect((await gateway.ended).code).to.equal(0);
    expect(pids.filter(isRunning)).to.deep.equal([]);
    const disposed = readFileSync(join(config, 'disposed'), 'utf8').trimEnd().split('\n');
    expect(disposed.sort()).to.deep.equal(pids.map(String).sort());
  });

  longTest('replace one that is killed while the others start', async () => {
    const files = join(roles.folder, 'slow-start');
    const file = (name: string) => join(files, name);
    mkdirSync(files);
    writeFileSync(file('slow.mjs'), SLOW_START);
    writeFileSync(file('headwater.yaml'), 'pipeline: { own: [./slow.mjs] }\n');
    const port = await freePort();
    const started = roles.serve(
      roles.environment('gateway', 'slow-start-data', {
        HEADWATER_CONFIG: files,
        HEADWATER_PORT: String(port),
        HEADWATER_GATEWAY__PROCESSES: '2',
        HEADWATER_DRAIN_SECONDS: '20',
      }),
    );
    await until(() => existsSync(file('others')));
    process.kill(Number(readFileSync(file('first'), 'utf8')), 'SIGKILL');
    await until(() => /A gateway process has ended/.test(started.err));
    writeFileSync(file('go'), '');
    await started.printed(/\n {2}try /);
    const health = `http://127.0.0.1:${port}/health`;
    const digests = () =>
      fetchOnce(health, ADMIN).then(
        ({ text }) => text.match(/connections, digest \w+/g)?.length ?? 0,
        () => 0,
      );
    await eventually(digests, (count) => count === 2);
    // A stop does not wait for a replacement that starts.
    for (const name of ['go', 'others']) rmSync(file(name));
    const [, pid] = /process (\d+) since/.exec((await fetchOnce(health, ADMIN)).text) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    await until(() => existsSync(file('others')));
    const began = performance.now();
    started.signal('SIGTERM');
    expect((await started.ended).code).to.equal(0);
    expect(performance.now() - began).to.be.below(15_000);
  });

  longTest('have one certificate after a reload that makes it', async () => {
    const port = await freePort();
    const more = { HEADWATER_TLS_PORT: String(port), HEADWATER_GATEWAY__PROCESSES: '3' };
    const { process: several } = await roles.startGateway('certificate', more);
    const shown = async () => {
      const socket = connect({ port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const before = await shown();
    rmSync(join(roles.folder, 'certificate/tls'), { recursive: true });
    expect((await roles.run(['reload'], 'certificate')).code).to.equal(0);
    const fingerprints = new Set<string>();
    for (let call = 0; call < 6; call += 1) fingerprints.add(await shown());
    expect(fingerprints.size).to.equal(1);
    expect(fingerprints).to.not.include(before);
    several.signal('SIGTERM');
    expect((await several.ended).code).to.equal(0);
  });

  longTest('do not start where one cannot: one sentence, exit code 1', async () => {
    const { process: other, url: taken } = await roles.startGateway('single');
    const refused = roles.serve(
      roles.environment('gateway', 'second', {
        HEADWATER_PORT: new URL(taken).port,
        HEADWATER_GATEWAY__PROCESSES: '2',
      }),
    );
    const { code, err } = await refused.ended;
    other.signal('SIGTERM');
    expect(code).to.equal(1);
    expect(err.trim().split('\n').at(-1)).to.match(
      /^headwater: The address 127\.0\.0\.1:\d+ is taken by another program/,
    );
  });
});
