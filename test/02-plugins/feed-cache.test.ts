import { expect } from 'chai';
import { FeedCache, type FeedCacheOptions } from '../../plugins/caching/feed-cache.ts';
import { manualClock } from '../support/gateway/fake-content.ts';
import { fakeCore } from '../support/gateway/fake-core.ts';

interface Thing {
  readonly id: string;
}

describe('the cache of values of core', () => {
  function setUp(more: Partial<FeedCacheOptions<Thing>> = {}) {
    const core = fakeCore();
    const clock = manualClock();
    const store = new Map<string, Thing>([['a', { id: '1' }]]);
    let lookups = 0;
    let gate: Promise<void> = Promise.resolve();
    const cache = new FeedCache<Thing>({
      feed: core.feed,
      clock,
      entries: 10,
      missingEntries: 10,
      lookUp: async (key) => {
        lookups += 1;
        const value = store.get(key);
        await gate;
        return value;
      },
      prefixes: ['thing:', 'things:'],
      tagOf: ({ id }) => `thing:${id}`,
      tagOfMissing: () => 'things:*',
      ...more,
    });
    return {
      core,
      clock,
      store,
      cache,
      emit: (...tags: string[]) => core.emit({ project: 'p', tags }),
      lookups: () => lookups,
      hold() {
        let release = () => {};
        gate = new Promise((resolve) => {
          release = resolve;
        });
        return () => {
          gate = Promise.resolve();
          release();
        };
      },
    };
  }

  it('a found value is kept until a change has its tag', async () => {
    const { cache, lookups, emit } = setUp();
    emit('anything');
    await cache.get('a');
    emit('item:a', 'thing:2', 'things:p', 'project:p');
    await cache.get('a');
    expect(cache.known('a')).to.deep.equal({ id: '1' });
    expect(lookups()).to.equal(1);
    emit('item:a', 'thing:1');
    expect(cache.known('a')).to.equal(undefined);
    await cache.get('a');
    expect(lookups()).to.equal(2);
  });

  it('a missing value is missing until any change has a tag of its kind', async () => {
    const { cache, lookups, store, emit } = setUp();
    emit('anything');
    await cache.get('b');
    emit('thing:1');
    await cache.get('b');
    expect(cache.known('b')).to.equal(null);
    expect(lookups()).to.equal(1);
    store.set('b', { id: '2' });
    emit('thing:2', 'things:other');
    expect(await cache.get('b')).to.deep.equal({ id: '2' });
  });

  it('another epoch invalidates everything', async () => {
    const { core, cache, emit } = setUp();
    emit('anything');
    await cache.get('a');
    core.emit({ project: null, epoch: 'restored' });
    expect(cache.known('a')).to.equal(undefined);
  });

  it('a lookup that began before a change is not used after it, nor shared with later ones', async () => {
    const { cache, store, hold, emit, lookups } = setUp();
    const release = hold();
    const early = cache.get('a');
    store.delete('a');
    emit('thing:1');
    const late = cache.get('a');
    release();
    expect(await early).to.deep.equal({ id: '1' });
    expect(await late).to.equal(undefined);
    expect(await cache.get('a')).to.equal(undefined);
    expect(lookups()).to.equal(2);
  });

  it('while the feed is lost core is asked each time, and no lookup that began before is shared', async () => {
    const { core, clock, cache, store, hold, lookups } = setUp();
    await cache.get('a');
    core.completeUntil = clock.monotonic();
    clock.pass(1000);
    expect(cache.known('a')).to.deep.equal({ id: '1' });
    clock.pass(1);
    expect(cache.known('a')).to.equal(undefined);
    const release = hold();
    const early = cache.get('a');
    store.set('a', { id: '2' });
    const late = cache.get('a');
    release();
    expect([await early, await late]).to.deep.equal([{ id: '1' }, { id: '2' }]);
    expect(cache.known('a')).to.equal(undefined);
    expect(lookups()).to.equal(3);
  });

  it('while the feed is lost and core is slow, one lookup of a name runs and one waits', async () => {
    const { core, clock, cache, hold, lookups } = setUp();
    await cache.get('a');
    core.completeUntil = clock.monotonic();
    clock.pass(2000);
    const release = hold();
    const found = Promise.all(Array.from({ length: 100 }, () => cache.get('a')));
    expect(lookups()).to.equal(2);
    release();
    expect(await found).to.deep.equal(Array.from({ length: 100 }, () => ({ id: '1' })));
    expect(lookups()).to.equal(3);
  });

  it('what was looked up while the feed was lost is used afterwards, unless the feed then reports a change', async () => {
    const { core, clock, cache, store, emit, lookups } = setUp();
    store.set('b', { id: '2' });
    emit('anything');
    core.completeUntil = clock.monotonic();
    clock.pass(1500);
    await cache.get('a');
    await cache.get('b');
    // What was missed is delivered before the feed counts as complete.
    emit('thing:2');
    core.completeUntil = clock.monotonic();
    expect(cache.known('a')).to.deep.equal({ id: '1' });
    expect(cache.known('b')).to.equal(undefined);
    expect(lookups()).to.equal(2);
  });

  it('a reset of the feed invalidates everything, lookups under way included', async () => {
    const { core, cache, hold } = setUp();
    await cache.get('a');
    await cache.get('missing');
    const release = hold();
    const running = cache.get('b');
    core.reset({ sequence: 100, epoch: 'epoch' });
    release();
    await running;
    expect(['a', 'b', 'missing'].map((name) => cache.known(name))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    await cache.get('a');
    expect(cache.known('a')).to.deep.equal({ id: '1' });
  });

  it('without core a cached value is used only where the cache allows it, and never after a change', async () => {
    for (const withoutCore of [false, true]) {
      let fails = false;
      const { core, clock, cache, emit } = setUp({
        withoutCore,
        lookUp: async () => {
          if (fails) throw new Error('no connection');
          return { id: '1' };
        },
      });
      await cache.get('a');
      core.completeUntil = clock.monotonic();
      clock.pass(2000);
      fails = true;
      const found = () => cache.get('a').catch((error: Error) => error.message);
      expect(await found()).to.deep.equal(withoutCore ? { id: '1' } : 'no connection');
      emit('thing:1');
      expect(await found()).to.equal('no connection');
    }
  });

  it('a failed lookup is not cached', async () => {
    let fails = true;
    const { cache } = setUp({
      lookUp: async () => {
        if (fails) throw new Error('gone');
        return { id: '1' };
      },
    });
    await cache.get('a').catch(() => {});
    fails = false;
    expect(await cache.get('a')).to.deep.equal({ id: '1' });
  });

  it('a flood of missing names displaces nothing that does', async () => {
    const { cache, lookups } = setUp();
    await cache.get('a');
    for (let at = 0; at < 1000; at += 1) await cache.get(`made-up-${at}`);
    const before = lookups();
    expect(await cache.get('a')).to.deep.equal({ id: '1' });
    expect(lookups()).to.equal(before);
  });

  it('when it has forgotten tags it looks everything up again, and uses no value for too long', async () => {
    const { cache, emit } = setUp();
    emit('anything');
    await cache.get('a');
    emit(...Array.from({ length: 10_001 }, (_, at) => `thing:many-${at}`));
    expect(cache.known('a')).to.equal(undefined);
    expect(await cache.get('a')).to.deep.equal({ id: '1' });
    expect(cache.known('a')).to.deep.equal({ id: '1' });
  });
});
