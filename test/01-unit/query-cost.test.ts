import { expect } from 'chai';
import { settingsSchema } from '../../config/schema.ts';
import { parseQuery } from '../../core/delivery/parse-query.ts';
import { planConditions } from '../../core/delivery/plan-conditions.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Language, ProjectModel } from '../../core/model/model.ts';
import type { Condition, KeyTest, Order, PagePlan } from '../../core/storage/page-plan.ts';
import {
  COUNT_LIMIT,
  needsNoCounts,
  type PlanCounts,
  planQuery,
  walkInOrder,
} from '../../core/storage/query-cost.ts';
import { LARGEST_BLOCK } from '../../core/storage/resolved-blocks.ts';
import { startsInSlots } from '../../core/storage/slot-order-cost.ts';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';

const LIMIT = settingsSchema.parse({}).delivery.queryCost ?? 0;
const ROUNDS = isLongForm ? 100_000 : 2000;

describe('the estimated cost of a query', () => {
  it('is below the default limit for all queries of the specification, with 20 conditions on 100,000 items', () => {
    const seed = testSeed();
    const random = new Random(seed);
    let most = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const size = random.pick([0, 1, 5000, 100_000, 100_000]);
      const plan = randomPlan(random, size, 20);
      const { cost } = planQuery(plan, randomCounts(random, plan, size));
      most = Math.max(most, cost.units);
      expect(
        cost.units,
        `seed ${seed}, round ${round}: ${JSON.stringify(plan).slice(0, 2000)}`,
      ).to.be.at.most(LIMIT);
    }
    expect(most).to.be.above(LIMIT / 4);
  });

  it('is below the default limit where each of the 20 conditions matches everything, at every extreme', () => {
    for (const order of [BY_CODENAME, { by: 'id', descending: true } as const, bySlots(100)])
      for (const skip of [0, 50_000, 100_000, 2 ** 31 - 1])
        for (const limit of [1, 1000, 2 ** 31 - 1, null]) {
          const conditions = Array.from({ length: 20 }, () => condition(100, { kind: 'range' }));
          const plan = { ...PLAN, conditions, order, skip, limit, total: true };
          const { cost } = planQuery(plan, { size: 100_000, matches: everything(plan), exact: false });
          expect(cost.units, JSON.stringify({ order: order.by, skip, limit })).to.be.within(100_000, LIMIT);
        }
  });

  it('is below the default limit where each of the 20 conditions is `[all]` with two values', () => {
    // Each value becomes a condition.
    const conditions = Array.from({ length: 40 }, () => condition(4, { kind: 'one-of', keys: ['=a'] }));
    for (const order of [BY_CODENAME, bySlots(100)])
      for (const skip of [0, 50_000]) {
        const plan = { ...PLAN, conditions, order, skip, limit: 20, total: true };
        const { cost } = planQuery(plan, { size: 100_000, matches: everything(plan), exact: false });
        expect(cost.units).to.be.within(100_000, LIMIT);
      }
  });

  it('is above it for 200 conditions that each match most of 100,000 items', () => {
    const conditions = Array.from({ length: 200 }, () => condition(20, { kind: 'range' }));
    const plan = { ...PLAN, conditions, total: true };
    const { cost } = planQuery(plan, { size: 100_000, matches: everything(plan), exact: false });
    expect(cost.units).to.be.above(LIMIT);
    expect(cost.candidates).to.be.within(1, 100_000);
  });

  it('grows with items, conditions, the total, the skip, slots and listed values', () => {
    const units = (part: Partial<PagePlan>, size = 50_000) => {
      const plan = { ...PLAN, ...part };
      return planQuery(plan, { size, matches: everything(plan), exact: false }).cost.units;
    };
    const conditions = (count: number, slots = 4, keys = 1) =>
      Array.from({ length: count }, () =>
        condition(slots, { kind: 'none-of', keys: Array.from({ length: keys }, (_, key) => `=${key}`) }),
      );
    const one = { conditions: conditions(1), total: true };
    expect(units(one, 100_000)).to.be.above(units(one) * 1.5);
    expect(units({ ...one, conditions: conditions(10) })).to.be.above(units(one) * 5);
    expect(units({ ...one, total: false })).to.be.below(units(one) / 10);
    expect(units({ ...one, total: false, skip: 50_000 })).to.be.above(units({ ...one, total: false }) * 10);
    expect(units({ conditions: conditions(1, 10_000) })).to.be.above(
      units({ conditions: conditions(1) }) + 2000,
    );
    expect(units({ conditions: conditions(1, 4, 10_000) })).to.be.above(
      units({ conditions: conditions(1) }) + 2000,
    );
  });

  it('checks many conditions with sets, and those of a short page with lookups', () => {
    const conditions = Array.from({ length: 5 }, () => condition(4, { kind: 'none-of', keys: ['=a'] }));
    const counts = { size: 50_000, matches: conditions.map(() => undefined), exact: false };
    expect(planQuery({ ...PLAN, conditions }, counts).listing.sets).to.equal(false);
    expect(planQuery({ ...PLAN, conditions, skip: 40_000 }, counts).listing.sets).to.equal(true);
  });

  it('counts a single exclusion by what it excludes, also among a million items', () => {
    const excluded = condition(1, { kind: 'none-of', keys: ['=a'] });
    const counts = { size: 1_000_000, matches: [100], exact: false };
    const one = planQuery({ ...PLAN, conditions: [excluded], total: true }, counts);
    expect(one.count).to.equal('complement');
    expect(one.cost.units).to.be.below(1000);
    const two = { ...PLAN, conditions: [excluded, excluded], total: true };
    expect(planQuery(two, { ...counts, matches: [100, 100] }).count).not.to.equal('complement');
  });

  it('walks ids for a short page of many items, and sorts where the page needs much of them', () => {
    const order = { by: 'id', descending: false } as const;
    const planned = (part: Partial<PagePlan>, size: number, idShare = 1, matches: number[] = []) =>
      planQuery({ ...PLAN, order, limit: 20, ...part }, { size, idShare, matches, exact: false });
    expect(planned({}, 1_000_000).listing.walksIds).to.equal(true);
    expect(planned({}, 1_000_000).cost.units).to.be.below(1000);
    expect(planned({}, 100).listing.walksIds).to.equal(undefined);
    expect(planned({ skip: 500_000 }, 1_000_000).listing.walksIds).to.equal(undefined);
    expect(planned({ limit: null }, 1_000_000).listing.walksIds).to.equal(undefined);
    expect(planned({ types: [7] }, 50_000, 0.05).listing.walksIds).to.equal(true);
    expect(planned({ types: [7] }, 50_000, 0.05).cost.units).to.be.below(3000);
    // It would read all ids for a page of few matches.
    expect(planned({ types: [7] }, 400, 0.0004).listing.walksIds).to.equal(undefined);
    const some = condition(1, { kind: 'one-of', keys: ['=a'] });
    // It reads 70 ids, and sorting would read 3000 rows.
    expect(planned({ conditions: [some] }, 10_000, 1, [3000]).listing.walksIds).to.equal(true);
    expect(planned({ conditions: [some] }, 1_000_000, 1, [3000]).listing).to.deep.include({ driver: 0 });
    expect(planned({ conditions: [some] }, 1_000_000, 1, [COUNT_LIMIT]).listing.walksIds).to.equal(true);
  });

  it('walks the keys that a condition on the attribute of the order leaves', () => {
    const range = { kind: 'range', from: { key: '=a', inclusive: true } } as const;
    const id = { by: 'id', descending: false } as const;
    const bounded: readonly (readonly [Order, Condition])[] = [
      [BY_CODENAME, { on: 'codename', test: range }],
      [id, { on: 'id', test: range }],
      [bySlots(1), condition(1, range)],
      [bySlots(1), condition(1, { kind: 'one-of', keys: ['=a'] })],
    ];
    for (const [order, condition] of bounded)
      for (const matches of [[COUNT_LIMIT], [30]]) {
        const counts = { size: 1_000_000, idShare: 1, matches, exact: false };
        const { listing, cost } = planQuery({ ...PLAN, order, conditions: [condition] }, counts);
        expect(listing).to.include({ driver: 'order', sets: false });
        expect(cost.units, JSON.stringify(order)).to.be.below(300);
      }
    // The few rows of several types are sorted at once.
    const few = { size: 1_000_000, matches: [30], exact: false };
    const ofTypes = { ...PLAN, order: bySlots(20), conditions: [condition(20, range)] };
    expect(planQuery(ofTypes, few).listing.sortsSlots).to.equal(true);
    // Those of more slots than a statement reads in order are sought.
    const ofMany = { ...PLAN, order: bySlots(5000), conditions: [condition(5000, range)] };
    expect(planQuery(ofMany, few).listing.driver).to.equal(0);
    expect(planQuery(ofMany, few).cost.units).to.be.below(10_000);
    // Of another attribute nothing is known: half of all may have to be read.
    const other = { ...PLAN, order: bySlots(1), conditions: [condition(2, range)] };
    const { cost } = planQuery(other, { size: 1_000_000, matches: [COUNT_LIMIT], exact: false });
    expect(cost.parts.conditions).to.be.above(0);
  });

  it('sorts the rows of all types where merging would read them all, and merges for a first page of many', () => {
    const planned = (part: Partial<PagePlan>, size: number) =>
      planQuery(
        { ...PLAN, order: bySlots(20), limit: 20, ...part },
        { size, matches: [COUNT_LIMIT], exact: false },
      ).listing.sortsSlots;
    expect(planned({}, 1_000_000)).to.equal(undefined);
    expect(planned({ skip: 4725 }, 1_000_000)).to.equal(undefined);
    expect(planned({ skip: 4725 }, 5000)).to.equal(true);
    expect(planned({ skip: 4725 }, 150_000)).to.equal(true);
    expect(planned({ limit: null }, 1_000_000)).to.equal(true);
    expect(planned({ skip: 4725, order: bySlots(1) }, 5000)).to.equal(undefined);
    const language = { number: 1, ordinal: 0, fallback: false };
    const fallback = { number: 2, ordinal: 1, fallback: true };
    expect(planned({ skip: 4725, languages: [language, fallback] }, 5000)).to.equal(undefined);
    expect(planned({ skip: 4725, languages: [fallback] }, 5000)).to.equal(undefined);
    const conditions = [condition(1, { kind: 'none-of', keys: ['=a'] })];
    expect(planned({ skip: 4725, conditions }, 150_000)).to.equal(undefined);
  });

  it('begins a deep page in an order by several slots near its first row, never behind it', () => {
    const planned = (part: Partial<PagePlan>, slotRows: readonly number[]) =>
      planQuery(
        { ...PLAN, order: bySlots(3), skip: 5000, limit: 20, ...part },
        { size: 10_000, matches: [COUNT_LIMIT], exact: false, slotRows },
      ).listing.startsAt;
    expect(planned({}, [5000, 4000, 1000])).to.deep.equal([2500, 2000, 500]);
    expect(planned({}, [9999, 1, 0])).to.deep.equal([4999, 0, 0]);
    expect(planned({ skip: 20_000 }, [3, 7, 0])).to.deep.equal([3, 7, 0]);
    for (let skip = 200; skip < 700; skip += 1) {
      const starts = planned({ skip }, [331, 7, 299]) ?? [];
      expect(starts.reduce((sum, at) => sum + at, 0)).to.be.within(skip > 637 ? 637 : skip - 2, skip);
    }
    const wanted = (part: Partial<PagePlan>) =>
      startsInSlots({ ...PLAN, order: bySlots(3), skip: 5000, limit: 20, ...part });
    expect(wanted({})).to.equal(true);
    const fallback = { number: 2, ordinal: 1, fallback: true };
    for (const part of [
      { skip: 20 },
      { limit: null },
      { order: bySlots(1) },
      { order: bySlots(251) },
      { languages: [fallback] },
    ])
      expect(wanted(part), Object.keys(part)[0]).to.equal(false);
  });

  it('begins near its first row with a filter by codename or by a value too', () => {
    const some = { kind: 'none-of', keys: ['=a'] } as const;
    for (const one of [{ on: 'codename', test: some } as const, condition(1, some)]) {
      const plan = { ...PLAN, order: bySlots(20), skip: 4725, limit: 26, conditions: [one] };
      const slotRows = numbers(20).map(() => 250);
      const { listing } = planQuery(plan, { size: 5000, matches: [undefined], exact: false, slotRows });
      expect(listing.sets, one.on).to.equal(false);
      expect(listing.startsAt, one.on).to.have.length(20);
    }
  });

  it('begins a deep page in the default order in its block, whatever is skipped', () => {
    const planned = (part: Partial<PagePlan>) => {
      const plan = { ...PLAN, skip: 500_000, limit: 20, ...part };
      return planQuery(plan, { size: 1_000_000, matches: everything(plan), exact: false });
    };
    for (const types of [null, [7]])
      for (const descending of [false, true]) {
        const { listing, cost } = planned({ types, order: { by: 'codename', descending } });
        expect(listing.fromBlock).to.equal(true);
        expect(cost.units).to.be.below(1000);
      }
    const walked: Partial<PagePlan>[] = [
      { skip: LARGEST_BLOCK },
      { types: [7, 8] },
      { languagesRestricted: true },
      { after: 'item_9' },
      { order: bySlots(1) },
      { conditions: [condition(1, { kind: 'none-of', keys: ['=a'] })] },
    ];
    for (const part of walked)
      expect(planned(part).listing.fromBlock, Object.keys(part)[0]).to.equal(undefined);
  });

  it('needs no counts for a page in the default order, however deep, and counts as it would with them', () => {
    const plan = { ...PLAN, skip: 500_000, limit: 20, costLimit: 1000 };
    expect(needsNoCounts(plan)).to.equal(true);
    const { listing, count } = planQuery(plan, { size: 1_000_000, matches: [], exact: false });
    expect(walkInOrder(plan)).to.deep.equal({ listing, count });
    expect(needsNoCounts({ ...plan, types: [7, 8] })).to.equal(false);
  });
});

