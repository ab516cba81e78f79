import { expect } from 'chai';
import fc from 'fast-check';
import type { Limits } from '../../plugins/counters/limiter.ts';
import { LocalLimiter } from '../../plugins/counters/local-limiter.ts';
import { plugin } from '../../plugins/rate-limit/index.ts';
import { settings } from '../../plugins/rate-limit/schema.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runPlugins, testContext, testServices } from '../support/gateway/plugin-services.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { isLongForm } from '../support/long-form.ts';

const REAL: Limits = { second: 10, minute: 400, hour: 15_000 };
const HOUR = 3_600_000;

function limiterAt(start = 0, most = 1000) {
  let now = start;
  const limiter = new LocalLimiter({ monotonic: () => now }, most);
  return {
    limiter,
    take: (limits: Limits = REAL, subject = 'key:a') => limiter.take(subject, limits),
    pass: (milliseconds: number) => (now += milliseconds),
    now: () => now,
  };
}

/** Most calls in any stretch `(t - length, t]` of rising times. */
function worst(times: readonly number[], length: number): number {
  let first = 0;
  let most = 0;
  for (const [last, time] of times.entries()) {
    while (times[first]! <= time - length) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('the local limiter', () => {
  it('counts many subjects before a plugin sets how many: without `rate-limit`, sessions are counted all the same', () => {
    const limiter = new LocalLimiter({ monotonic: () => 0 });
    for (let call = 0; call < 10; call += 1) {
      expect(limiter.take('session:a', REAL).admitted).to.equal(true);
      limiter.take('session:b', REAL);
    }
    expect(limiter.take('session:a', REAL).admitted).to.equal(false);
  });

  it('admits ten calls in any second, to the millisecond', () => {
    const { take, pass } = limiterAt(5000.25);
    for (let call = 0; call < 10; call += 1) {
      expect(take().admitted).to.equal(true);
      pass(10);
    }
    expect(take()).to.include({ admitted: false, waitMilliseconds: 900 });
    pass(899.99);
    expect(take().admitted).to.equal(false);
    pass(0.02);
    expect(take().admitted).to.equal(true);
    expect(take().waitMilliseconds).to.be.closeTo(10, 0.02);
  });

  it('resets the second one second after the first call, at any reading of the clock', () => {
    // `start + 1000 - start` is more than 1000 for one reading in ten.
    for (let start = 500; start < 9000; start += 0.9371) {
      const { take } = limiterAt(start);
      expect(take().windows[0]).to.include({ name: 'second', resetMilliseconds: 1000 });
    }
  });

  it('charges nothing for what it rejects, in no window', () => {
    const { take, pass } = limiterAt();
    for (let call = 0; call < 10; call += 1) take();
    const before = take().windows;
    for (let call = 0; call < 30_000; call += 1) expect(take().admitted).to.equal(false);
    expect(take().windows).to.deep.equal(before);
    pass(1000);
    for (let call = 0; call < 10; call += 1) expect(take().admitted).to.equal(true);
    expect(take().windows.map(({ name, remaining }) => [name, remaining])).to.deep.equal([
      ['second', 0],
      ['minute', 380],
      ['hour', 14_980],
    ]);
  });

  it('a greedy client gets its 400 in the first minute and continues when the first part is outside', () => {
    const { take, pass, now } = limiterAt();
    let admitted = 0;
    while (admitted < 400) {
      if (take().admitted) admitted += 1;
      else pass(10);
    }
    expect(now()).to.equal(39_000);
    const { waitMilliseconds } = take();
    // The first part of 3 s counts until it has left the minute in full.
    expect(now() + waitMilliseconds).to.equal(63_000);
    pass(waitMilliseconds - 1);
    expect(take().admitted).to.equal(false);
    pass(1);
    expect(take().admitted).to.equal(true);
  });

  it('names a wait after which the next call is admitted, whatever came before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.array(fc.integer({ min: 0, max: 9000 }), { minLength: 1, maxLength: 300 }),
        (start, pauses) => {
          const limits = { second: 3, minute: 12, hour: 40 };
          const { take, pass } = limiterAt(start);
          for (const pause of pauses) {
            pass(pause);
            const { admitted, waitMilliseconds } = take(limits);
            if (admitted) continue;
            expect(waitMilliseconds).to.be.above(0);
            // As the header says it: whole seconds, rounded up.
            pass(Math.ceil(waitMilliseconds / 1000) * 1000);
            expect(take(limits).admitted).to.equal(true);
          }
        },
      ),
      { numRuns: isLongForm ? 5000 : 200 },
    );
  });

  it('never admits more than the limit in any stretch of time, however fast the client calls', () => {
    const pauses = fc.oneof(
      { weight: 8, arbitrary: fc.double({ min: 0, max: 40, noNaN: true }) },
      { weight: 2, arbitrary: fc.double({ min: 0, max: 1500, noNaN: true }) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 80_000, noNaN: true }) },
    );
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e7, noNaN: true }),
        fc.array(pauses, { minLength: 2000, maxLength: 4000 }),
        (start, steps) => {
          const { take, pass, now } = limiterAt(start);
          const times: number[] = [];
          for (const step of steps) {
            pass(step);
            while (take().admitted) times.push(now());
          }
          expect(worst(times, 1000)).to.be.at.most(10);
          expect(worst(times, 60_000)).to.be.at.most(400);
          expect(worst(times, HOUR)).to.be.at.most(15_000);
        },
      ),
      { numRuns: isLongForm ? 300 : 12 },
    );
  });

  it('holds a client that follows its waits back for one part too long at most', () => {
    const { take, pass, now } = limiterAt(1234);
    const times: number[] = [];
    while (now() < 1_200_000) {
      const { admitted, waitMilliseconds } = take();
      if (admitted) times.push(now());
      else pass(waitMilliseconds);
    }
    expect(worst(times, 60_000)).to.equal(400);
    // 20 minutes: at least 400 in every 63 s.
    expect(times.length).to.be.at.least(Math.floor(1_198_766 / 63_000) * 400);
  });

  it('counts each subject alone, and removes idle ones', () => {
    const { limiter, take, pass } = limiterAt();
    for (let call = 0; call < 10; call += 1) take(REAL, 'key:a');
    expect(take(REAL, 'key:a').admitted).to.equal(false);
    expect(take(REAL, 'key:b').admitted).to.equal(true);
    expect(limiter.size).to.equal(2);
    pass(HOUR);
    take(REAL, 'key:c');
    expect(limiter.size).to.equal(3);
    pass(HOUR / 20 + 60_000);
    take(REAL, 'key:c');
    expect(limiter.size).to.equal(1);
  });

  it('takes its memory from a bounded number of subjects', () => {
    const { limiter, take } = limiterAt(0, 50);
    for (let at = 0; at < 500; at += 1) take(REAL, `address:${at}`);
    expect(limiter.size).to.equal(50);
  });

  it('keeps the counts of those that called last when it may keep fewer', () => {
    const { limiter, take } = limiterAt(0, 50);
    for (let at = 0; at < 50; at += 1) take(REAL, `key:${at}`);
    for (let call = 0; call < 10; call += 1) take(REAL, 'key:7');
    limiter.resize(2);
    expect(limiter.size).to.equal(2);
    expect(take(REAL, 'key:7').admitted).to.equal(false);
    limiter.resize(20);
    for (let at = 0; at < 50; at += 1) take(REAL, `key:${at}`);
    expect(limiter.size).to.equal(20);
  });

  it('has no limit where there is none, and takes new ones over at once', () => {
    const { take } = limiterAt();
    const none = { second: null, minute: null, hour: null };
    for (let call = 0; call < 1000; call += 1) expect(take(none).admitted).to.equal(true);
    expect(take(none).windows).to.deep.equal([]);
    expect(take({ ...none, minute: 1001 }).admitted).to.equal(false);
    expect(take({ ...none, minute: 1002 }).admitted).to.equal(true);
  });
});

