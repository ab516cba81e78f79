/** Runs every command of "From one process to several" in `config/README.md`, on free ports and in a folder of its own. */
import '../support/database/postgres-programs.ts';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { postgresServer } from '../support/database/postgres.ts';
import { freePort } from '../support/gateway/run-gateway.ts';
import { hasAllTests } from '../support/long-form.ts';
import { runNginx } from '../support/programs/run-nginx.ts';
import { type RunningRedis, runRedis } from '../support/programs/run-redis.ts';
import { S3Store, STORE_CREDENTIALS } from '../support/programs/s3-store.ts';
import { eventually, fetchOnce, SAMPLE_PROJECT } from '../support/service/role-processes.ts';
import { HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';

const ROOT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'config/README.md'), 'utf8');
const walkthrough = /<!-- processes:begin[\s\S]*?<!-- processes:end -->/.exec(readme)?.[0] ?? '';
const steps = [...walkthrough.matchAll(/```sh\n([\s\S]*?)```\n(?:```text\n([\s\S]*?)\n```)?/g)].map(
  ([, shell = '', shown]) => ({ shell, shown }),
);
/** Of `npm test`: gateways, core and worker as processes of their own; then follow PostgreSQL, Redis and S3. */
const OWN_PROCESSES = steps.findIndex(({ shell }) => shell.includes('cores.env'));
const PORTS = ['8080', '8081', '8091', '8092', '8093', '8094', '8095', '8443', '8444'];
const DATABASE_URL = 'postgres://headwater:secret@db.internal:5432/headwater';

