import { expect } from 'chai';
import { type KnownQuery, QueryCache } from '../../core/delivery/query-cache.ts';
import type { ProjectModel } from '../../core/model/model.ts';
import type { PagePlan } from '../../core/storage/page-plan.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';
const asked = (query: string, channel: 'published' | 'latest' = 'published', project = PROJECT) => ({
  query,
  channel,
  project,
});
const NOTHING_NAMED = { named: { idOf: new Map(), codenameOf: new Map() } };
/** The cache compares models by identity. */
const model = () => ({}) as ProjectModel;

function planOf(slots: number): PagePlan {
  return {
    project: 1,
    modelSequence: 1,
    view: 1,
    channelBit: 1,
    types: null,
    languages: [],
    languagesRestricted: false,
    conditions: [],
    order: {
      by: 'slots',
      descending: false,
      slots: Array.from({ length: slots }, (_, at) => at),
      lacking: [],
    },
    skip: 0,
    limit: 1,
    total: false,
    costLimit: null,
  };
}

/** Requested twice before. */
function repeated(cache: QueryCache, request: ReturnType<typeof asked>, codename?: string): KnownQuery {
  const get = () => (codename === undefined ? cache.listing(request) : cache.item(request, codename));
  for (let time = 0; time < 2; time++) cache.keep(get());
  return get();
}

describe('cached queries', () => {
  it('are the same for the same text, project and channel', () => {
    const cache = new QueryCache();
    const known = repeated(cache, asked('limit=2&order=system.name'));
    expect(known.query).to.include({ limit: 2, skip: 0 });
    expect(cache.listing(asked('limit=2&order=system.name'))).to.equal(known);
    expect(cache.listing(asked('limit=3&order=system.name'))).not.to.equal(known);
    expect(cache.listing(asked('limit=2&order=system.name', 'latest'))).not.to.equal(known);
    expect(cache.listing(asked('limit=2&order=system.name', 'published', 'another'))).not.to.equal(known);
  });

  it('are kept from the second time on', () => {
    const cache = new QueryCache();
    const [first, second] = [0, 1].map(() => {
      const known = cache.listing(asked('limit=2'));
      cache.keep(known);
      return known;
    });
    expect([first?.isRepeated, second?.isRepeated]).to.deep.equal([false, true]);
    expect(cache.listing(asked('limit=2'))).to.equal(second);
  });

  it('stay when a request that was among the first ends late', () => {
    const cache = new QueryCache();
    const [first, late] = [0, 1].map(() => cache.listing(asked('limit=2')));
    cache.keep(first!);
    const second = cache.listing(asked('limit=2'));
    cache.keep(second);
    cache.keep(late!);
    expect(cache.listing(asked('limit=2'))).to.equal(second);
  });

  it('of single items are apart from those of listings', () => {
    const cache = new QueryCache();
    const ferry = repeated(cache, asked('limit=2&depth=3'), 'ferry');
    expect(ferry.query).to.include({ limit: 1, depth: 3, order: null, includeTotalCount: false });
    expect(cache.item(asked('limit=2&depth=3'), 'ferry')).to.equal(ferry);
    for (const [query, codename] of [
      ['limit=2&depth=3', 'pier'],
      ['limit=2', 'ferry'],
      ['depth=3', 'ferry limit=2'],
    ] as const)
      expect(cache.item(asked(query), codename)).not.to.equal(ferry);
    expect(cache.listing(asked('limit=2&depth=3')).codename).to.equal(undefined);
    const listing = repeated(cache, asked('limit=2'));
    for (let item = 0; item < 10_000; item++) repeated(cache, asked('limit=2'), `item_${item}`);
    expect(cache.listing(asked('limit=2'))).to.equal(listing);
    expect(cache.item(asked('limit=2&depth=3'), 'ferry')).not.to.equal(ferry);
  });

  it('of an item with a codename that no item can have are not kept', () => {
    for (const [length, isKept] of [
      [200, true],
      [201, false],
    ] as const) {
      const cache = new QueryCache();
      const codename = 'a'.repeat(length);
      const known = repeated(cache, asked('depth=0'), codename);
      expect(cache.item(asked('depth=0'), codename) === known).to.equal(isKept);
    }
  });

  it('keep the plan of one model for that model only', () => {
    const known = new QueryCache().listing(asked('limit=2'));
    const [first, second] = [model(), model()];
    expect(known.planned(first)).to.equal(undefined);
    const planned = { ...NOTHING_NAMED, plan: planOf(3), elements: null };
    known.keep(first, planned);
    expect(known.planned(first)).to.equal(planned);
    expect(known.planned(second)).to.equal(undefined);
    known.keep(second, { ...NOTHING_NAMED, plan: null, elements: ['title'] });
    expect(known.planned(second)?.plan).to.equal(null);
    expect(known.planned(first)).to.equal(planned);
  });

  it('keep no plan of many slots, values or elements', () => {
    const known = new QueryCache().listing(asked('limit=2'));
    const many = Array.from({ length: 1000 }, (_, at) => `${at}`);
    const condition = { on: 'slots', slots: [1], test: { kind: 'one-of', keys: many } } as const;
    for (const planned of [
      { plan: planOf(1000), elements: null },
      { plan: { ...planOf(1), conditions: [condition] }, elements: null },
      { plan: { ...planOf(1), conditions: [{ on: 'either', of: [condition] } as const] }, elements: null },
      { plan: { ...planOf(1), codenames: many }, elements: null },
      { plan: planOf(1), elements: many },
      {
        plan: planOf(1),
        elements: null,
        named: { idOf: new Map(many.map((one) => [one, one])), codenameOf: new Map() },
      },
    ]) {
      const one = model();
      known.keep(one, { ...NOTHING_NAMED, ...planned });
      expect(known.planned(one)).to.equal(undefined);
    }
  });

  it('are not kept where they are long, or before their project is found', () => {
    const cache = new QueryCache();
    const long = cache.listing(asked(`elements=${'a'.repeat(3000)}`));
    cache.keep(long);
    expect(cache.listing(asked(`elements=${'a'.repeat(3000)}`))).not.to.equal(long);
    const known = cache.listing(asked('skip=0'));
    for (let skip = 1; skip < 10_000; skip++) cache.listing(asked(`skip=${skip}`));
    expect(cache.listing(asked('skip=0'))).not.to.equal(known);
    const kept = repeated(cache, asked('skip=0'));
    for (let skip = 1; skip < 10_000; skip++) cache.listing(asked(`skip=${skip}`));
    expect(cache.listing(asked('skip=0'))).to.equal(kept);
  });

  /** How many of 6,000 queries with a plan of some slots are kept. */
  function kept(slots: number): number {
    const cache = new QueryCache();
    const all = Array.from({ length: 6000 }, (_, skip) => repeated(cache, asked(`skip=${skip}`)));
    for (const known of all) {
      known.keep(model(), { ...NOTHING_NAMED, plan: planOf(slots), elements: null });
      cache.keep(known);
    }
    return all.filter((known, skip) => cache.listing(asked(`skip=${skip}`)) === known).length;
  }

  it('are as many as fit in memory, fewer where their plans are large', () => {
    expect(kept(0)).to.be.within(3000, 4000);
    expect(kept(190)).to.be.within(900, 1100);
  });

  it('that are invalid throw each time', () => {
    const cache = new QueryCache();
    for (let time = 0; time < 2; time++)
      expect(() => cache.listing(asked('limit=0'))).to.throw(/'limit' must be a positive integer/);
  });
});
