/** The change feed of gateways that read commits from a real Redis, beside their links to cores. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createClient } from 'redis';
import { FEED_LOST_MS } from '../../core/changes/change-feed.ts';
import type { FeedCommit } from '../../core/changes/change-log.ts';
import { GatewayFeed } from '../../core/changes/gateway-feed.ts';
import type { ChangeEntry } from '../../core/storage/ports.ts';
import { commitKey, confirmationChannel } from '../../gateway/redis/commit-key.ts';
import { CommitReader } from '../../gateway/redis/commit-reader.ts';
import { CommitWriter } from '../../gateway/redis/commit-writer.ts';
import { connectTo, serveFakeCore } from '../support/gateway/remote-core.ts';
import { hasAllTests, longTest } from '../support/long-form.ts';
import { leastOf } from '../support/measure/least-of.ts';
import { type RunningRedis, runRedis } from '../support/programs/run-redis.ts';
import { until } from '../support/until.ts';

const EPOCH = 'one';

interface Core {
  readonly address: string;
  readonly writer: CommitWriter;
  readonly feed: GatewayFeed;
}

interface Gateway {
  /** `reset 5`, and the sequences of commits. */
  readonly seen: (number | string)[];
  readonly ages: number[];
  readonly remote: Awaited<ReturnType<typeof connectTo>>;
}