describe('the attributes of a query', () => {
  const filters = (count: number) =>
    Array.from({ length: count }, (_, index) => parseQuery(`elements.e${index}=a`).filters).flat();
  const model = (types: number, elements: number) => {
    const names = Array.from({ length: elements }, (_, index) => `e${index}`);
    const fieldByCodename = new Map(names.map((name, field) => [name, { field, element: { type: 'text' } }]));
    const all = Array.from({ length: types }, (_, index) => ({ codename: `t${index}`, fieldByCodename }));
    return { types: all } as unknown as ProjectModel;
  };
  const languages = (count: number) => numbers(count).map((ordinal) => ({ ordinal }) as Language);
  const named = { idOf: new Map(), codenameOf: new Map() };

  it('are refused before they are written out for more types and languages than a statement can read', () => {
    const planned = planConditions(model(500, 20), languages(50), filters(20), named);
    expect(planned?.conditions).to.have.length(20);
    expect(() => planConditions(model(501, 20), languages(50), filters(20), named)).to.throw(
      ServiceError,
      /have 501000 fields over all types and languages; the limit is 500000.*system\.type/,
    );
  });
});

const BY_CODENAME = { by: 'codename', descending: false } as const;
const PLAN: PagePlan = {
  project: 1,
  modelSequence: 1,
  view: 2,
  channelBit: 1,
  types: null,
  languages: [{ number: 1, ordinal: 0, fallback: false }],
  languagesRestricted: false,
  conditions: [],
  order: BY_CODENAME,
  skip: 0,
  limit: 20,
  total: false,
  costLimit: null,
};

