import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { FEED_LOST_MS, type FeedPosition } from '../../core/changes/change-feed.ts';
import type { FeedCommit, ReadCommits } from '../../core/changes/change-log.ts';
import type { CommitStream } from '../../core/changes/commit-stream.ts';
import type { FeedMessage as AnyMessage } from '../../core/changes/feed-message.ts';
import { type FollowRequest, GatewayFeed } from '../../core/changes/gateway-feed.ts';
import type { ChangeEntry } from '../../core/storage/ports.ts';
import { longTest } from '../support/long-form.ts';
import { leastOf, leastTimeOf } from '../support/measure/least-of.ts';

/** These links ask for no reports. */
type FeedMessage = Exclude<AnyMessage, { readonly kind: 'report' }>;

const EPOCH = 'one';

/** A feed over a log in memory. */
class Source {
  readonly log: FeedCommit[] = [];
  readonly storage = { completeUntil: Number.POSITIVE_INFINITY };
  sequence = 0;
  /** Runs before each read of the log. */
  onRead = async () => {};
  readonly feed: GatewayFeed;
  readonly #links: AsyncGenerator<FeedMessage>[] = [];

  constructor(commits: number, silentMilliseconds?: number, stream?: CommitStream) {
    for (let at = 1; at <= commits; at += 1) this.#logged(at, [{ project: 'a', tags: [`item:${at}`] }]);
    this.sequence = commits;
    const read: ReadCommits = async (after, upTo) => {
      await this.onRead();
      return this.log.filter(({ sequence }) => sequence > after && sequence <= upTo);
    };
    const { storage } = this;
    this.feed = new GatewayFeed(
      { sequence: commits, epoch: EPOCH },
      { storage, read, silentMilliseconds, stream },
    );
  }

  commit(tags: readonly string[] = [`item:${this.sequence + 1}`], epoch = EPOCH): void {
    this.sequence += 1;
    this.#logged(this.sequence, [{ project: 'a', tags }]);
    const entries = [{ projectId: 'a', tags }] as unknown as ChangeEntry[];
    this.feed.publish({
      sequence: this.sequence,
      epoch,
      time: performance.now(),
      entries,
      announced: [],
    });
  }

  follow(request: Partial<FollowRequest> = {}, disconnect = () => {}): AsyncGenerator<FeedMessage> {
    const link = this.feed.follow({ gateway: 'g', ...request }, disconnect) as AsyncGenerator<FeedMessage>;
    this.#links.push(link);
    return link;
  }

  async end(): Promise<void> {
    for (const link of this.#links) await link.return(undefined);
  }

  #logged(sequence: number, changes: FeedCommit['changes']): void {
    this.log.push({ sequence, epoch: EPOCH, time: performance.now(), changes });
  }
}

/** The next messages, heartbeats aside. */
async function take(link: AsyncGenerator<FeedMessage>, count: number): Promise<FeedMessage[]> {
  const messages: FeedMessage[] = [];
  while (messages.length < count) {
    const { value, done } = await link.next();
    if (done) throw new Error('The link has ended.');
    if (value.kind !== 'heartbeat') messages.push(value);
  }
  return messages;
}

const errorOf = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);
const sequencesOf = (messages: readonly FeedMessage[]) =>
  messages.map((message) => (message.kind === 'heartbeat' ? undefined : message.sequence));
const from = (sequence: number, epoch = EPOCH) => ({ after: { sequence, epoch } });