describe('the change feed over Redis', () => {
  let redis: RunningRedis;
  let prefix = 0;
  const open: { close(): Promise<unknown> }[] = [];
  const opened = <Part extends { close(): Promise<unknown> }>(part: Part): Part => {
    open.unshift(part);
    return part;
  };
  /** What all cores have. */
  let log: FeedCommit[];
  let cores: Core[];

  before(async function () {
    // It may have to be installed.
    this.timeout(300_000);
    redis = await runRedis();
  });
  after(() => redis.end());
  beforeEach(() => {
    prefix += 1;
    log = [];
    cores = [];
  });
  afterEach(async () => {
    for (const part of open.splice(0)) await part.close();
  });

  const addressOf = (url = redis.url) => ({
    url,
    prefix: `feed-${prefix}`,
    sentinel: null,
    cluster: false,
    certificateAuthority: undefined,
  });

  async function core(url?: string): Promise<Core> {
    const writer = opened(new CommitWriter(addressOf(url), () => {}));
    expect(await writer.start()).to.equal(undefined);
    const feed = new GatewayFeed(
      { sequence: log.length, epoch: EPOCH },
      {
        storage: { completeUntil: Number.POSITIVE_INFINITY },
        read: async (after, upTo) => log.filter(({ sequence }) => sequence > after && sequence <= upTo),
        stream: writer,
      },
    );
    const { fake, ...server } = await serveFakeCore();
    await server.close();
    const served = opened(await serveFakeCore({ core: { ...fake, gatewayFeed: feed } }));
    const made = { address: served.address, writer, feed };
    cores.push(made);
    return made;
  }

  async function gateway(of: readonly Core[] = cores, url?: string): Promise<Gateway> {
    const stream = opened(new CommitReader(addressOf(url)));
    await stream.start();
    const remote = opened(
      await connectTo(
        of.map(({ address }) => address),
        { stream },
      ),
    );
    const seen: Gateway['seen'] = [];
    const ages: number[] = [];
    remote.feed.subscribe(
      ({ sequence, age = 0 }) => {
        seen.push(sequence);
        ages.push(age);
      },
      ({ sequence }) => seen.push(`reset ${sequence}`),
    );
    await until(() => seen.length > 0 && performance.now() - remote.feed.completeUntil < 500);
    return { seen, ages, remote };
  }

  /** A commit that each of the cores learns of at once. */
  function commit(by: readonly Core[] = cores, tags: readonly string[] = ['item:x']): number {
    const sequence = log.length + 1;
    const time = performance.now();
    log.push({ sequence, epoch: EPOCH, time, changes: [{ project: 'a', tags }] });
    const entries = [{ projectId: 'a', tags }] as unknown as ChangeEntry[];
    for (const { feed } of by) feed.publish({ sequence, epoch: EPOCH, time, entries, announced: [] });
    return sequence;
  }

  const isSeen = ({ seen }: Gateway, sequence: number) => until(() => seen.includes(sequence));
  const sequences = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

  it('brings each commit once and in order, to all gateways, written by whichever core is first', async () => {
    const [one, two] = [await core(), await core()];
    const gateways = await Promise.all([gateway(), gateway(), gateway()]);
    for (let at = 0; at < 100; at += 1) {
      commit(at % 2 === 0 ? [one, two] : [two, one]);
      if (at % 10 === 0) await pause(2);
    }
    for (const each of gateways) {
      await isSeen(each, 100);
      expect(each.seen).to.deep.equal(['reset 0', ...sequences(1, 100)]);
    }
    await until(
      () => one.writer.appended + one.writer.rejected + two.writer.appended + two.writer.rejected === 200,
    );
    expect(one.writer.appended + two.writer.appended).to.equal(100);
    expect(one.writer.rejected + two.writer.rejected).to.equal(100);
    // A link is first where the machine is busy.
    await until(async () => {
      const sequence = commit();
      for (const each of gateways) await isSeen(each, sequence);
      return gateways.every(({ remote }) => remote.stream!.commits >= 20);
    });
  });

  it('takes confirmations from there, of the gateways that follow the core and of its data', async () => {
    const one = await core();
    const first = await gateway();
    commit();
    await one.feed.confirmed(1);
    await isSeen(first, 1);
    const client = await createClient({ url: redis.url }).connect();
    try {
      const received: string[] = [];
      const subscriber = await client.duplicate().connect();
      await subscriber.subscribe(confirmationChannel(`feed-${prefix}`), (text) => received.push(text));
      commit();
      await until(() => received.length > 0);
      subscriber.destroy();
      const [name = ''] = received[0]!.split(' ');
      expect(received[0]).to.equal(`${name} ${EPOCH} 2`);
      // A gateway that confirms nothing itself.
      await first.remote.close();
      await until(() => one.feed.isConfirmed(2));
      const link = one.feed.follow(
        { gateway: 'silent', after: { sequence: 2, epoch: EPOCH }, hasStream: true },
        () => {},
      );
      await link.next();
      expect(one.feed.isConfirmed(2)).to.equal(false);
      for (const text of ['', 'silent', `silent other 2`, `silent ${EPOCH} x`, `unknown ${EPOCH} 2`])
        await client.publish(confirmationChannel(`feed-${prefix}`), text);
      await pause(50);
      expect(one.feed.isConfirmed(2)).to.equal(false);
      await client.publish(confirmationChannel(`feed-${prefix}`), `silent ${EPOCH} 2`);
      await until(() => one.feed.isConfirmed(2));
      await link.return(undefined);
    } finally {
      client.destroy();
    }
  });

  it('loses nothing with a stream that is flushed, has holes, or entries of another program', async () => {
    const one = await core();
    const gateways = await Promise.all([gateway(), gateway()]);
    const client = await createClient({ url: redis.url }).connect();
    const key = commitKey(`feed-${prefix}`, EPOCH);
    try {
      for (let at = 0; at < 5; at += 1) commit();
      await client.del(key);
      for (let at = 0; at < 5; at += 1) commit();
      for (const each of gateways) await isSeen(each, 10);
      // Redis rejects the commits until there.
      await client.xAdd(key, '12', { core: 'x', time: '0', changes: 'no JSON' });
      commit();
      commit();
      commit();
      for (const each of gateways) await isSeen(each, 13);
      await until(() => one.writer.rejected === 2);
      await client.xAdd(key, '20', { core: 'unknown', time: '0', changes: '[]' });
      for (let at = 13; at < 25; at += 1) commit();
      for (const each of gateways) {
        await isSeen(each, 25);
        expect(each.seen).to.deep.equal(['reset 0', ...sequences(1, 25)]);
      }
      expect(await client.pTTL(key)).to.be.within(1, 3_600_000);
    } finally {
      client.destroy();
    }
  });

  it('begins anew with other data', async () => {
    const one = await core();
    const first = await gateway();
    commit();
    await isSeen(first, 1);
    one.feed.reset({ sequence: 5, epoch: 'two' });
    await until(() => first.seen.includes('reset 5'));
    const entries = [{ projectId: 'a', tags: ['t'] }] as unknown as ChangeEntry[];
    one.feed.publish({ sequence: 6, epoch: 'two', time: performance.now(), entries, announced: [] });
    await isSeen(first, 6);
    expect(first.seen).to.deep.equal(['reset 0', 1, 'reset 5', 6]);
  });

  it('outdates what a gateway has that missed more than log and stream hold', async () => {
    const one = await core();
    const first = await gateway();
    commit();
    await isSeen(first, 1);
    // As a core does that missed commits itself.
    log.push(
      { sequence: 2, epoch: EPOCH, time: 0, changes: [] },
      { sequence: 3, epoch: EPOCH, time: 0, changes: [] },
    );
    one.feed.reset({ sequence: 3, epoch: EPOCH });
    commit();
    await isSeen(first, 4);
    expect(first.seen).to.deep.equal(['reset 0', 1, 'reset 3', 4]);
  });

  longTest('is the links alone for a gateway that does not reach Redis', async () => {
    await core();
    const first = await gateway(cores, 'redis://127.0.0.1:1');
    for (let at = 0; at < 5; at += 1) commit();
    await isSeen(first, 5);
    expect(first.seen).to.deep.equal(['reset 0', ...sequences(1, 5)]);
    expect(first.remote.stream!.commits).to.equal(0);
    expect(first.remote.stream!.failure).to.be.a('string');
  });

  describe('whose Redis fails', () => {
    let own: RunningRedis;
    beforeEach(async () => {
      own = await runRedis();
    });
    afterEach(async () => {
      own.continue();
      for (const part of open.splice(0)) await part.close();
      await own.end();
    });

    for (const [what, fail, mend] of [
      ['is killed', () => own.kill(), () => own.restart()],
      ...(hasAllTests ? ([['stalls', async () => own.stall(), async () => own.continue()]] as const) : []),
    ] as const)
      it(`brings commits over the links while it ${what}, and over Redis after it`, async () => {
        const one = await core(own.url);
        const first = await gateway(cores, own.url);
        const { remote } = first;
        commit();
        await isSeen(first, 1);
        await fail();
        const { milliseconds } = await leastOf(FEED_LOST_MS, async () => {
          let longest = 0;
          for (let at = 0; at < 10; at += 1) {
            await isSeen(first, commit());
            longest = Math.max(longest, performance.now() - remote.feed.completeUntil);
          }
          return { milliseconds: longest };
        });
        expect(milliseconds, 'age of the feed').to.be.below(FEED_LOST_MS);
        await until(() => one.feed.isConfirmed(log.length));
        await mend();
        const { commits } = remote.stream!;
        await until(async () => {
          await isSeen(first, commit());
          return remote.stream!.commits > commits + 3;
        });
        expect(first.seen).to.deep.equal(['reset 0', ...sequences(1, log.length)]);
        expect(one.writer.failure).to.equal(undefined);
      });
  });

  it('refuses to start with a user of Redis who may not use it, in one sentence', async () => {
    const guarded = await runRedis(
      '--user',
      'default',
      'off',
      '--user',
      'limits',
      'on',
      '>limits',
      '~*',
      '&*',
      '+@all',
      '-@stream',
    );
    try {
      const url = guarded.url.replace('//', '//limits:limits@');
      const writer = opened(new CommitWriter(addressOf(url), () => {}));
      const reader = opened(new CommitReader(addressOf(url)));
      expect(await writer.start()).to.match(/^NOPERM .*xadd/i);
      expect(await reader.start()).to.match(/^NOPERM .*xread/i);
    } finally {
      for (const part of open.splice(0)) await part.close();
      await guarded.end();
    }
  });
});
