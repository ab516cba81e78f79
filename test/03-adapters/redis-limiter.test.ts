/** The limits of calls over several gateways, on a real Redis. */

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createConnection, createServer, type Server } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import { CircuitBreaker } from '../../gateway/redis/circuit-breaker.ts';
import { RedisConnection } from '../../gateway/redis/redis-connection.ts';
import { RedisLimiter } from '../../gateway/redis/redis-limiter.ts';
import { TAKE_SOURCE, toVerdict } from '../../gateway/redis/take-script.ts';
import type { Limits, Verdict } from '../../plugins/counters/limiter.ts';
import { LocalLimiter } from '../../plugins/counters/local-limiter.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { type RunningRedis, runRedis, runSentinel } from '../support/programs/run-redis.ts';
import { Random } from '../support/random/random.ts';
import { until } from '../support/until.ts';

const REAL: Limits = { second: 10, minute: 400, hour: 15_000 };
const clock = { monotonic: () => performance.now() };
/** Of a test that may take longer than a second. */
const TEN: Limits = { second: null, minute: 10, hour: 15_000 };

function connect(
  url: string,
  more: {
    readonly prefix?: string;
    readonly sentinel?: string;
    readonly cluster?: boolean;
    readonly deadline?: number;
  },
  onChange: (isOpen: boolean) => void = () => {},
): RedisConnection {
  // On a busy machine an answer may take longer than the product waits.
  const { prefix = 'test', sentinel = null, cluster = false, deadline = 5000 } = more;
  const certificateAuthority = undefined;
  return new RedisConnection({ url, prefix, sentinel, cluster, certificateAuthority, deadline, onChange });
}

