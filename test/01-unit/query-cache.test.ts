import { expect } from 'chai';
import { QueryCache } from '../../core/delivery/query-cache.ts';
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

describe('cached queries', () => {
  it('are the same for the same text, project and channel', () => {
    const cache = new QueryCache();
    const known = cache.get(asked('limit=2&order=system.name'));
    cache.keep(known);
    expect(known.query).to.include({ limit: 2, skip: 0 });
    expect(cache.get(asked('limit=2&order=system.name'))).to.equal(known);
    expect(cache.get(asked('limit=3&order=system.name'))).not.to.equal(known);
    expect(cache.get(asked('limit=2&order=system.name', 'latest'))).not.to.equal(known);
    expect(cache.get(asked('limit=2&order=system.name', 'published', 'another'))).not.to.equal(known);
  });

  it('keep the plan of one model for that model only', () => {
    const known = new QueryCache().get(asked('limit=2'));
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
    const known = new QueryCache().get(asked('limit=2'));
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
    const long = cache.get(asked(`elements=${'a'.repeat(3000)}`));
    cache.keep(long);
    expect(cache.get(asked(`elements=${'a'.repeat(3000)}`))).not.to.equal(long);
    const known = cache.get(asked('skip=0'));
    for (let skip = 1; skip < 10_000; skip++) cache.get(asked(`skip=${skip}`));
    expect(cache.get(asked('skip=0'))).not.to.equal(known);
    cache.keep(known);
    for (let skip = 1; skip < 10_000; skip++) cache.get(asked(`skip=${skip}`));
    expect(cache.get(asked('skip=0'))).to.equal(known);
  });

  /** How many of 6,000 queries with a plan of some slots are kept. */
  function kept(slots: number): number {
    const cache = new QueryCache();
    const all = Array.from({ length: 6000 }, (_, skip) => cache.get(asked(`skip=${skip}`)));
    for (const known of all) {
      known.keep(model(), { ...NOTHING_NAMED, plan: planOf(slots), elements: null });
      cache.keep(known);
    }
    return all.filter((known, skip) => cache.get(asked(`skip=${skip}`)) === known).length;
  }

  it('are as many as fit in memory, fewer where their plans are large', () => {
    expect(kept(0)).to.be.within(3000, 4000);
    expect(kept(190)).to.be.within(900, 1100);
  });

  it('that are invalid throw each time', () => {
    const cache = new QueryCache();
    for (let time = 0; time < 2; time++)
      expect(() => cache.get(asked('limit=0'))).to.throw(/'limit' must be a positive integer/);
  });
});
