import { expect } from 'chai';
import { FeedCache } from '../../plugins/feed-cache.ts';
import { fakeCore } from '../support/fake-core.ts';

describe('what is remembered of core', () => {
  function setUp() {
    const core = fakeCore();
    const store = new Map([['a', { project: 'p1' }]]);
    let lookups = 0;
    let gate: Promise<void> = Promise.resolve();
    const cache = new FeedCache({
      feed: core.feed,
      entries: 10,
      lookUp: async (key) => {
        lookups += 1;
        const value = store.get(key);
        await gate;
        return value;
      },
      projectOf: ({ project }) => project,
    });
    return {
      core,
      store,
      cache,
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

  it('a found value lives until its project or the installation changes', async () => {
    const { core, cache, lookups } = setUp();
    await cache.get('a');
    core.emit({ project: 'p2' });
    await cache.get('a');
    expect(lookups()).to.equal(1);
    core.emit({ project: 'p1' });
    await cache.get('a');
    expect(lookups()).to.equal(2);
    core.emit({ project: null });
    await cache.get('a');
    expect(lookups()).to.equal(3);
  });

  it('a missing value is missing until anything changes', async () => {
    const { core, cache, lookups, store } = setUp();
    await cache.get('b');
    await cache.get('b');
    expect(lookups()).to.equal(1);
    store.set('b', { project: 'p2' });
    core.emit({ project: 'p2' });
    expect(await cache.get('b')).to.deep.equal({ project: 'p2' });
  });

  it('a lookup that began before a change is not believed after it', async () => {
    const { core, cache, store, hold } = setUp();
    const release = hold();
    const early = cache.get('a');
    store.delete('a');
    core.emit({ project: 'p1' });
    release();
    expect(await early).to.deep.equal({ project: 'p1' });
    expect(await cache.get('a')).to.equal(undefined);
  });

  it('a failed lookup is not remembered', async () => {
    const core = fakeCore();
    let fails = true;
    const cache = new FeedCache({
      feed: core.feed,
      entries: 10,
      lookUp: async () => {
        if (fails) throw new Error('gone');
        return { project: 'p' };
      },
      projectOf: () => 'p',
    });
    await cache.get('a').catch(() => {});
    fails = false;
    expect(await cache.get('a')).to.deep.equal({ project: 'p' });
  });
});