describe('the limiter of several gateways', () => {
  let redis: RunningRedis;
  let prefix = 0;
  const opened: RedisConnection[] = [];

  before(async function () {
    // It may have to be installed.
    this.timeout(300_000);
    redis = await runRedis();
  });
  after(() => redis.end());
  beforeEach(() => {
    prefix += 1;
  });
  afterEach(async () => {
    for (const connection of opened.splice(0)) await connection.close();
  });

  async function gateway(url = redis.url, deadline?: number) {
    let failures = 0;
    const changes: boolean[] = [];
    const connection = connect(url, { prefix: `test-${prefix}`, ...(deadline && { deadline }) }, (isOpen) =>
      changes.push(isOpen),
    );
    opened.push(connection);
    const refusal = await connection.start();
    const own = new LocalLimiter(clock, 100);
    const limiter = new RedisLimiter({ shared: connection, own, clock, onFailure: () => failures++ });
    limiter.resize(100);
    return { connection, limiter, own, refusal, changes, failures: () => failures };
  }

  it('counts as the local limiter does, at any time, in any history', async () => {
    const client = await createClient({ url: redis.url }).connect();
    try {
      const script = TAKE_SOURCE.replace("redis.call('TIME')", '{ tonumber(ARGV[4]), tonumber(ARGV[5]) }');
      for (let seed = 1; seed <= (isLongForm ? 40 : 4); seed += 1) {
        const random = new Random(seed);
        let now = 1_700_000_000_000 + random.int(0, 10_000_000);
        const local = new LocalLimiter({ monotonic: () => now }, 100);
        const limits: Limits = {
          second: random.pick<number | null>([null, 1, 3, 10]),
          minute: random.pick<number | null>([null, 5, 40]),
          hour: random.pick<number | null>([null, 12, 100]),
        };
        for (let call = 0; call < 400; call += 1) {
          now += random.pick([0, 0, 1, 50, 400, 1000, 3000, 30_000, 600_000]);
          const key = `history-${seed}`;
          const values = [limits.second, limits.minute, limits.hour].map((one) => String(one ?? -1));
          const time = [String(Math.floor(now / 1000)), String((now % 1000) * 1000)];
          const reply = await client.eval(script, {
            keys: [`${key}:second`, key],
            arguments: [...values, ...time],
          });
          const got = toVerdict(reply as number[], limits);
          const expected = local.take('a', limits);
          expect(got.admitted).to.equal(expected.admitted);
          expect(got.waitMilliseconds).to.be.closeTo(expected.waitMilliseconds, 0.01);
          expect(got.windows.map(({ name, remaining }) => [name, remaining])).to.deep.equal(
            expected.windows.map(({ name, remaining }) => [name, remaining]),
          );
          for (const [at, { resetMilliseconds }] of got.windows.entries())
            expect(resetMilliseconds).to.be.closeTo(expected.windows[at]!.resetMilliseconds, 0.01);
        }
      }
    } finally {
      client.destroy();
    }
  });

  it('counts in a Redis at an IPv6 address', async () => {
    const server = createServer((socket) =>
      pipeline(socket, createConnection(redis.port, '127.0.0.1'), socket, () => {}),
    );
    await once(server.listen(0, '::1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const { limiter, failures } = await gateway(`redis://[::1]:${port}`);
      expect((await limiter.take('a', TEN)).windows[0]!.remaining).to.equal(9);
      expect(failures()).to.equal(0);
    } finally {
      server.close();
    }
  });

  it('counts on when the clock of Redis is set back', async () => {
    const client = await createClient({ url: redis.url }).connect();
    try {
      const script = TAKE_SOURCE.replace("redis.call('TIME')", '{ tonumber(ARGV[4]), tonumber(ARGV[5]) }');
      const takeAt = async (second: number) =>
        toVerdict(
          (await client.eval(script, {
            keys: ['back:second', 'back'],
            arguments: ['10', '12', '100', `${second}`, '0'],
          })) as number[],
          { second: 10, minute: 12, hour: 100 },
        );
      for (let call = 0; call < 10; call += 1) expect((await takeAt(1_700_000_000)).admitted).to.equal(true);
      expect((await takeAt(1_700_000_000)).admitted).to.equal(false);
      const earlier = await takeAt(1_699_990_000);
      expect(earlier).to.deep.include({ admitted: true });
      expect(earlier.windows.map(({ remaining }) => remaining)).to.deep.equal([9, 11, 99]);
    } finally {
      client.destroy();
    }
  });

  it('admits the limit over all gateways, and charges nothing for what it rejects', async () => {
    const gateways = await Promise.all([gateway(), gateway(), gateway(), gateway()]);
    const limits: Limits = { second: 10, minute: 25, hour: 1000 };
    const began = performance.now();
    const admitted: number[] = [];
    let rejected = 0;
    while (performance.now() - began < 3400) {
      await Promise.all(
        gateways.map(async ({ limiter }) => {
          if ((await limiter.take('key:a', limits)).admitted) admitted.push(performance.now());
          else rejected += 1;
        }),
      );
      await pause(1);
    }
    expect(admitted.length).to.equal(25);
    expect(rejected).to.be.above(100);
    // The times here are those of the answers, up to some milliseconds after those of Redis.
    for (const [at, time] of admitted.entries())
      expect(
        admitted.filter((other) => other > time - 900 && other <= time).length,
        `call ${at}`,
      ).to.be.at.most(10);
    // A key of its own.
    expect((await gateways[0]!.limiter.take('key:b', limits)).admitted).to.equal(true);
  });

  longTest('does not take a time in which this process is busy for a failure of Redis', async () => {
    const { limiter, failures, changes } = await gateway(redis.url, 200);
    const busy = () => {
      for (const until = performance.now() + 300; performance.now() < until; );
    };
    // Before the command is sent, before its answer is read, and while the timer runs.
    const moments = [
      (call: () => Promise<unknown>) => {
        const taken = call();
        busy();
        return taken;
      },
      async (call: () => Promise<unknown>) => {
        const taken = call();
        setImmediate(busy);
        return taken;
      },
      async (call: () => Promise<unknown>) => {
        setTimeout(busy, 1);
        return call();
      },
    ];
    for (const moment of moments)
      for (let round = 0; round < 2; round += 1) await moment(() => limiter.take(`key:${round}`, REAL));
    expect([failures(), changes]).to.deep.equal([0, []]);
  });

  it('asks Redis no more while a rejection lasts', async () => {
    const { limiter, connection } = await gateway();
    const other = await gateway();
    const limits: Limits = { second: null, minute: 2, hour: 15_000 };
    for (let call = 0; call < 2; call += 1) await other.limiter.take('key:a', limits);
    const first = await limiter.take('key:a', limits);
    expect(first.admitted).to.equal(false);
    await connection.close();
    const second = await limiter.take('key:a', limits);
    expect(second.admitted).to.equal(false);
    expect(second.waitMilliseconds).to.be.within(0, first.waitMilliseconds);
  });

  it('keeps nothing for longer than an hour and a part of it', async () => {
    const client = await createClient({ url: redis.url }).connect();
    try {
      const { limiter } = await gateway();
      await limiter.take('key:a', REAL);
      const key = `test-${prefix}:limit:{key:a}`;
      expect(await client.pTTL(key)).to.be.within(3_600_000, 3_780_000);
      expect(await client.pTTL(`${key}:second`)).to.be.within(1, 2000);
    } finally {
      client.destroy();
    }
  });

  it('adds calls for quotas, no lower than what core has counted, until the period ends', async () => {
    const [{ connection: one }, { connection: two }] = [await gateway(), await gateway()];
    const client = await createClient({ url: redis.url }).connect();
    try {
      const ends = Date.now() + 1000;
      const calls = (name: string, count: number, atLeast = 0) => ({ name, calls: count, atLeast, ends });
      expect(await one.add([calls('a', 3), calls('b', 1, 50)])).to.deep.equal([3, 50]);
      expect(await two.add([calls('a', 4), calls('b', 2, 50)])).to.deep.equal([7, 52]);
      expect(await two.add([calls('a', 0, 7)])).to.deep.equal([7]);
      for (const name of ['a', 'b'])
        expect(await client.pTTL(`test-${prefix}:calls:{${name}}`)).to.be.within(3_500_000, 3_601_000);
    } finally {
      client.destroy();
    }
  });

  describe('whose Redis fails', () => {
    let own: RunningRedis;
    beforeEach(async () => {
      own = await runRedis();
    });
    afterEach(async () => {
      own.continue();
      await own.end();
    });

    for (const [what, fail, mend] of [
      ['is killed', () => own.kill(), () => own.restart()],
      ['stalls', async () => own.stall(), async () => own.continue()],
    ] as const)
      it(`limits by itself while it ${what}, soon without a delay, and counts for all again after it`, async () => {
        const { limiter, changes, failures, connection: first } = await gateway(own.url, 30);
        const second = await gateway(own.url, 30);
        expect((await limiter.take('key:a', TEN)).admitted).to.equal(true);
        expect(failures()).to.equal(0);
        await fail();
        let times: number[] = [];
        for (let call = 0; call < 20; call += 1) {
          const began = performance.now();
          await limiter.take('key:a', TEN);
          times.push(performance.now() - began);
        }
        // Ten a minute, the one from before included, and as many at the other gateway.
        expect((await limiter.take('key:a', TEN)).admitted).to.equal(false);
        let others = 0;
        for (let call = 0; call < 15; call += 1)
          if ((await second.limiter.take('key:a', TEN)).admitted) others += 1;
        expect(others).to.equal(10);
        expect(changes).to.deep.equal([true]);
        times = times.slice(5).toSorted((a, b) => a - b);
        expect(times[7], 'the median after the first five calls').to.be.below(25);
        await mend();
        await until(() => changes.length === 2);
        const limits: Limits = { second: 4, minute: 400, hour: 15_000 };
        for (const { connection } of [{ connection: first }, second])
          await until(() =>
            connection.take('key:other', limits).then(
              () => true,
              () => false,
            ),
          );
        const before = failures() + second.failures();
        const verdicts = [];
        for (let call = 0; call < 3; call += 1)
          verdicts.push(await limiter.take('key:c', limits), await second.limiter.take('key:c', limits));
        expect(verdicts.filter(({ admitted }) => admitted).length).to.equal(4);
        expect(failures() + second.failures()).to.equal(before);
      });
  });

  longTest('limits by itself while Redis is full, and says so once', async () => {
    const full = await runRedis('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    try {
      const { limiter, changes, connection, refusal } = await gateway(full.url, 5000);
      expect(refusal).to.equal(undefined);
      expect(connection.detail).to.match(/^does not answer: .*OOM/);
      for (const ends = performance.now() + 3000; performance.now() < ends; await pause(20))
        await limiter.take(`key:${performance.now()}`, REAL);
      expect(changes).to.deep.equal([true]);
      const client = await createClient({ url: full.url }).connect();
      await client.configSet('maxmemory', '0');
      client.destroy();
      await until(() => changes.length === 2);
      expect((await limiter.take('key:a', TEN)).admitted).to.equal(true);
      expect(connection.isUp).to.equal(true);
    } finally {
      for (const connection of opened.splice(0)) await connection.close();
      await full.end();
    }
  });

  longTest('reports that Redis stalls where it was full before', async () => {
    const full = await runRedis('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    try {
      const { connection } = await gateway(full.url, 200);
      expect(connection.detail).to.match(/^does not answer: .*OOM/);
      full.stall();
      await until(() => connection.detail === 'does not answer: It did not answer within 200 ms.', 4000);
    } finally {
      full.continue();
      for (const connection of opened.splice(0)) await connection.close();
      await full.end();
    }
  });

  longTest('starts without a Redis that can be reached, and finds it later', async () => {
    const late = await runRedis();
    await late.kill();
    const { limiter, refusal, changes, connection } = await gateway(late.url, 30);
    try {
      expect(refusal).to.equal(undefined);
      expect(changes).to.deep.equal([true]);
      expect(connection.isUp).to.equal(false);
      for (let call = 0; call < 10; call += 1)
        expect((await limiter.take('key:a', TEN)).admitted).to.equal(true);
      expect((await limiter.take('key:a', TEN)).admitted).to.equal(false);
      expect(connection.detail).to.match(/^does not answer: .*ECONNREFUSED/);
      await late.restart();
      await until(() => changes.length === 2);
      expect(connection.detail).to.equal('calls are counted over all gateways');
    } finally {
      await connection.close();
      await late.end();
    }
  });

  it('is refused with a wrong password, and without the permission for scripts', async () => {
    const guarded = await runRedis(
      '--requirepass',
      'right,with a comma',
      '--user',
      'reader',
      'on',
      '>reader',
      '~*',
      '+@read',
      '+ping',
    );
    try {
      expect((await gateway(guarded.url)).refusal).to.match(/^NOAUTH/);
      expect((await gateway(guarded.url.replace('//', '//:wrong@'))).refusal).to.match(/^WRONGPASS/);
      expect((await gateway(guarded.url.replace('//', '//reader:reader@'))).refusal).to.match(/^NOPERM/);
      expect((await gateway(guarded.url.replace('//', '//:right,with%20a%20comma@'))).refusal).to.equal(
        undefined,
      );
    } finally {
      for (const connection of opened.splice(0)) await connection.close();
      await guarded.end();
    }
  });
});

describe('the limiter of a gateway for which a part of the shared counts fails', () => {
  it('admits no more than the limit, whatever order the answers come in', async () => {
    for (const order of [
      [true, false],
      [false, true],
    ]) {
      const own = new LocalLimiter(clock, 100);
      const calls: ((isAdmitted: boolean) => void)[] = [];
      const take = (subject: string) =>
        new Promise<Verdict>((resolve, reject) => {
          calls.push((isAdmitted) =>
            isAdmitted ? resolve({ ...own.peek(subject, TEN), admitted: true }) : reject(new Error('late')),
          );
        });
      const limiter = new RedisLimiter({ shared: { take }, own, clock, onFailure: () => {} });
      limiter.resize(100);
      for (let count = 0; count < 9; count += 1) own.charge('key:a');
      const verdicts = order.map(() => limiter.take('key:a', TEN));
      // The first call is decided first.
      for (const [index, isAdmitted] of order.entries()) {
        calls[index]!(isAdmitted);
        await pause(1);
      }
      const decided = await Promise.all(verdicts);
      expect(decided.filter(({ admitted }) => admitted).length, `${order}`).to.equal(1);
      // What a rejected caller is told agrees with the rejection.
      for (const { admitted, windows } of decided)
        if (!admitted)
          expect(
            windows.some(({ remaining }) => remaining === 0),
            `${order}`,
          ).to.equal(true);
    }
  });
});

describe('a server of redisUrl that cannot be used', () => {
  const refusalAt = async (url: string, more: Parameters<typeof connect>[1] = {}) => {
    const connection = connect(url, more);
    try {
      return await connection.start();
    } finally {
      await connection.close();
    }
  };
  const withServer = async (server: Server, use: (port: number) => Promise<void>) => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      await use((server.address() as AddressInfo).port);
    } finally {
      server.close();
    }
  };

  it('is no Redis, or one without TLS', () =>
    withServer(createHttpServer(), async (port) => {
      expect(await refusalAt(`redis://:secret@127.0.0.1:${port}`)).to.equal(
        'what answers there is not Redis',
      );
      expect(await refusalAt(`rediss://:secret@127.0.0.1:${port}`)).to.equal(
        'it does not speak TLS: rediss:// is for servers that do',
      );
    }));

  it('is older than Redis 6', () =>
    withServer(
      createServer((socket) =>
        socket.on('data', () => socket.write('-ERR unknown command `HELLO`, with\r\n')),
      ),
      async (port) => {
        expect(await refusalAt(`redis://127.0.0.1:${port}`)).to.equal('it is older than Redis 6');
      },
    ));

  it('lacks the database, or is neither sentinel nor cluster', async () => {
    const plain = await runRedis();
    try {
      expect(await refusalAt(`${plain.url}/99`)).to.equal('it has no database of that number');
      expect(await refusalAt(plain.url, { cluster: true })).to.equal(
        'redis.cluster is true, and it is no node of a cluster',
      );
      expect(await refusalAt(plain.url, { sentinel: 'headwater' })).to.equal(
        'redis.sentinel is set, and it is no sentinel',
      );
    } finally {
      await plain.end();
    }
  });

  it('is that of another installation with the same prefix, until that is gone for a minute', async () => {
    const server = await runRedis();
    const client = await createClient({ url: server.url }).connect();
    const [one, again, other] = ['one', 'one', 'other'].map((id) => ({
      id,
      connection: connect(server.url, { prefix: 'shared' }),
    }));
    const claim = async ({ id, connection }: { id: string; connection: RedisConnection } = one!) => {
      await connection.start();
      return connection.claim(
        () => id,
        () => {},
      );
    };
    try {
      expect(await claim(one)).to.equal(undefined);
      expect(await claim(again)).to.equal(undefined);
      expect(await claim(other)).to.match(
        /^Another installation uses the same Redis with the same prefix.* \(this one has shared\)\.$/,
      );
      expect(await client.pTTL('shared:installation')).to.be.within(1, 60_000);
      await client.del('shared:installation');
      expect(await claim(other)).to.equal(undefined);
    } finally {
      for (const each of [one, again, other]) await each!.connection.close();
      client.destroy();
      await server.end();
    }
  });
});