describe('the counts of the rate limit', () => {
  it('outlive a reload of the settings, new limits count at once', async () => {
    const { servicesFor } = testServices();
    const principal = { kind: 'key', key: 'k', keyKind: 'management', user: 'u' } as const;
    const calls = async (limits: object, count: number) => {
      const running = await plugin.setup(plugin.settings.parse({ limits }), servicesFor('rate-limit'));
      const verdicts: unknown[] = [];
      for (let call = 0; call < count; call += 1) {
        const ctx = testContext('manage', { principal });
        await runPlugins([running], ctx).catch(() => {});
        verdicts.push(ctx.state.outcome.limiter);
      }
      await running.dispose?.();
      return verdicts.filter((verdict) => verdict === 'admitted').length;
    };
    const slow = { second: null, hour: null };
    expect(await calls({ ...slow, minute: 5 }, 8)).to.equal(5);
    expect(await calls({ ...slow, minute: 5 }, 3)).to.equal(0);
    expect(await calls({ ...slow, minute: 7 }, 3)).to.equal(2);
  });
});

const KEY = '0D1F7A3E-5B42-4C69-9C0D-6E5B1F2A7D34';

describe('settings of the rate limit', () => {
  const wrong: readonly [string, object, string][] = [
    ['a minute below the second', { limits: { minute: 9 } }, 'must not be below second (10)'],
    ['an hour below the minute', { limits: { hour: 399 } }, 'must not be below minute (400)'],
    ['an hour below the second', { limits: { minute: null, hour: 9 } }, 'must not be below second (10)'],
    ['the same for one key', { keys: { [KEY]: { second: 401 } } }, 'must not be below second (401)'],
    ['a limit of nothing', { limits: { second: 0 } }, 'Too small'],
  ];
  for (const [what, given, says] of wrong) {
    it(`refuse ${what}`, () => {
      const { error } = settings.safeParse(given);
      expect(error?.issues.map(({ message }) => message).join()).to.include(says);
    });
  }
});

