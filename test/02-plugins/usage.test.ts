import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { QuotaState } from '../../core/contract.ts';
import type { Facets } from '../../plugins/contract.ts';
import type { CountedCalls } from '../../plugins/counters/call-totals.ts';
import { CallCounts } from '../../plugins/usage/call-counts.ts';
import { plugin } from '../../plugins/usage/index.ts';
import { QuotaCounts } from '../../plugins/usage/quota-counts.ts';
import { Quotas } from '../../plugins/usage/quotas.ts';
import { failure } from '../support/failure.ts';
import { ADMIN_TOKEN, type FakeCore, fakeCore, notFound, PROJECTS } from '../support/gateway/fake-core.ts';
import { runPlugins, testContext, testServices } from '../support/gateway/plugin-services.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const { open, secured, unknown } = PROJECTS;
const at = (text: string) => Date.parse(text);

describe('counted calls', () => {
  it('are kept by project, surface and day, also across midnight and back', () => {
    const counts = new CallCounts('source');
    counts.add('a', 'delivery', at('2026-02-28T23:59:59.999Z'));
    counts.add('a', 'delivery', at('2026-03-01T00:00:00Z'));
    counts.add('a', 'delivery', at('2026-02-28T23:59:58Z'));
    counts.add('a', 'preview', at('2026-03-01T00:00:01Z'));
    counts.add('b', 'delivery', at('2026-03-01T00:00:01Z'));
    expect(counts.startSending()).to.deep.equal({
      source: 'source',
      number: 1,
      counts: [
        { project: 'a', surface: 'delivery', day: '2026-02-28', calls: 2 },
        { project: 'a', surface: 'delivery', day: '2026-03-01', calls: 1 },
        { project: 'a', surface: 'preview', day: '2026-03-01', calls: 1 },
        { project: 'b', surface: 'delivery', day: '2026-03-01', calls: 1 },
      ],
    });
  });

  it('are pending until they have arrived; a batch that has not is sent again as it was', () => {
    const counts = new CallCounts('source');
    const now = at('2026-03-01T12:00:00Z');
    const pending = () => counts.pending('a', 'delivery', '2026-03-01');
    const batch = (number: number, calls: number) => ({
      source: 'source',
      number,
      counts: [{ project: 'a', surface: 'delivery', day: '2026-03-01', calls }],
    });
    counts.add('a', 'delivery', now);
    expect(counts.startSending()).to.deep.equal(batch(1, 1));
    counts.add('a', 'delivery', now);
    counts.add('a', 'delivery', now);
    expect(pending()).to.equal(3);
    expect(counts.startSending()).to.equal(undefined);
    counts.sendingFailed();
    expect(pending()).to.equal(3);
    expect(counts.startSending()).to.deep.equal(batch(1, 1));
    counts.sent();
    expect(pending()).to.equal(2);
    expect(counts.startSending()).to.deep.equal(batch(2, 2));
    counts.add('a', 'delivery', now);
    counts.sent();
    expect(pending()).to.equal(1);
    expect(counts.pending('a', 'delivery', '2026-03-02')).to.equal(0);
  });
});

