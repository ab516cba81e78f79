import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { FeedPosition } from '../../core/changes/change-feed.ts';
import type { ProcessState } from '../../core/process-identity.ts';
import { CoreClock } from '../../core/remote/client/core-clock.ts';
import type { CoreConnection } from '../../core/remote/client/core-connection.ts';
import { FeedLink } from '../../core/remote/client/feed-link.ts';
import { RemoteFeed } from '../../core/remote/client/remote-feed.ts';
import type { CancelSignal } from '../../core/turns/cancel-signal.ts';
import { until } from '../support/until.ts';

const at = (sequence: number, epoch = 'one'): FeedPosition => ({ sequence, epoch });

describe('the feed that links to cores make', () => {
  let feed: RemoteFeed;
  let seen: string[];
  const failures: unknown[] = [];
  beforeEach(() => {
    feed = new RemoteFeed((error) => failures.push(error));
    seen = [];
    feed.subscribe(
      ({ sequence, project, tags, age }) => seen.push(`${sequence} ${project} ${tags} ${age}`),
      ({ sequence, epoch }) => seen.push(`reset ${sequence} ${epoch}`),
    );
  });
  const commit = (sequence: number, epoch = 'one') =>
    feed.commit({ sequence, epoch, time: 0, changes: [{ project: 'a', tags: ['t'] }] }, 7);
  const complete = () => feed.complete(performance.now(), 'one');

  it('outdates what was cached before the first link, and delivers each commit once', () => {
    feed.start(at(10), undefined);
    feed.start(at(10), undefined);
    for (const sequence of [11, 11, 12]) commit(sequence);
    commit(11);
    expect(seen).to.deep.equal(['reset 10 one', '11 a t 7', '12 a t 7']);
    expect(feed.position).to.deep.equal(at(12));
  });

  it('goes on where it was after a link was lost', () => {
    feed.start(at(10), undefined);
    commit(11);
    feed.start(at(11), at(11));
    commit(12);
    expect(seen).to.deep.equal(['reset 10 one', '11 a t 7', '12 a t 7']);
  });

  it('resets at a gap, at another epoch, and where a core starts elsewhere', () => {
    feed.start(at(10), undefined);
    commit(12);
    commit(13, 'two');
    feed.start(at(50, 'two'), at(13, 'two'));
    feed.start(at(49, 'two'), at(50, 'two'));
    expect(seen).to.deep.equal([
      'reset 10 one',
      'reset 11 one',
      '12 a t 7',
      'reset 12 two',
      '13 a t 7',
      'reset 50 two',
      'reset 49 two',
    ]);
  });

  it('takes no core that lags behind for a reset while another link is alive', () => {
    feed.start(at(10), undefined);
    complete();
    commit(11);
    feed.start(at(9), at(11));
    commit(10);
    commit(11);
    commit(12);
    expect(seen).to.deep.equal(['reset 10 one', '11 a t 7', '12 a t 7']);
  });

  it('is complete until the newest time of any link that has its epoch', () => {
    expect(feed.completeUntil).to.equal(Number.NEGATIVE_INFINITY);
    feed.complete(3, 'one');
    expect(feed.completeUntil).to.equal(Number.NEGATIVE_INFINITY);
    feed.start(at(10), undefined);
    feed.complete(5, 'one');
    feed.complete(4, 'one');
    feed.complete(9, 'other');
    expect(feed.completeUntil).to.equal(5);
  });

  it('delivers to the other subscribers what one fails at, and nothing after the end of a subscription', () => {
    feed.subscribe(() => {
      throw new Error('broken');
    });
    const more: number[] = [];
    const unsubscribe = feed.subscribe(({ sequence }) => more.push(sequence));
    feed.start(at(1), undefined);
    commit(2);
    unsubscribe();
    commit(3);
    expect([more, failures.map(String)]).to.deep.equal([[2], ['Error: broken', 'Error: broken']]);
  });
});

describe('a link to core', () => {
  it('is opened again where the clocks of the two machines moved apart, and is complete again', async () => {
    let opened = 0;
    /** Core's clock lags by so much since the link was opened. */
    let lag = 0;
    async function* messages(signal: CancelSignal) {
      const line = (message: object) => Buffer.from(`${JSON.stringify(message)}\n`);
      yield line({ kind: 'start', sequence: 5, epoch: 'one', time: performance.now() - lag });
      for (;;) {
        signal.throwIfAborted();
        yield line({ kind: 'heartbeat', time: performance.now() - lag });
        await pause(50);
      }
    }
    const connection = {
      name: 'core',
      greeted: Promise.resolve(),
      call: async ({ path, signal }: { path: string; signal: CancelSignal }) => {
        if (path === '/feed') opened += 1;
        return { outcome: 'answer', body: path === '/feed' ? messages(signal) : { whole: async () => [] } };
      },
    } as unknown as CoreConnection;
    const feed = new RemoteFeed(() => {});
    const log = { info() {}, warn() {}, error() {} };
    const link = new FeedLink(connection, feed, () => ({}) as ProcessState, log);
    const age = () => performance.now() - feed.completeUntil;
    try {
      await until(() => age() < 150);
      expect(opened).to.equal(1);
      lag = 1500;
      await until(() => opened > 1);
      await until(() => age() < 150);
      expect(opened).to.equal(2);
    } finally {
      await link.close();
    }
  });
});

describe('the clock of core', () => {
  it('is read from the message that was quickest, and not from those that were read late', () => {
    const clock = new CoreClock();
    const core = () => performance.now() - 1_000_000;
    clock.observe(core() - 5);
    expect(clock.toLocal(core())).to.be.within(performance.now() + 4, performance.now() + 6);
    clock.observe(core());
    expect(clock.toLocal(core())).to.be.closeTo(performance.now(), 1);
    // This process was stopped for a minute: messages from before it stopped are old.
    const sent = core() - 60_000;
    clock.observe(sent);
    expect(clock.toLocal(sent)).to.be.closeTo(performance.now() - 60_000, 1);
  });
});
