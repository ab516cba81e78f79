import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { fetchRaw, type RawAnswer } from '../support/clients/fetch-raw.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { leastOf } from '../support/measure/least-of.ts';
import { until } from '../support/until.ts';
import { ADMIN_TOKEN, ChaosCluster } from './cluster/chaos-cluster.ts';
import { openInstallation, prepareProject } from './cluster/installation.ts';
import type { Part } from './cluster/part.ts';

const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };
/** Without the wait header, while core can be reached. */
const BOUND_MS = 2000;
/** An answer that is not flagged: the feed counts as lost after so long. */
const UNFLAGGED_MS = 1000;
/** Timers, and processes of a busy machine. */
const SLACK_MS = 300;
const REGENERATIONS = isLongForm ? 1000 : 10;
/** Far less than what a bound allows. */
const READ_EVERY_MS = 50;
const PUBLISH_EVERY_MS = 150;

interface Published {
  readonly number: number;
  /** Time until which a reader may not see it. */
  readonly acknowledged: number;
}

interface Read {
  readonly began: number;
  readonly answer: RawAnswer;
}

describe('a gateway that loses the change feed', function () {
  this.timeout(60_000);
  let folder: string;
  let cluster: ChaosCluster;
  let project: string;
  let managementKey: string;
  let previewKey: string;
  let number = 0;
  const published: Published[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-lost-feed-'));
    const core = await openInstallation(join(folder, 'core-0'));
    ({ id: project, key: managementKey, previewKey } = await prepareProject(core, 'Feed'));
    await core.close();
    cluster = await ChaosCluster.start({
      folder,
      gateways: 2,
      environment: { HEADWATER_PLUGINS__RESPONSE_CACHE__WAIT_SECONDS: '1' },
    });
    for (const name of ['changing', 'resting']) {
      await manage('PUT', `/items/external-id/${name}`, {
        name,
        type: { codename: 'piece' },
        sitemap_locations: [],
      });
    }
    await publish('resting', 1);
    await publishNext();
  });
  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => recovered());

  const urlOf = ({ port }: Part) => `http://127.0.0.1:${port}`;
  const status = ({ headers }: RawAnswer) => headers['cache-status'] ?? '';
  const isFlagged = ({ headers }: RawAnswer) => headers['x-stale-content'] === '1';
  const isWithoutCore = (answer: RawAnswer) => status(answer).includes('stale-if-error');
  const read = (item: string, gateway = cluster.gateways[1]!, headers: Record<string, string> = {}) =>
    fetchRaw(`${urlOf(gateway)}/delivery/${project}/items/${item}`, headers);

  /** Through the first gateway, which nothing disturbs. */
  async function manage(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await fetch(`${urlOf(cluster.gateways[0]!)}/manage/v2/projects/${project}${path}`, {
      method,
      headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  }

  async function publish(item: string, title: number): Promise<void> {
    const variant = `/items/external-id/${item}/variants/codename/default`;
    if (title > 1) await manage('PUT', `${variant}/new-version`);
    await manage('PUT', variant, { elements: [{ element: { codename: 'title' }, value: `${title}` }] });
    await manage('PUT', `${variant}/publish`);
  }

  async function publishNext(): Promise<void> {
    number += 1;
    await publish('changing', number);
    published.push({ number, acknowledged: performance.now() });
  }

  /** Reads on the second gateway until the work has ended, and publishes all the time. */
  async function readDuring(work: () => Promise<void>, { publishes = true } = {}): Promise<Read[]> {
    const reads: Read[] = [];
    let isOver = false;
    const whileRunning = async (step: () => Promise<unknown>) => {
      while (!isOver) await step();
    };
    const readers = Array.from({ length: 3 }, () =>
      whileRunning(async () => {
        const began = performance.now();
        reads.push({ began, answer: await read('changing') });
        await pause(READ_EVERY_MS);
      }),
    );
    const writer = whileRunning(async () => {
      if (publishes) await publishNext();
      await pause(PUBLISH_EVERY_MS);
    });
    try {
      await work();
    } finally {
      isOver = true;
      await Promise.all([...readers, writer]);
    }
    return reads;
  }

  /** What was acknowledged so long before a read began must be seen by it. */
  function check(reads: readonly Read[]): void {
    for (const { began, answer } of reads) {
      expect(answer.status, answer.body).to.equal(200);
      if (isWithoutCore(answer)) {
        expect(isFlagged(answer)).to.equal(true);
        continue;
      }
      const shown = Number(JSON.parse(answer.body).item.elements.title.value);
      const bound = (isFlagged(answer) ? BOUND_MS : UNFLAGGED_MS) + SLACK_MS;
      const required = published.findLast(({ acknowledged }) => acknowledged < began - bound)?.number ?? 0;
      expect(shown, `${status(answer)}, read ${bound} ms after ${required}`).to.be.at.least(required);
    }
  }

  /** A plain read may be older than the last commit, within the bounds of `check`. */
  const showsLast = async () => {
    const began = performance.now();
    const answer = await read('changing');
    check([{ began, answer }]);
    return Number(JSON.parse(answer.body).item.elements.title.value) === number;
  };

  /** Until the second gateway serves from its cache as always. */
  async function recovered(): Promise<number> {
    const began = performance.now();
    for (const ends = began + 15_000; performance.now() < ends; await pause(20)) {
      const answers = [
        await read('resting').catch(() => undefined),
        await read('resting').catch(() => undefined),
      ];
      if (answers.every((answer) => answer && status(answer) === 'headwater; hit' && !isFlagged(answer)))
        return performance.now() - began;
    }
    throw new Error('The gateway has not recovered.');
  }

  it('serves nothing older than 2 s while core answers calls and the feed is held back', async () => {
    const relay = cluster.relays.cores[1]![0]!;
    const reads = await readDuring(async () => {
      await pause(300);
      relay.holdRequests('POST /feed');
      await pause(4500);
    });
    check(reads);
    const late = reads.filter(({ began }) => began > reads.at(-1)!.began - 2000).map(({ answer }) => answer);
    expect(late.some((answer) => status(answer).includes('feed-lost') && isFlagged(answer))).to.equal(true);
    expect(late.some((answer) => status(answer).includes('fwd=stale'))).to.equal(true);
    expect(late.every((answer) => status(answer) !== 'headwater; hit')).to.equal(true);
    relay.release();
    expect(await recovered()).to.be.lessThan(3000);
    await until(showsLast);
  });

  longTest('serves what it has, flagged, while nothing comes through, and recovers', async () => {
    const relay = cluster.relays.cores[1]![0]!;
    const reads = await readDuring(async () => {
      await pause(300);
      relay.hold();
      await pause(5000);
      relay.release();
      await pause(2500);
    });
    check(reads);
    expect(reads.some(({ answer }) => isWithoutCore(answer))).to.equal(true);
    expect(await recovered()).to.be.lessThan(3000);
  });

  longTest('has what it missed after its connections were cut, and keeps what did not change', async () => {
    await read('changing');
    for (let round = 0; round < 5; round += 1) {
      cluster.relays.cores[1]![0]!.cut();
      await publishNext();
      await pause(700);
      const kept = await read('resting');
      expect([status(kept), isFlagged(kept)]).to.deep.equal(['headwater; hit', false]);
      await until(showsLast);
    }
  });

  it('serves what it has, flagged, while core is stopped, and recovers', async () => {
    const stopped = async () => {
      cluster.cores[0]!.signal('SIGSTOP');
      await pause(5500);
      cluster.cores[0]!.signal('SIGCONT');
    };
    await read('changing');
    const reads = await readDuring(stopped, { publishes: false });
    await cluster.gateways[0]!.healthy(5000);
    check([...reads, ...(await readDuring(() => pause(2000)))]);
    expect(reads.some(({ answer }) => isWithoutCore(answer))).to.equal(true);
    expect(await recovered()).to.be.lessThan(3000);
  });

  it('serves nothing old as current after it was stopped itself', async () => {
    const gateway = cluster.gateways[1]!;
    await read('changing');
    gateway.signal('SIGSTOP');
    await publishNext();
    await pause(2500);
    // The requests wait in the sockets, like the heartbeats from before.
    const reads = Array.from({ length: 20 }, async () => ({
      began: performance.now(),
      answer: await read('changing'),
    }));
    await pause(50);
    gateway.signal('SIGCONT');
    check(await Promise.all(reads));
    expect(await recovered()).to.be.lessThan(3000);
  });

  describe('and keys', () => {
    const accepted = async (key: string, gateway: Part) => {
      const answer = await fetch(`${urlOf(gateway)}/preview/${project}/items?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await answer.text();
      return answer.status;
    };

    async function regenerate(): Promise<{ key: string; took: number }> {
      const began = performance.now();
      const answer = await fetch(
        `${urlOf(cluster.gateways[0]!)}/admin/projects/${project}/keys/preview-primary/regenerate`,
        { method: 'POST', headers: ADMIN },
      );
      const { key } = (await answer.json()) as { key: string };
      expect(answer.status).to.equal(200);
      return { key, took: performance.now() - began };
    }

    it(`accepts no key on any gateway after the answer that replaced it, ${REGENERATIONS} times`, async () => {
      const times: number[] = [];
      for (let round = 0; round < REGENERATIONS; round += 1) {
        for (const gateway of cluster.gateways) expect(await accepted(previewKey, gateway)).to.equal(200);
        const { key, took } = await regenerate();
        times.push(took);
        const old = await Promise.all(cluster.gateways.map((gateway) => accepted(previewKey, gateway)));
        expect(old).to.deep.equal([401, 401]);
        previewKey = key;
      }
      // The median is that of the machine's other work.
      expect(Math.min(...times)).to.be.lessThan(100);
    });

    longTest(
      'answers within 1.1 s while a gateway is stopped, which accepts no old key when it goes on',
      async () => {
        const [, gateway] = cluster.gateways as [Part, Part];
        const longest = 1100 + SLACK_MS;
        const stopped = async () => {
          expect(await accepted(previewKey, gateway)).to.equal(200);
          gateway.signal('SIGSTOP');
          const old = previewKey;
          const waiting = Array.from({ length: 5 }, () => accepted(old, gateway));
          let milliseconds = 0;
          try {
            ({ key: previewKey, took: milliseconds } = await regenerate());
            waiting.push(...Array.from({ length: 5 }, () => accepted(old, gateway)));
            await pause(50);
          } finally {
            gateway.signal('SIGCONT');
          }
          expect(await Promise.all(waiting)).to.deep.equal(Array.from({ length: 10 }, () => 401));
          expect(await accepted(previewKey, gateway)).to.equal(200);
          await recovered();
          return { milliseconds };
        };
        for (let round = 0; round < 3; round += 1) {
          const { milliseconds } = await leastOf(longest, stopped);
          expect(milliseconds).to.be.within(900, longest);
        }
      },
    );

    it('accepts no old key while the feed is held back', async () => {
      const [, gateway] = cluster.gateways as [Part, Part];
      expect(await accepted(previewKey, gateway)).to.equal(200);
      cluster.relays.cores[1]![0]!.holdRequests('POST /feed');
      try {
        for (let round = 0; round < 3; round += 1) {
          const old = previewKey;
          ({ key: previewKey } = await regenerate());
          expect(await accepted(old, gateway)).to.equal(401);
          expect(await accepted(previewKey, gateway)).to.equal(200);
        }
      } finally {
        cluster.relays.cores[1]![0]!.release();
      }
    });
  });
});