describe('the state of quotas', () => {
  const quota = (more: Partial<QuotaState> = {}): QuotaState => ({
    surface: 'delivery',
    period: 'day',
    limit: 10,
    used: 8,
    ends: '2026-03-02T00:00:00.000Z',
    ...more,
  });
  const noon = () => at('2026-03-01T12:00:00Z');

  function setUp(states: QuotaState[]): { core: FakeCore; counts: CallCounts; quotas: Quotas } {
    const core = fakeCore();
    core.quotaStates = states;
    const counts = new CallCounts('source');
    return { core, counts, quotas: new Quotas(core.usage, counts) };
  }

  it('is unknown until core has answered, and free where there is no quota', async () => {
    const { quotas } = setUp([]);
    expect(quotas.usedUp(open, 'delivery', noon)).to.equal(undefined);
    await quotas.load(open);
    expect(quotas.usedUp(open, 'delivery', noon)).to.equal(null);
  });

  it('adds the calls that core does not have, of the period and the surface only', async () => {
    const { counts, quotas } = setUp([quota()]);
    await quotas.load(open);
    counts.add(open, 'delivery', at('2026-02-28T23:00:00Z'));
    counts.add(open, 'preview', noon());
    counts.add(secured, 'delivery', noon());
    counts.add(open, 'delivery', noon());
    expect(quotas.usedUp(open, 'delivery', noon)).to.equal(null);
    counts.add(open, 'delivery', noon());
    expect(quotas.usedUp(open, 'delivery', noon)).to.deep.equal(quota());
    expect(quotas.usedUp(open, 'preview', noon)).to.equal(null);
  });

  it('counts a month from its first day', async () => {
    const month = quota({ period: 'month', ends: '2026-04-01T00:00:00.000Z' });
    const { counts, quotas } = setUp([month]);
    await quotas.load(open);
    counts.add(open, 'delivery', at('2026-02-28T23:00:00Z'));
    counts.add(open, 'delivery', at('2026-03-01T00:00:00Z'));
    counts.add(open, 'delivery', at('2026-03-20T00:00:00Z'));
    expect(quotas.usedUp(open, 'delivery', () => at('2026-03-20T12:00:00Z'))).to.deep.equal(month);
  });

  it('is read again when calls arrived in core meanwhile', async () => {
    const { core, quotas } = setUp([quota({ used: 8 })]);
    const answers: (() => void)[] = [];
    core.usage.quotas = async () => {
      const states = core.quotaStates;
      await new Promise<void>((resolve) => answers.push(resolve));
      return states;
    };
    const loading = quotas.load(open);
    core.quotaStates = [quota({ used: 10 })];
    quotas.adopt(await quotas.reread([open]));
    answers[0]?.();
    await pause(1);
    answers[1]?.();
    await loading;
    expect(quotas.usedUp(open, 'delivery', noon)).to.include({ used: 10 });
  });

  describe('over several gateways', () => {
    let shared: Map<string, number>;
    let isUp: boolean;
    let batches: number;
    beforeEach(() => {
      shared = new Map();
      isUp = true;
      batches = 0;
    });
    const add = async (counts: readonly CountedCalls[]) => {
      batches += 1;
      if (!isUp) throw new Error('away');
      return counts.map(({ name, calls, atLeast }) => {
        shared.set(name, Math.max((shared.get(name) ?? 0) + calls, atLeast));
        return shared.get(name)!;
      });
    };
    async function gateway(states: QuotaState[]) {
      const ofAll = new QuotaCounts({ add });
      const { core, counts } = setUp(states);
      const quotas = new Quotas(core.usage, counts, ofAll);
      await quotas.load(open);
      const call = (now = noon()) => {
        if (quotas.usedUp(open, 'delivery', () => now) !== null) return false;
        counts.add(open, 'delivery', now);
        quotas.called(open, 'delivery');
        return true;
      };
      return { call, ofAll, quotas };
    }
    const month = quota({ period: 'month', limit: 100, used: 8, ends: '2026-04-01T00:00:00.000Z' });

    it('counts what others counted until the last exchange', async () => {
      const [one, two] = [
        await gateway([quota({ used: 0 }), month]),
        await gateway([quota({ used: 0 }), month]),
      ];
      for (let at = 0; at < 4; at += 1) expect([one.call(), two.call()]).to.deep.equal([true, true]);
      for (const each of [one, two, one]) await each.ofAll.exchange();
      expect([...shared]).to.deep.equal([
        [`${open}:delivery:day:2026-03-02`, 8],
        [`${open}:delivery:month:2026-04-01`, 12],
      ]);
      // One knows of the others with its next call.
      expect([two.call(), two.call(), two.call()]).to.deep.equal([true, true, false]);
      expect(one.call()).to.equal(true);
      await two.ofAll.exchange();
      await one.ofAll.exchange();
      expect(one.call()).to.equal(false);
      const before = batches;
      await one.ofAll.exchange();
      expect(batches).to.equal(before);
    });

    it('counts by itself while the shared counts are away, and goes on with what core has', async () => {
      const one = await gateway([quota({ used: 0 })]);
      isUp = false;
      for (let at = 0; at < 5; at += 1) expect(one.call()).to.equal(true);
      await one.ofAll.exchange();
      for (let at = 0; at < 5; at += 1) expect(one.call()).to.equal(true);
      expect(one.call()).to.equal(false);
      isUp = true;
      const two = await gateway([quota({ used: 8 })]);
      expect(two.call()).to.equal(true);
      await two.ofAll.exchange();
      expect([...shared.values()]).to.deep.equal([8]);
    });

    it('begins each period anew, and shares nothing without a quota', async () => {
      const one = await gateway([quota({ used: 0, limit: 1 })]);
      expect([one.call(), one.call()]).to.deep.equal([true, false]);
      await one.ofAll.exchange();
      const next = quota({ used: 0, limit: 1, ends: '2026-03-03T00:00:00.000Z' });
      one.quotas.adopt([[open, [next]]]);
      const later = at('2026-03-02T00:00:01Z');
      expect([one.call(later), one.call(later)]).to.deep.equal([true, false]);
      const none = await gateway([]);
      for (let at = 0; at < 5; at += 1) expect(none.call()).to.equal(true);
      await none.ofAll.exchange();
      expect(batches).to.equal(1);
    });
  });

  it('is known to the current pipeline, also when the one before a reload sends core the calls', async () => {
    const { core, servicesFor } = testServices();
    const ends = new Date(Date.now() + 3_600_000).toISOString();
    const state = quota({ limit: 2, used: 0, ends });
    core.usage.quotas = async () => [
      { ...state, used: core.counts.reduce((sum, { calls }) => sum + calls, 0) },
    ];
    const start = () => plugin.setup(plugin.settings.parse({ flushSeconds: 3600 }), servicesFor('usage'));
    const [before, now] = [await start(), await start()];
    const call = async () => {
      const project = { id: open, facts: await core.access.project(open) };
      const ctx = testContext('delivery', { principal: { kind: 'anonymous' }, project } as Partial<Facets>);
      await runPlugins([now], ctx);
      ctx.state.outcome.status = 200;
      now.onResponse?.(ctx);
    };
    await call();
    await call();
    await before.dispose?.();
    expect((await failure(call)).status).to.equal(429);
    await now.dispose?.();
  });

  it('is read again when the period is over', async () => {
    const { quotas } = setUp([quota({ used: 10 })]);
    await quotas.load(open);
    expect(quotas.usedUp(open, 'delivery', noon)).to.not.equal(null);
    expect(quotas.usedUp(open, 'delivery', () => at('2026-03-02T00:00:00Z'))).to.equal(undefined);
  });
});