describe('the change feed of gateways', () => {
  let source: Source;
  beforeEach(() => {
    source = new Source(1);
  });
  afterEach(() => source.end());

  it('starts a new gateway at the newest commit, and delivers each later one once', async () => {
    source = new Source(5);
    const link = source.follow();
    const [start] = await take(link, 1);
    expect(start).to.include({ kind: 'start', sequence: 5, epoch: EPOCH });
    source.commit(['item:x']);
    source.commit(['item:y']);
    const commits = await take(link, 2);
    expect(sequencesOf(commits)).to.deep.equal([6, 7]);
    expect(commits[0]).to.deep.include({ changes: [{ project: 'a', tags: ['item:x'] }] });
  });

  it('delivers what a gateway missed, then what was committed meanwhile, without a gap', async () => {
    source = new Source(1200);
    source.onRead = async () => source.commit();
    const link = source.follow(from(100));
    const [start, ...commits] = await take(link, 1 + 1104);
    expect(start).to.include({ sequence: 100 });
    expect(sequencesOf(commits)).to.deep.equal(Array.from({ length: 1104 }, (_, at) => 101 + at));
  });

  for (const [what, request] of [
    ['has another epoch', from(1200, 'other')],
    ['is ahead of the data', from(1201)],
    ['misses what the log no longer has', from(99)],
  ] as const)
    it(`starts a gateway that ${what} at the newest commit`, async () => {
      source = new Source(1200);
      source.log.splice(0, 100);
      expect(sequencesOf(await take(source.follow(request), 1))).to.deep.equal([1200]);
    });

  it('ends its links without an error when the core stops', async () => {
    const link = source.follow();
    await take(link, 1);
    const next = link.next();
    await source.feed.close();
    let last = await next;
    while (!last.done) last = await link.next();
    expect(last).to.deep.equal({ value: undefined, done: true });
  });

  it('starts a gateway that missed more than 10,000 commits at the newest one', async () => {
    source = new Source(10_001);
    expect(sequencesOf(await take(source.follow(from(0)), 1))).to.deep.equal([10_001]);
    expect(sequencesOf(await take(source.follow(from(1)), 1))).to.deep.equal([1]);
  });

  it('ends a link rather than leave a gap', async () => {
    source = new Source(1200);
    source.log.splice(700, 1);
    const link = source.follow(from(10));
    expect(await errorOf(take(link, 1200))).to.include('gap');
  });

  it('sends heartbeats that are as new as what was delivered before them', async () => {
    let link = source.follow();
    const took = await leastTimeOf(1500, async () => {
      await source.end();
      source = new Source(1);
      link = source.follow();
      const began = performance.now();
      let last = 0;
      for (let beats = 0; beats < 4; ) {
        const { value } = await link.next();
        const now = performance.now();
        if (value.kind !== 'heartbeat') continue;
        beats += 1;
        expect(value.time).to.be.within(Math.max(began, last), now);
        last = value.time;
      }
    });
    expect(took).to.be.within(700, 1500);
    // A commit that the reader has not got yet: no heartbeat is newer than it.
    source.commit();
    await pause(300);
    const [commit] = await take(link, 1);
    const { value: beat } = await link.next();
    expect(commit).to.include({ kind: 'commit' });
    expect(beat.kind).to.equal('heartbeat');
  });

  it('sends heartbeats no newer than what core has of other processes, soon after it has more', async () => {
    source = new Source(1);
    const link = source.follow();
    const polls = setInterval(() => {
      source.storage.completeUntil = performance.now() - 5;
    }, 250);
    try {
      source.storage.completeUntil = performance.now();
      await take(link, 1);
      const ages: number[] = [];
      const { milliseconds } = await leastOf(100, async () => {
        let longest = 0;
        for (let beats = 0; beats < 6; beats += 1) {
          const { value } = await link.next();
          if (value.kind !== 'heartbeat') throw new Error(value.kind);
          expect(value.time).to.be.at.most(source.storage.completeUntil);
          const since = performance.now() - value.sent!;
          expect(since).to.be.at.least(0);
          longest = Math.max(longest, since);
          ages.push(value.sent! - value.time);
        }
        return { milliseconds: longest };
      });
      expect(milliseconds).to.be.at.most(100);
      // By itself an interval of 250 ms may stay behind the polls by as much.
      expect(Math.min(...ages)).to.be.below(100);
    } finally {
      clearInterval(polls);
    }
  });

  it('sends a gateway where it starts again, behind commits that core missed', async () => {
    source = new Source(5);
    const link = source.follow();
    await take(link, 1);
    source.commit();
    source.feed.reset({ sequence: 20, epoch: 'other' });
    source.sequence = 20;
    source.commit([], 'other');
    const [commit, start, next] = await take(link, 3);
    expect(commit).to.include({ kind: 'commit', sequence: 6 });
    expect(start).to.include({ kind: 'start', sequence: 20, epoch: 'other' });
    expect(next).to.include({ kind: 'commit', sequence: 21, epoch: 'other' });
    expect(sequencesOf(await take(source.follow(from(6)), 1))).to.deep.equal([21]);
  });

  describe('beside a stream of commits', () => {
    let isUp: boolean;
    let confirm: (gateway: string, position: FeedPosition) => void;
    const stream: CommitStream = {
      failure: undefined,
      append: () => isUp,
      clear() {},
      onConfirmed(listener) {
        confirm = listener;
      },
    };
    const next = async (link: AsyncGenerator<FeedMessage>) => (await link.next()).value as FeedMessage;
    beforeEach(() => {
      isUp = true;
      source = new Source(1, undefined, stream);
    });

    it('sends no commit that the gateway confirms soon', async () => {
      const link = source.follow({ hasStream: true });
      await take(link, 1);
      await next(link);
      source.commit();
      source.commit();
      confirm('g', { sequence: 3, epoch: EPOCH });
      for (let beats = 0; beats < 2; beats += 1) {
        const message = await next(link);
        expect(message.kind).to.equal('heartbeat');
        expect(message.time).to.equal((message as { sent?: number }).sent);
      }
    });

    it('sends what it does not confirm soon, and no heartbeat that is newer before', async () => {
      const link = source.follow({ hasStream: true });
      await take(link, 1);
      await next(link);
      source.commit();
      source.commit();
      confirm('other', { sequence: 3, epoch: EPOCH });
      confirm('g', { sequence: 3, epoch: 'other' });
      const before: number[] = [];
      let message = await next(link);
      for (; message.kind === 'heartbeat'; message = await next(link)) before.push(message.time);
      for (const time of before) expect(time).to.be.at.most(message.time);
      expect(performance.now() - message.time).to.be.above(99);
      expect([message, ...(await take(link, 1))].map((one) => sequencesOf([one])[0])).to.deep.equal([2, 3]);
    });

    it('sends at once what the stream does not take, and what came before it; and to gateways without the stream', async () => {
      const link = source.follow({ hasStream: true });
      await take(link, 1);
      const without = source.follow({ gateway: 'without' });
      await take(without, 1);
      source.commit();
      expect(sequencesOf(await take(without, 1))).to.deep.equal([2]);
      isUp = false;
      source.commit();
      expect(sequencesOf(await take(link, 2))).to.deep.equal([2, 3]);
      isUp = true;
      source.commit();
      source.feed.reset({ sequence: 9, epoch: EPOCH });
      expect(sequencesOf(await take(link, 2))).to.deep.equal([4, 9]);
    });
  });

  it('disconnects a gateway that reads too slowly, and forgets what it had for it', async () => {
    source = new Source(1);
    let disconnected = 0;
    const link = source.follow({}, () => {
      disconnected += 1;
    });
    await take(link, 1);
    for (let at = 0; at < 30; at += 1) source.commit(Array.from({ length: 4000 }, (_, tag) => `item:${tag}`));
    expect(disconnected).to.equal(1);
    expect(await errorOf(take(link, 1))).to.include('too slowly');
  });

  describe('confirms a commit', () => {
    const timeOf = async (work: () => Promise<void>) => {
      const began = performance.now();
      await work();
      return performance.now() - began;
    };

    it('at once without gateways, and where nothing was committed', async () => {
      source = new Source(5);
      await source.feed.confirmed(5);
      await take(source.follow(), 1);
      await source.feed.confirmed(6);
    });

    it('after a restart when gateways that are not connected again use nothing any more that they have cached', async () => {
      const { milliseconds, again } = await leastOf(FEED_LOST_MS + 200, async () => {
        await source.end();
        source = new Source(0);
        source.feed.open();
        source.commit();
        const began = performance.now();
        await source.feed.confirmed(source.sequence);
        const waited = performance.now() - began;
        await source.feed.confirmed(source.sequence);
        return { milliseconds: waited, again: performance.now() - began };
      });
      expect(milliseconds).to.be.within(FEED_LOST_MS, FEED_LOST_MS + 200);
      expect(again).to.be.below(FEED_LOST_MS + 200);
    });

    it('when the last of the gateways has it', async () => {
      source = new Source(5);
      for (const gateway of ['g', 'h']) await take(source.follow({ gateway }), 1);
      source.commit();
      let isDone = false;
      const confirmed = source.feed.confirmed(6).then(() => {
        isDone = true;
      });
      source.feed.confirm('g', 6);
      source.feed.confirm('unknown', 6);
      source.feed.confirm('h', 5);
      await pause(20);
      expect(isDone).to.equal(false);
      source.feed.confirm('h', 6);
      await confirmed;
    });

    longTest('of a gateway without contact when it uses nothing any more that it has cached', async () => {
      const silent = async () => {
        await source.end();
        source = new Source(5);
        const link = source.follow();
        await take(link, 1);
        source.feed.confirm('g', 5);
        source.commit();
        return { link, milliseconds: await timeOf(() => source.feed.confirmed(6)) };
      };
      const { milliseconds } = await leastOf(FEED_LOST_MS + 150, silent);
      expect(milliseconds).to.be.within(FEED_LOST_MS + 40, FEED_LOST_MS + 150);
      // Its link is closed: until then it may have got a heartbeat.
      const closed = await leastOf(FEED_LOST_MS + 150, async () => {
        const { link } = await silent();
        await link.return(undefined);
        source.commit();
        return { milliseconds: await timeOf(() => source.feed.confirmed(7)) };
      });
      expect(closed.milliseconds).to.be.within(FEED_LOST_MS, FEED_LOST_MS + 150);
      source.commit();
      await source.feed.confirmed(8);
    });

    it('of a gateway that lost its link and has another by then', async () => {
      const { milliseconds } = await leastOf(100, async () => {
        await source.end();
        source = new Source(5);
        const link = source.follow();
        await take(link, 1);
        await link.return(undefined);
        source.commit();
        const [, commit] = await take(source.follow(from(5)), 2);
        expect(commit).to.include({ sequence: 6 });
        const time = timeOf(() => source.feed.confirmed(6));
        source.feed.confirm('g', 6);
        return { milliseconds: await time };
      });
      expect(milliseconds).to.be.lessThan(100);
    });

    it('soon, once a gateway has confirmed nothing for long', async () => {
      source = new Source(5, 200);
      let isDisconnected = false;
      const link = source.follow({}, () => {
        isDisconnected = true;
      });
      await take(link, 1);
      source.commit();
      const reading = errorOf(take(link, 10));
      await pause(210);
      expect(isDisconnected).to.equal(false);
      source.commit();
      expect(isDisconnected).to.equal(true);
      expect(await reading).to.include('too slowly');
      await pause(FEED_LOST_MS + 100);
      const { milliseconds } = await leastOf(50, async () => {
        source.commit();
        return { milliseconds: await timeOf(() => source.feed.confirmed(source.sequence)) };
      });
      expect(milliseconds).to.be.lessThan(50);
    });
  });
});
