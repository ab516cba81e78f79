import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { hasAllTests, longTest } from '../support/long-form.ts';
import { leastOf } from '../support/measure/least-of.ts';
import { runCommand } from '../support/service/run-command.ts';
import { type Ended, HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

const ITEMS = 1500;
const CONDITIONS = 118;
/** On a busy machine: answers of others take some milliseconds, those behind 60 such queries several seconds. */
const QUICK_MS = 4000;
/** What an idle service may take in the second in which it is measured, the measuring included. */
const CPU_SECONDS = 0.3;

/** Each names all topics but another few of them, so that no two conditions say the same and most items pass all. */
function expensiveQuery(): string {
  const topics = Array.from({ length: 50 }, (_, index) => `topic_${Math.floor(index / 5)}_${index % 5}`);
  const conditions: string[] = [];
  for (let a = 0; a < 9; a++)
    for (let b = a + 1; b < 9; b++)
      for (let c = b; c < 9; c++)
        conditions.push(
          `elements.topics[any]=${topics.filter((_, at) => ![a, b, c].includes(at)).join(',')}`,
        );
  return `limit=1&includeTotalCount=true&${conditions.slice(0, CONDITIONS).join('&')}`;
}

describe('expensive queries', () => {
  let folder: string;
  let environment: Record<string, string>;
  let project: string;
  let service: HeadwaterProcess;
  let isStarted = false;
  let origin: string;
  let path: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-expensive-'));
    environment = {
      ...IN_PLACE,
      HEADWATER_DATA_DIR: join(folder, 'data'),
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_DRAIN_SECONDS: '1',
      HEADWATER_DELIVERY__STATEMENT_MILLISECONDS: 'null',
      HEADWATER_DELIVERY__QUERY_COST: 'null',
      HEADWATER_LOG_LEVEL: 'warn',
    };
    await start();
    const made = await runCommand(['generate', '--items', String(ITEMS)], environment);
    project = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(made.out)?.[0] ?? '';
    expect(project, made.err).to.not.equal('');
    path = `/delivery/${project}/items?${expensiveQuery()}`;
  });
  after(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });

  async function start(): Promise<void> {
    service = new HeadwaterProcess(['serve'], environment);
    isStarted = true;
    [, origin = ''] = await service.printed(/try +curl -s '(http:\/\/[^/]+)/);
  }

  async function stop(): Promise<Ended> {
    service.signal('SIGTERM');
    const ended = await service.ended;
    isStarted = false;
    return ended;
  }

  /** CPU seconds of the service since it began. */
  async function cpu(): Promise<number> {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]);
  }

  async function metric(name: string): Promise<number> {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    const line = metrics.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }

  /** Sends the query again and again on connections of their own; returns a function that disconnects. */
  function ask(times: number, method = 'GET'): () => void {
    const { hostname, port } = new URL(origin);
    const sockets = Array.from({ length: times }, (_, index) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      // Each is another request, or they would share one fetch.
      socket.write(`${method} ${path}&skip=${index} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      return socket;
    });
    return () => {
      for (const socket of sockets) socket.destroy();
    };
  }

  async function running(): Promise<void> {
    await until(async () => (await metric('headwater_storage_reads_running{class="delivery"}')) > 0);
  }

  /** The requested ones would take several seconds of CPU. */
  async function restsSoon(): Promise<void> {
    await pause(100);
    const before = await cpu();
    await pause(1000);
    expect((await cpu()) - before).to.be.below(CPU_SECONDS);
    expect(await metric('headwater_storage_reads_running{class="delivery"}')).to.equal(0);
    expect(await metric('headwater_storage_reads_waiting{class="delivery"}')).to.equal(0);
  }

  it('take long, or this test shows nothing', async () => {
    const began = performance.now();
    const answer = await fetch(origin + path);
    const text = await answer.text();
    expect(answer.status, text).to.equal(200);
    expect(performance.now() - began).to.be.above(100);
    expect(JSON.parse(text).pagination.total_count).to.be.above(500);
  });

  it('do not slow other requests', async () => {
    const keys = JSON.parse(await readFile(join(folder, 'data/first-run-keys.json'), 'utf8'));
    const token = (await readFile(join(folder, 'data/admin-token'), 'utf8')).trim();
    const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
    const sample = keys.project_id;
    const user = await fetch(`${origin}/admin/users`, {
      method: 'POST',
      headers: { ...bearer(token).headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Editor',
        email: 'editor@example.com',
        projects: [{ id: sample, capabilities: ['manage-content'] }],
      }),
    });
    expect(user.status, await user.clone().text()).to.equal(201);
    const { id } = (await user.json()) as { id: string };
    const words = ['key', 'create', '--project', sample, '--kind', 'management', '--user', id];
    const { out, err } = await runCommand(words, environment);
    expect(out, err).to.contain('{');
    const made = JSON.parse(out);
    const leave = ask(60);
    await running();
    try {
      for (let round = 0; round < 5; round++) {
        const others: [string, RequestInit?][] = [
          [`/delivery/${sample}/items?limit=1&skip=${round}`],
          [`/preview/${sample}/items?limit=1&skip=${round}`, bearer(keys['preview-primary'])],
          [`/manage/v2/projects/${sample}/items`, bearer(made.key ?? made.token)],
          ['/admin/projects', bearer(token)],
          ['/health/ready'],
        ];
        for (const [where, how] of others) {
          const began = performance.now();
          const answer = await fetch(origin + where, how);
          await answer.arrayBuffer();
          expect(answer.status, where).to.equal(200);
          expect(performance.now() - began, where).to.be.below(QUICK_MS);
        }
      }
    } finally {
      leave();
    }
    await restsSoon();
  });

  for (const method of hasAllTests ? ['GET', 'HEAD'] : ['GET'])
    it(`stop when the client of a ${method} disconnects, also those that wait`, async () => {
      const leave = ask(12, method);
      await running();
      leave();
      await restsSoon();
    });

  it('continue while one of two clients that wait for the same answer is connected', async () => {
    const other = fetch(`${origin}${path}&skip=0`);
    const leave = ask(1);
    await running();
    leave();
    const answer = await other;
    expect(answer.status).to.equal(200);
    await answer.arrayBuffer();
  });

  longTest('do not delay shutdown', async () => {
    // A second until connections are closed, and the work of ending; all of these queries would take longer.
    const allowed = 1000 + 2500;
    const { milliseconds } = await leastOf(allowed, async () => {
      if (!isStarted) await start();
      ask(60);
      await running();
      const began = performance.now();
      const { code } = await stop();
      const took = performance.now() - began;
      expect(code).to.equal(0);
      return { milliseconds: took };
    });
    expect(milliseconds).to.be.below(allowed);
  });

  it('end at the deadline of a statement with 503, and then use no CPU', async () => {
    await stop();
    environment = { ...environment, HEADWATER_DELIVERY__STATEMENT_MILLISECONDS: '20' };
    await start();
    const answer = await fetch(origin + path);
    expect(answer.status).to.equal(503);
    expect(((await answer.json()) as { message: string }).message)
      .to.contain('20 ms')
      .and.to.contain('Ask for less');
    await restsSoon();
  });

  it('end when the answer was not ready in time', async () => {
    await stop();
    environment = {
      ...environment,
      HEADWATER_DELIVERY__STATEMENT_MILLISECONDS: 'null',
      HEADWATER_DELIVERY__ANSWER_MILLISECONDS: '50',
    };
    await start();
    const answer = await fetch(origin + path);
    expect(answer.status).to.equal(503);
    await restsSoon();
  });
});