describe('counting in front of core', () => {
  let gateway: TestGateway;
  const call = (path: string, key?: string, init: RequestInit = {}) =>
    fetch(gateway.urls.http + path, {
      ...init,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
  const sums = () => {
    const sum: Record<string, number> = {};
    for (const { project, surface, calls } of gateway.core.counts) {
      const name = `${project === open ? 'open' : project} ${surface}`;
      sum[name] = (sum[name] ?? 0) + calls;
    }
    return sum;
  };
  const start = async (flushSeconds = 0.1) => {
    gateway = await runGateway({ plugins: { usage: { flushSeconds } } });
  };
  afterEach(() => gateway.end());

  it('counts what passed auth on each surface, answered from the cache or not, and nothing else', async () => {
    await start();
    gateway.core.answer = (request) => {
      if (request.path.endsWith('/nothing')) notFound();
      if (request.path.endsWith('/broken')) throw new Error('inside');
      return { status: 200, headers: {}, body: [Buffer.from('{}')], tags: ['*'], sequence: 1 };
    };
    for (let round = 0; round < 5; round += 1) await (await call(`/delivery/${open}/items`)).text();
    await call(`/delivery/${open}/items`, undefined, { method: 'HEAD' });
    expect((await call(`/delivery/${open}/items/nothing`)).status).to.equal(404);
    expect((await call(`/delivery/${open}/broken`)).status).to.equal(500);
    await call(`/preview/${open}/items`, 'open-preview-primary');
    await call(`/preview/${open}/items`, 'wrong');
    await call(`/preview/${open}/items`);
    await call(`/manage/v2/projects/${open}/items`, 'open-management');
    await call(`/manage/v2/projects/${open}/items`, 'secured-management');
    await call(`/assets/${open}/file/a.png`);
    await call(`/delivery/${unknown}/items`);
    await call(`/delivery/${open}/items`, undefined, { method: 'OPTIONS' });
    await call('/admin/projects', ADMIN_TOKEN);
    await call('/health/live');
    const expected = { 'open delivery': 7, 'open preview': 1, 'open manage': 1, 'open assets': 1 };
    await until(() => isDeepStrictEqual({ ...sums() }, expected));
    await pause(200);
    expect(sums()).to.deep.equal(expected);
  });

  it('loses none when core fails for a while, and sends the rest at shutdown', async () => {
    await start(0.1);
    const add = gateway.core.usage.add;
    let failures = 0;
    const usage = gateway.core.usage as { add: typeof add };
    usage.add = async () => {
      failures += 1;
      throw new Error('no disk');
    };
    const began = performance.now();
    for (let round = 0; round < 3; round += 1) await call(`/delivery/${open}/items`);
    await pause(350);
    await until(() => failures > 1);
    const logged = gateway.lines.filter(({ text }) => text.startsWith('Calls could not be counted'));
    expect(logged).to.have.length(1);
    // Each tenth of a second, in which the time until the gateway calls core may be a part of the first.
    expect(failures).to.be.at.most(Math.floor((performance.now() - began) / 100) + 1);
    usage.add = add;
    await until(() => isDeepStrictEqual({ ...sums() }, { 'open delivery': 3 }));
    await call(`/delivery/${open}/items`);
    await gateway.close();
    expect(sums()).to.deep.equal({ 'open delivery': 4 });
  });

  it('counts each call once where core has counted a batch and its answer was lost', async () => {
    await start(0.1);
    const add = gateway.core.usage.add;
    let losses = 2;
    (gateway.core.usage as { add: typeof add }).add = async (batch) => {
      await add(batch);
      if (losses-- > 0) throw new Error('no answer');
    };
    for (let round = 0; round < 6; round += 1) {
      await call(`/delivery/${open}/items`);
      await pause(60);
    }
    await gateway.close();
    expect(sums()).to.deep.equal({ 'open delivery': 6 });
    expect(gateway.core.batches[1]).to.deep.equal(gateway.core.batches[0]);
  });

  it('reads the quotas of a core that was started with others, for a project that has used up its own', async () => {
    let minutes = 0;
    const clock = { now: () => new Date(), monotonic: () => performance.now() + minutes * 60_000 };
    gateway = await runGateway({ plugins: { usage: { flushSeconds: 0.1 } }, clock });
    const state: QuotaState = {
      surface: 'delivery',
      period: 'day',
      limit: 1,
      used: 1,
      ends: new Date(Date.now() + 90_000).toISOString(),
    };
    const status = async () => (await call(`/delivery/${open}/items`)).status;
    gateway.core.quotaStates = [state];
    expect(await status()).to.equal(429);
    for (const [states, expected] of [
      [[{ ...state, limit: 1000 }], 200],
      [[state], 429],
      [[], 200],
      [[state], 429],
    ] as const) {
      gateway.core.quotaStates = states;
      await until(async () => {
        minutes += 1;
        return (await status()) === expected;
      });
    }
  });

  it('refuses nothing in a period that began while core is away', async () => {
    let minutes = 0;
    const clock = {
      now: () => new Date(Date.now() + minutes * 60_000),
      monotonic: () => performance.now(),
    };
    gateway = await runGateway({ plugins: { usage: { flushSeconds: 3600 } }, clock });
    const ends = new Date(Date.now() + 90_000).toISOString();
    gateway.core.quotaStates = [{ surface: 'delivery', period: 'day', limit: 1, used: 1, ends }];
    const status = async () => (await call(`/delivery/${open}/items`)).status;
    expect(await status()).to.equal(429);
    gateway.core.usage.quotas = () => Promise.reject(new Error('away'));
    expect(await status()).to.equal(429);
    minutes = 2;
    expect(await status()).to.equal(200);
  });

  it('stops calls beyond a quota with 429 in the shape of the surface, before core', async () => {
    await start(3600);
    const ends = new Date(Date.now() + 90_000).toISOString();
    gateway.core.quotaStates = (['delivery', 'manage'] as const).map((surface) => ({
      surface,
      period: 'day',
      limit: 3,
      used: 1,
      ends,
    }));
    for (const [path, key] of [
      [`/delivery/${open}/items`, undefined],
      [`/manage/v2/projects/${open}/items`, 'open-management'],
    ] as const) {
      for (let round = 0; round < 2; round += 1) {
        expect((await call(path, key)).status).to.equal(200);
        await pause(20);
      }
      const before = gateway.core.requests.length;
      const answer = await call(path, key);
      const body = (await answer.json()) as Record<string, unknown>;
      expect([answer.status, body['error_code']]).to.deep.equal([429, 10001]);
      expect(body['message']).to.include('3 calls of').and.to.include(ends);
      expect('specific_code' in body).to.equal(path.startsWith('/delivery'));
      expect(Number(answer.headers.get('retry-after'))).to.be.within(80, 90);
      expect(gateway.core.requests).to.have.lengthOf(before);
    }
    expect((await call(`/preview/${open}/items`, 'open-preview-primary')).status).to.equal(200);
  });
});