describe('the walkthrough from one process to several', function () {
  this.slow(10_000);

  const folder = mkdtempSync(join(tmpdir(), 'headwater-walkthrough-'));
  const ports = new Map<string, string>();
  /** By their settings of role and data folder, which say whether one takes over from another. */
  const running = new Map<string, HeadwaterProcess>();
  let databaseUrl = '';
  let redis: RunningRedis | undefined;
  let store: S3Store | undefined;
  let bucket = '';
  const inTest = (text: string) =>
    text
      .replaceAll('/srv/headwater', folder)
      .replaceAll(/\b8\d{3}\b/g, (port) => ports.get(port) ?? port)
      .replaceAll('npx headwater', `node ${join(ROOT, 'gateway/cli/headwater.cjs')}`)
      .replaceAll(DATABASE_URL, databaseUrl)
      .replaceAll('redis://redis.internal:6379', redis?.url ?? '')
      .replaceAll('https://s3.example.org', store?.swift.endpoint ?? '')
      .replaceAll('s3://headwater/', `s3://${bucket}/`)
      .replaceAll('ACCESS_KEY_ID=headwater', `ACCESS_KEY_ID=${STORE_CREDENTIALS.accessKeyId}`)
      .replaceAll('SECRET_ACCESS_KEY=secret', `SECRET_ACCESS_KEY=${STORE_CREDENTIALS.secretAccessKey}`);

  before(async () => {
    if (hasAllTests) {
      const server = await postgresServer();
      databaseUrl = server.tcpUrl(await server.create());
      [redis, store] = await Promise.all([runRedis(), S3Store.start()]);
      bucket = await store.newBucket();
    }
    for (const port of PORTS) ports.set(port, String(await freePort()));
    mkdirSync(join(folder, 'core'));
  });
  after(async () => {
    for (const service of running.values()) service.signal('SIGTERM');
    await Promise.all([...running.values()].map(({ ended }) => ended));
    await Promise.all([redis?.end(), store?.end()]);
    rmSync(folder, { recursive: true });
  });

  /** The settings in front of `npx headwater serve`, those of its file included. */
  function environmentOf(shell: string): Record<string, string> {
    const text = inTest(shell).replace(/\$\(cat (\S+)\)/g, (_, file: string) => readFileSync(file, 'utf8'));
    const words = text.matchAll(/(HEADWATER_\w+)=(\S+)/g);
    return Object.fromEntries([...words].map(([, name = '', value = '']) => [name, value]));
  }

  async function stop(name: string): Promise<void> {
    const service = running.get(name);
    service?.signal('SIGTERM');
    if (service) expect((await service.ended).code).to.equal(0);
  }

  async function serve(shell: string): Promise<void> {
    const environment = environmentOf(shell);
    const name = environment['HEADWATER_DATA_DIR'] ?? environment['HEADWATER_ROLE'] ?? '';
    await stop(name);
    const port = environment['HEADWATER_PORT'] ?? ports.get('8080')!;
    const service = new HeadwaterProcess(['serve'], {
      ...IN_PLACE,
      HEADWATER_PORT: port,
      HEADWATER_TLS_PORT: ports.get('8443')!,
      HEADWATER_LISTEN: `127.0.0.1:${ports.get('8091')}`,
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, `${running.size}.log`),
      HEADWATER_DRAIN_SECONDS: '5',
      ...environment,
    });
    running.set(name, service);
    await service.printed(/Headwater (is running|runs as|transforms)[^\n]*\n/);
    const listen = environment['HEADWATER_LISTEN'] ?? `127.0.0.1:${ports.get('8091')}`;
    const address = environment['HEADWATER_ROLE'] === 'core' ? listen : `127.0.0.1:${port}`;
    await eventually(
      () => fetchOnce(`http://${address}/health/ready`).catch(() => undefined),
      (answer) => answer?.status === 200,
      20_000,
    );
  }

  it('has steps, or this test shows nothing', () => {
    expect(steps.filter(({ shell }) => shell.includes('headwater serve'))).to.have.length(13);
    expect(steps.filter(({ shown }) => shown !== undefined)).to.have.length(5);
    expect(OWN_PROCESSES).to.be.above(0);
  });

  for (const { shell, shown } of hasAllTests ? steps : steps.slice(0, OWN_PROCESSES)) {
    const title = shell.replaceAll(/\\\n */g, '').split('\n')[0] ?? '';
    it(title, async () => {
      if (shell.includes('headwater serve')) return serve(shell);
      if (shell.includes('headwater move'))
        for (const name of ['core-1', 'core-2']) await stop(join(folder, name));
      const { stdout } = await promisify(execFile)('bash', ['-euc', inTest(shell)], { cwd: folder });
      if (shown !== undefined) expect(stdout.trimEnd()).to.equal(shown);
      if (shell.includes('project list')) expect(stdout).to.include(SAMPLE_PROJECT);
      if (shell.includes('digest')) {
        const digests = stdout.trim().split('\n');
        expect(digests).to.have.length(2);
        expect(digests[0]).to.equal(digests[1]);
      }
    });
  }

  it('ends with nginx in front of both gateways, and images made by the worker', async () => {
    const lines = [...walkthrough.matchAll(/^ {4}server (\S+) (.*);$/gm)].map(([, address = '', how]) => ({
      address: inTest(address),
      how,
    }));
    const gateways = [...new Set(lines.map(({ address }) => address))];
    expect(gateways).to.have.length(2);
    // As in the shipped file, for each of them.
    const shipped = readFileSync(join(ROOT, 'config/nginx/headwater.conf'), 'utf8');
    const kinds = [...shipped.matchAll(/^ {4}server \S+ (.*); {2}# yours$/gm)].map(([, how]) => how);
    expect(lines.map(({ how }) => how)).to.deep.equal(kinds.flatMap((how) => [how, how]));
    // Each process connects to the restarted core by itself.
    const ready = (line: string) => fetchOnce(`http://${line}/health/ready`);
    await eventually(
      () => Promise.all([...gateways, ...gateways, ...gateways].map(ready)),
      (answers) => answers.every(({ status }) => status === 200),
    );
    const nginx = await runNginx(...gateways);
    try {
      const items = `${nginx.https.replace('localhost', '127.0.0.1')}/delivery/${SAMPLE_PROJECT}/items?limit=1`;
      const get = async (url: string) => {
        const script = `curl -sk -o ${folder}/answer -w '%{http_code}' -H 'Host: content.example.org' '${url}'`;
        return (await promisify(execFile)('bash', ['-euc', script])).stdout;
      };
      for (let call = 0; call < 4; call += 1) expect(await get(`${items}&skip=${call}`)).to.equal('200');
      await stop(join(folder, 'gateway-1'));
      for (let call = 4; call < 8; call += 1) expect(await get(`${items}&skip=${call}`)).to.equal('200');
    } finally {
      await nginx.end();
    }
    const gateway = `http://127.0.0.1:${ports.get('8081')}`;
    const { text } = await fetchOnce(`${gateway}/delivery/${SAMPLE_PROJECT}/items`);
    const image = /http[^"]+\.jpg/.exec(text)?.[0] ?? '';
    expect((await fetchOnce(`${image}?w=40`)).headers['content-type']).to.equal('image/jpeg');
    const { text: metrics } = await fetchOnce(`http://127.0.0.1:${ports.get('8093')}/metrics`);
    const tasks = metrics.split('\n').filter((line) => line.startsWith('headwater_workers_tasks_total{'));
    expect(
      tasks.map((line) => Number(line.split(' ').at(-1))).some((count) => count > 0),
      metrics,
    ).to.equal(true);
  });
});