describe('the Redis of several gateways', () => {
  longTest('can be a cluster', async () => {
    const node = await runRedis('--cluster-enabled', 'yes');
    const client = await createClient({ url: node.url }).connect();
    try {
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
      await until(async () =>
        String(await client.sendCommand(['CLUSTER', 'INFO'])).includes('cluster_state:ok'),
      );
      const connection = connect(node.url, { cluster: true });
      expect(await connection.start()).to.equal(undefined);
      const names = Array.from({ length: 20 }, (_, at) => `key:${at}`);
      for (const name of names) expect((await connection.take(name, TEN)).admitted).to.equal(true);
      await connection.close();
    } finally {
      client.destroy();
      await node.end();
    }
  });

  longTest('can be found by sentinels, which replace it when it fails', async () => {
    const master = await runRedis('--repl-diskless-sync-delay', '0');
    const replica = await runRedis('--replicaof', `127.0.0.1 ${master.port}`);
    const role = async () => {
      const client = await createClient({ url: replica.url }).connect();
      const text = String(await client.info('replication'));
      client.destroy();
      return text;
    };
    await until(async () => (await role()).includes('master_link_status:up'));
    // It asks a server for its replicas when it starts, and every ten seconds.
    const sentinel = await runSentinel(master.port);
    const connection = connect(`${sentinel.url}/3`, { sentinel: 'headwater' });
    const isCounted = () =>
      connection.take('key:a', TEN).then(
        () => true,
        () => false,
      );
    try {
      // Without it there would be no replacement.
      await until(async () =>
        (await sentinel.send('SENTINEL replicas headwater')).includes(`${replica.port}`),
      );
      expect(await connection.start()).to.equal(undefined);
      await until(isCounted);
      const client = await createClient({ url: `${master.url}/3` }).connect();
      expect(await client.keys('*')).to.include('test:limit:{key:a}');
      client.destroy();
      await master.kill();
      await until(isCounted);
      expect(await role()).to.include('role:master');
    } finally {
      await connection.close();
      await sentinel.end();
      await replica.end();
      await master.end();
    }
  });
});

describe('the circuit breaker', () => {
  it('opens after five failures in a row, and closes after a probe', async () => {
    const changes: [boolean, string][] = [];
    let isUp = false;
    const breaker = new CircuitBreaker({
      deadline: 1000,
      probe: async () => {
        if (!isUp) throw new Error('down');
      },
      onChange: (isOpen, reason) => changes.push([isOpen, reason]),
      onFailedProbe: () => {},
    });
    const fail = () =>
      breaker.call(() => Promise.reject(new Error('down'))).catch((error: Error) => error.message);
    for (let call = 0; call < 4; call += 1) expect(await fail()).to.equal('down');
    expect(await breaker.call(async () => 'up')).to.equal('up');
    for (let call = 0; call < 5; call += 1) expect(await fail()).to.equal('down');
    expect(await fail()).to.equal('It did not answer the last calls.');
    await breaker.probe();
    expect(breaker.isOpen).to.equal(true);
    isUp = true;
    await breaker.probe();
    expect(breaker.isOpen).to.equal(false);
    expect(changes).to.deep.equal([
      [true, 'down'],
      [false, ''],
    ]);
    breaker.end();
  });
});