describe('the rate limit in front of manage', () => {
  const path = `/manage/v2/projects/${PROJECTS.open}/items`;
  let gateway: TestGateway;
  const open = async (rateLimit: Record<string, unknown>) => {
    gateway = await runGateway({ plugins: { 'rate-limit': rateLimit } });
  };
  afterEach(() => gateway.end());
  const call = (key = 'open-management') =>
    fetch(gateway.urls.http + path, { headers: { authorization: `Bearer ${key}` } });
  const metric = async (name: string) => {
    const text = await (await fetch(`${gateway.urls.http}/metrics`)).text();
    return text.split('\n').filter((line) => line.startsWith(`headwater_rate_limit_${name}`));
  };

  it('answers 429 with code 10000 and Retry-After, and charges no caller that auth refuses', async () => {
    await open({ limits: { second: 2, minute: 2 } });
    for (let at = 0; at < 5; at += 1) expect((await call('unknown')).status).to.equal(401);
    for (let at = 0; at < 5; at += 1) {
      const other = await fetch(gateway.urls.http + path.replace(PROJECTS.open, PROJECTS.secured), {
        headers: { authorization: 'Bearer open-management' },
      });
      expect(other.status).to.equal(403);
    }
    expect((await call()).status).to.equal(200);
    expect((await call()).status).to.equal(200);
    const core = gateway.core.requests.length;
    const answer = await call();
    const { request_id, message, ...rest } = (await answer.json()) as Record<string, unknown>;
    expect(answer.status).to.equal(429);
    expect(rest).to.deep.equal({ error_code: 10000 });
    expect(request_id).to.equal(answer.headers.get('x-request-id'));
    expect(message).to.match(/^The key has used up 2 calls per minute\. Try again in \d+ s/);
    expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
    expect(Number(answer.headers.get('retry-after'))).to.be.within(60, 63);
    expect(answer.headers.get('ratelimit')).to.equal(null);
    expect(gateway.core.requests).to.have.lengthOf(core);
  });

  it('Retry-After of a second is a second, and after it the call is admitted', async () => {
    await open({ limits: { second: 1 } });
    expect((await call()).status).to.equal(200);
    const answer = await call();
    expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([429, '1']);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await call()).status).to.equal(200);
  });

  it('has limits for single keys, whose ids may be in capital letters', async () => {
    await open({ keys: { [KEY]: { second: 1 } } });
    const { keys } = gateway.core;
    keys.set('open-management', { ...keys.get('open-management')!, id: KEY.toLowerCase() });
    expect((await call()).status).to.equal(200);
    expect((await call()).status).to.equal(429);
    const other = () =>
      fetch(gateway.urls.http + path.replace(PROJECTS.open, PROJECTS.secured), {
        headers: { authorization: 'Bearer secured-management' },
      });
    for (let at = 0; at < 5; at += 1) expect((await other()).status).to.equal(200);
  });

  it('sends the tightest window and all policies, where the settings ask for it', async () => {
    await open({ headers: true, limits: { second: 3, minute: 4 } });
    const first = await call();
    expect(first.headers.get('ratelimit-policy')).to.equal(
      '"second";q=3;w=1, "minute";q=4;w=60, "hour";q=15000;w=3600',
    );
    expect(first.headers.get('ratelimit')).to.equal('"second";r=2;t=1');
    for (let at = 0; at < 2; at += 1) await call();
    const rejected = await call();
    expect(rejected.status).to.equal(429);
    expect(rejected.headers.get('ratelimit')).to.equal('"second";r=0;t=1');
    expect(rejected.headers.get('retry-after')).to.equal('1');
  });

  it('in shadow mode rejects no call, charges no more than otherwise, and counts', async () => {
    await open({ shadow: true, limits: { second: 2, minute: 4 } });
    for (let at = 0; at < 6; at += 1) expect((await call()).status).to.equal(200);
    expect(await metric('calls_total')).to.deep.equal([
      'headwater_rate_limit_calls_total{verdict="admitted"} 2',
      'headwater_rate_limit_calls_total{verdict="would-reject"} 4',
    ]);
  });

  it('counts verdicts, and calls near a limit', async () => {
    await open({ limits: { second: 5 } });
    for (let at = 0; at < 6; at += 1) await call();
    expect(await metric('calls_total')).to.deep.equal([
      'headwater_rate_limit_calls_total{verdict="admitted"} 5',
      'headwater_rate_limit_calls_total{verdict="rejected"} 1',
    ]);
    expect(await metric('near_limit_total')).to.deep.equal([
      'headwater_rate_limit_near_limit_total{window="second"} 2',
    ]);
  });

  it('a hundred calls at once: ten are admitted', async () => {
    await open({});
    const answers = await Promise.all(Array.from({ length: 100 }, () => call()));
    const admitted = answers.filter(({ status }) => status === 200);
    expect(answers.every(({ status }) => status === 200 || status === 429)).to.equal(true);
    // The burst may be spread over more than a second on a busy machine.
    expect(admitted.length).to.be.within(10, 20);
  });
});