function bySlots(count: number): Order {
  return { by: 'slots', slots: numbers(count), lacking: [], descending: false };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

function condition(slots: number, test: KeyTest): Condition {
  return { on: 'slots', slots: numbers(slots), test };
}

function everything({ conditions }: PagePlan): number[] {
  return conditions.map(() => COUNT_LIMIT);
}

function randomPlan(random: Random, size: number, most: number): PagePlan {
  const slots = random.pick([1, 3, 20, 250]);
  return {
    ...PLAN,
    conditions: random.times(0, most, () => randomCondition(random, slots)),
    order: random.pick([
      BY_CODENAME,
      { by: 'type', descending: true, types: numbers(slots) },
      { by: 'id', descending: false },
      bySlots(slots),
    ]),
    skip: random.pick([0, 20, Math.floor(size / 2), size, 2 ** 31 - 1]),
    limit: random.pick([null, 1, 20, 1000, 2 ** 31 - 1]),
    total: random.chance(0.7),
  };
}

function randomCondition(random: Random, slots: number): Condition {
  const keys = Array.from({ length: random.pick([1, 3, 50]) }, (_, key) => `=${key}`);
  const simple = condition(
    slots,
    random.pick<KeyTest>([{ kind: 'one-of', keys }, { kind: 'none-of', keys }, { kind: 'range' }]),
  );
  if (random.chance(0.1)) return { on: 'id', test: { kind: 'range' } };
  if (random.chance(0.1)) return { on: 'empty', slots: numbers(slots), empty: random.chance(0.5) };
  return simple;
}

function randomCounts(random: Random, plan: PagePlan, size: number): PlanCounts {
  const matches = plan.conditions.map(() =>
    random.pick([undefined, 0, 10, Math.min(size, COUNT_LIMIT - 1), COUNT_LIMIT, COUNT_LIMIT]),
  );
  return { size, matches, exact: random.chance(0.2), idShare: random.pick([1, 0.5, 0.001]) };
}
