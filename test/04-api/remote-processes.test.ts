import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../support/gateway/run-gateway.ts';
import { longTest } from '../support/long-form.ts';
import { leastOf, leastTimeOf } from '../support/measure/least-of.ts';
import { HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';
import { until } from '../support/until.ts';

const COMMON = {
  HEADWATER_INTERNAL_TOKEN: 'a-secret-of-gateways-and-cores-0123456789',
  HEADWATER_ADMIN_TOKEN: 'a-token-for-tests-only-0123456789abcdef',
  HEADWATER_TLS_PORT: '0',
  HEADWATER_LOG_LEVEL: 'fatal',
  HEADWATER_DRAIN_SECONDS: '2',
  ...IN_PLACE,
};
/** Its id is always the same. */
const SAMPLE = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

describe('a gateway and two cores as processes', function () {
  this.slow(10_000);

  let folder: string;
  let url: string;
  let gateway: HeadwaterProcess;
  const cores: HeadwaterProcess[] = [];
  const startCore = async (number: number) => {
    const core = new HeadwaterProcess(['serve'], {
      ...COMMON,
      HEADWATER_ROLE: 'core',
      HEADWATER_DATA_DIR: join(folder, `core-${number}`),
      HEADWATER_LISTEN: `unix:${folder}/${number}.sock`,
    });
    cores[number] = core;
    await core.printed(/core.* at unix:/i);
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-cores-'));
    const port = await freePort();
    await Promise.all([startCore(0), startCore(1)]);
    gateway = new HeadwaterProcess(['serve'], {
      ...COMMON,
      HEADWATER_ROLE: 'gateway',
      HEADWATER_DATA_DIR: join(folder, 'gateway'),
      HEADWATER_CORES: `unix:${folder}/0.sock,unix:${folder}/1.sock`,
      HEADWATER_PORT: String(port),
      HEADWATER_PIPELINE__OFF: 'response-cache',
    });
    await gateway.printed(/gateway.* at http/i);
    url = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${url}/admin/projects`, {
      headers: { authorization: `Bearer ${COMMON.HEADWATER_ADMIN_TOKEN}` },
    });
    url += `/delivery/${SAMPLE.exec(await answer.text())![0]}/items?limit=3`;
  });
  after(async () => {
    for (const one of [gateway, ...cores]) one.signal('SIGKILL');
    await Promise.all([gateway, ...cores].map(({ ended }) => ended));
    rmSync(folder, { recursive: true });
  });

  /** Waits until the gateway calls both cores. */
  async function bothUsed(): Promise<void> {
    const headers = { authorization: `Bearer ${COMMON.HEADWATER_ADMIN_TOKEN}` };
    const ends = performance.now() + 10_000;
    for (;;) {
      const answer = await fetch(new URL('/health', url), { headers });
      const { parts = {} } = (await answer.json()) as { parts?: Record<string, { ok: boolean }> };
      const states = Object.entries(parts).filter(([name]) => name.startsWith('core unix:'));
      if (states.length === 2 && states.every(([, { ok }]) => ok)) return;
      if (performance.now() > ends) throw new Error(`Both cores are not used: ${JSON.stringify(parts)}`);
      await pause(50);
    }
  }

  /** Reads until the work has ended; the status of each answer, and the longest time of one. */
  async function readWhile(work: () => Promise<void>) {
    const statuses = new Map<number, number>();
    let longest = 0;
    let isOver = false;
    const readers = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const began = performance.now();
        const answer = await fetch(url);
        await answer.arrayBuffer();
        longest = Math.max(longest, performance.now() - began);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        await pause(2);
      }
    });
    await work();
    isOver = true;
    await Promise.all(readers);
    return { statuses: [...statuses.keys()], longest };
  }

  it('fail no read while one core is killed and started again', async () => {
    const { statuses } = await readWhile(async () => {
      await pause(100);
      cores[0]!.signal('SIGKILL');
      await cores[0]!.ended;
      await pause(300);
      await startCore(0);
      await bothUsed();
    });
    expect(statuses).to.deep.equal([200]);
  });

  longTest('fail no read while one core is stopped in order', async () => {
    const { statuses } = await readWhile(async () => {
      cores[1]!.signal('SIGTERM');
      expect((await cores[1]!.ended).code).to.equal(0);
      await startCore(1);
      await bothUsed();
    });
    expect(statuses).to.deep.equal([200]);
  });

  it('move the reads of a stalled core within some two seconds, and use it again when it continues', async () => {
    const { milliseconds } = await leastOf(3000, async () => {
      const { statuses, longest } = await readWhile(async () => {
        cores[0]!.signal('SIGSTOP');
        await pause(2500);
        const later = await leastOf(1000, async () => {
          const reads = await readWhile(() => pause(200));
          expect(reads.statuses).to.deep.equal([200]);
          return { milliseconds: reads.longest };
        });
        expect(later.milliseconds).to.be.below(1000);
        cores[0]!.signal('SIGCONT');
        await bothUsed();
      });
      expect(statuses).to.deep.equal([200]);
      return { milliseconds: longest };
    });
    expect(milliseconds).to.be.below(3000);
    // The other one is gone now, so it answers itself.
    cores[1]!.signal('SIGKILL');
    await cores[1]!.ended;
    await pause(100);
    expect((await fetch(url)).status).to.equal(200);
  });

  it('answer 503 with Retry-After at once when no core can be reached, and recover', async () => {
    cores[0]!.signal('SIGKILL');
    await cores[0]!.ended;
    await pause(400);
    const took = await leastTimeOf(500, async () => {
      const answer = await fetch(url);
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('retry-after')).to.equal('1');
    });
    expect(took).to.be.below(500);
    await startCore(0);
    await until(async () => (await fetch(url)).status === 200);
  });
});
