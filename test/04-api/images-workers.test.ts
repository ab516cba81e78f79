import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { TASKS_PER_HOST } from '../../workers/tier/start-workers.ts';
import { hostsOf, noiseImage } from '../support/images/worker-tier.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import {
  type AssetService,
  getBytes,
  type StoredAsset,
  startAssets,
} from '../support/projects/asset-service.ts';
import { until } from '../support/until.ts';

/** `HEADWATER_WORKERS__WAITING` of this service. */
const WAITING = 2;
const KILLS = isLongForm ? 200 : 3;

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('images and the processes that make them', () => {
  let service: AssetService;
  let asset: StoredAsset;
  let number = 0;
  /** Some tenths of a second of work, different for each call. */
  const slow = () =>
    `${asset.url}?w=${700 - (number++ % 300)}&h=${500 - (number % 200)}&fit=scale&fm=webp&lossless=1`;
  const hosts = () => hostsOf(process.pid);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of hosts()) process.kill(pid, name);
  };
  const kill = () => signal('SIGKILL');

  /** Of the queue of images. */
  const metric = async (name: string) => {
    const page = await service.service.metrics();
    const line = new RegExp(`^headwater_workers_${name}\\{lane="images"\\} (\\d+)`, 'm').exec(page);
    return Number(line?.[1]);
  };

  /** A host that has just started has no task yet: its crash would not count. */
  const killAtWork = async () => {
    await until(async () => (await metric('running')) > 0);
    const crashes = await metric('crashes_total');
    kill();
    await until(async () => (await metric('crashes_total')) > crashes);
  };

  before(async () => {
    service = await startAssets({
      environment: {
        HEADWATER_WORKERS__WAITING: String(WAITING),
        HEADWATER_WORKERS__DEADLINE_SECONDS: '60',
        HEADWATER_WORKERS__HOSTS: '1',
        HEADWATER_LOG_LEVEL: 'silent',
      },
    });
    asset = await service.store('noise.jpg', 'image/jpeg', await noiseImage());
  });

  after(async () => {
    const left = hosts();
    await service.stop();
    await until(() => !left.some((pid) => hosts().includes(pid)));
  });

  it('are made also when the process crashes midway', async () => {
    expect(hosts()).to.deep.equal([]);
    await getBytes(slow());
    const [first] = hosts();
    const url = slow();
    // So that it is at work for as long as this looks.
    signal('SIGSTOP');
    const answer = getBytes(url);
    await killAtWork();
    expect((await answer).status).to.equal(200);
    expect(hosts()).to.not.include(first);
    expect((await getBytes(url)).bytes.equals((await answer).bytes)).to.equal(true);
  });

  it('are answered with 503 after two crashes, while content is served, and made the next time', async () => {
    const url = `${asset.url}?w=1600&fm=webp&lossless=1`;
    const answer = getBytes(url);
    for (let crash = 0; crash < 2; crash++) {
      await killAtWork();
      const { status } = await getBytes(`${service.service.url}/health/live`).catch(() => ({ status: 200 }));
      expect(status).to.equal(200);
    }
    const { status, headers } = await answer;
    expect(status).to.equal(503);
    expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    expect((await getBytes(slow())).status).to.equal(200);
  });

  longTest('leave the queue when all their clients have disconnected', async () => {
    const before = await metric('tasks_total');
    signal('SIGSTOP');
    const running = Array.from({ length: TASKS_PER_HOST }, () => getBytes(slow()));
    await until(async () => (await metric('running')) === TASKS_PER_HOST);
    const clients = [new AbortController(), new AbortController(), new AbortController()];
    const [wanted, unwanted] = [slow(), slow()];
    const answers = [wanted, unwanted, unwanted].map((url, at) =>
      fetch(url, { signal: clients[at]!.signal }).then(
        ({ status }) => status,
        () => 'disconnected',
      ),
    );
    const other = getBytes(wanted);
    await until(async () => (await metric('waiting')) === 2);
    for (const client of clients) client.abort();
    expect(await Promise.all(answers)).to.deep.equal(Array(3).fill('disconnected'));
    await until(async () => (await metric('waiting')) === 1);
    expect(await metric('running')).to.equal(TASKS_PER_HOST);
    signal('SIGCONT');
    const made = await Promise.all([...running, other]);
    expect(made.map(({ status }) => status)).to.deep.equal(Array(TASKS_PER_HOST + 1).fill(200));
    await until(async () => (await metric('running')) === 0);
    expect((await metric('tasks_total')) - before).to.equal(TASKS_PER_HOST + 1);
  });

  it('are refused at once with `Retry-After` when too many wait', async () => {
    signal('SIGSTOP');
    const begun = Array.from({ length: TASKS_PER_HOST + WAITING }, () => getBytes(slow()));
    await until(async () => (await metric('running')) + (await metric('waiting')) === begun.length);
    const refused = await getBytes(slow());
    expect(refused.status).to.equal(503);
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
    signal('SIGCONT');
    expect(new Set((await Promise.all(begun)).map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  longTest(
    `are whole and always the same through ${KILLS} kills of the process`,
    async function (this: Mocha.Context) {
      this.timeout(120_000 + KILLS * 5000);
      const known = new Map<string, string>();
      const sizes = [150, 160];
      const small = await service.store('small.jpg', 'image/jpeg', await noiseImage(400, 300));
      // Bypasses every cache, so that each request makes an image.
      const ask = async (size: number, round: number) => {
        const answer = await getBytes(
          `${small.url}?w=${size}&h=${size}&fit=scale&fm=png&rect=0,0,${180 + round},300`,
        );
        return { key: `${size} ${round}`, status: answer.status, bytes: answer.bytes };
      };
      for (let round = 0; round < KILLS; round++) {
        const running = sizes.map((size) => ask(size, round));
        await setTimeout((round * 37) % 150);
        kill();
        for (const { key, status, bytes } of await Promise.all(running)) {
          expect(status).to.be.oneOf([200, 503]);
          if (status !== 200) continue;
          expect(bytes.subarray(1, 4).toString()).to.equal('PNG');
          expect(bytes.subarray(-8, -4).toString('latin1')).to.equal('IEND');
          known.set(key, digest(bytes));
        }
      }
      expect(known.size).to.be.above(KILLS);
      for (const [key, hash] of known) {
        const [size = 0, round = 0] = key.split(' ').map(Number);
        expect(digest((await ask(size, round)).bytes), key).to.equal(hash);
      }
    },
  );

  it('report the processes in metrics and health check', async () => {
    const url = service.service.url;
    // After these crashes the next host starts after a pause.
    expect((await getBytes(slow())).status).to.equal(200);
    expect(await metric('tasks_total')).to.be.above(3);
    expect(await metric('crashes_total')).to.be.above(2);
    expect(await metric('busy_total')).to.be.above(0);
    const headers = { authorization: `Bearer ${service.service.adminToken}` };
    const { parts } = (await (await fetch(`${url}/health`, { headers })).json()) as {
      parts: Record<string, { ok: boolean; detail: string }>;
    };
    expect(parts['workers']?.ok).to.equal(true);
    expect(parts['workers']?.detail).to.match(/^images: \d open/);
  });
});
