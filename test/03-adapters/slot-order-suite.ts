/** Deep pages in the order of an element of several types: the same as those of all rows, sorted. */

import { expect } from 'chai';
import type { Condition, PagePlan } from '../../core/storage/page-plan.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { EN, fill, plan, VIEW } from './compiled-fixture.ts';

const ROUNDS = isLongForm ? 40 : 4;
const PAGES = 40;
const LIMIT = 7;
/** Types with the element; one more lacks it. */
const TYPES = [11, 12, 13, 14, 15];
const LACKING = 16;
/** field × 256 */
const slotOf = (type: number) => type * 256;
const CATEGORY = 40 * 256;

interface Made {
  readonly item: number;
  readonly type: number;
  readonly codename: string;
  /** Null: empty. */
  readonly key: string | null;
  readonly visible: number;
  readonly isDaily: boolean;
}

export function slotOrderSuite(current: () => Storage): void {
  describe('deep pages in the order of an element of several types', () => {
    let storage: Storage;

    beforeEach(async () => {
      storage = current();
      await fill(storage);
    });

    it('are those of all rows, however many each type has and whatever values are repeated', async () => {
      const seed = testSeed();
      const random = new Random(seed);
      for (let round = 0; round < ROUNDS; round += 1) {
        const made = someItems(random);
        // Of many items, the first rows of each type are merged; of few, all are sorted.
        await write(storage, made, round % 2 === 0 ? 1 : 10_000);
        for (let page = 0; page < PAGES; page += 1) {
          const descending = random.int(0, 1) === 0;
          const isDaily = random.int(0, 2) === 0;
          const channelBit = random.pick([1, 2]);
          const all = sorted(
            made.filter((item) => (item.visible & channelBit) !== 0 && (!isDaily || item.isDaily)),
            descending,
          );
          const skip = random.pick([200, random.int(200, all.length + 5), Math.max(200, all.length - 3)]);
          const wanted = deepPlan({
            order: { by: 'slots', slots: TYPES.map(slotOf), lacking: [LACKING], descending },
            conditions: isDaily ? [DAILY] : [],
            channelBit,
            skip,
          });
          const { items, more } = await storage.page(wanted);
          const where = JSON.stringify({
            seed,
            round,
            descending,
            isDaily,
            channelBit,
            skip,
            of: all.length,
          });
          expect(items, where).to.deep.equal(all.slice(skip, skip + LIMIT));
          expect(more, where).to.equal(all.length > skip + LIMIT);
          const inSteps = await storage.snapshot((reads) => reads.items(wanted));
          expect(inSteps, where).to.deep.equal(all.slice(skip, skip + LIMIT));
        }
      }
    });

    it('have their total where all rows are read for it', async () => {
      const made = someItems(
        new Random(1),
        TYPES.map(() => 300),
      ).map((item) => ({ ...item, visible: 3 }));
      await write(storage, made);
      const conditions: Condition[] = [{ on: 'empty', slots: [CATEGORY], empty: false }];
      for (const descending of [false, true]) {
        const all = sorted(
          made.filter(({ isDaily }) => isDaily),
          descending,
        );
        const order = { by: 'slots', slots: TYPES.map(slotOf), lacking: [LACKING], descending } as const;
        for (let skip = 200; skip < all.length; skip += 97) {
          const page = await storage.page(deepPlan({ order, conditions, skip, total: true }));
          expect(page.items, `${skip}`).to.deep.equal(all.slice(skip, skip + LIMIT));
          expect(page.total, `${skip}`).to.equal(all.length);
        }
      }
    });

    it('are right while the counts of rows that they begin by are outdated', async () => {
      const made = someItems(
        new Random(1),
        TYPES.map(() => 600),
      );
      await write(storage, made);
      const pageAt = (skip: number) =>
        storage.page(
          deepPlan({
            order: { by: 'slots', slots: TYPES.map(slotOf), lacking: [LACKING], descending: false },
            skip,
          }),
        );
      await pageAt(300);
      // All types but one lose most of their rows, so those of the other one are at other positions.
      const left = made.filter(({ item, type }) => type === TYPES[0] || item % 10 === 0);
      await write(storage, left);
      const all = sorted(
        left.filter(({ visible }) => (visible & 1) !== 0),
        false,
      );
      for (let skip = 200; skip < all.length; skip += 37)
        expect((await pageAt(skip)).items, `${skip}`).to.deep.equal(all.slice(skip, skip + LIMIT));
    });
  });
}

const DAILY: Condition = { on: 'slots', slots: [CATEGORY], test: { kind: 'one-of', keys: ['=daily'] } };

function deepPlan(part: Partial<PagePlan>): PagePlan {
  return plan({ types: [...TYPES, LACKING], limit: LIMIT, ...part });
}

function someItems(random: Random, lengths = TYPES.map(() => random.pick([0, 1, 30, 200, 900]))): Made[] {
  const values = random.pick([3, 40, 100_000]);
  const types = [...TYPES, LACKING].flatMap((type, at) =>
    Array.from({ length: lengths[at] ?? 60 }, () => type),
  );
  return types.map((type, at) => ({
    item: 100 + at,
    type,
    codename: `${String.fromCharCode(97 + random.int(0, 25))}_${at}`,
    key: type === LACKING || random.int(0, 9) === 0 ? null : `=${random.int(0, values)}`,
    // Those without the element are found by the view, and are in both channels.
    visible: type === LACKING ? 3 : random.pick([1, 3, 3, 3, 2]),
    isDaily: random.int(0, 1) === 0,
  }));
}

/** @param factor by which the counted items are more than those there are */
async function write(storage: Storage, made: readonly Made[], factor = 1): Promise<void> {
  await storage.write(async (tx) => {
    await tx.run('DELETE FROM entry');
    await tx.run('DELETE FROM resolved');
    await tx.run('DELETE FROM tally');
    const rows = made.flatMap(({ item, type, codename, key, visible, isDaily }) => [
      ...(type === LACKING ? [] : [[item, slotOf(type), key ?? '!', codename, visible, item]]),
      ...(isDaily ? [[item, CATEGORY, '=daily', codename, visible, item]] : []),
    ]);
    await tx.insert('entry', ['document', 'slot', 'key', 'codename', 'visible', 'item'], rows);
    await tx.insert(
      'resolved',
      ['view', 'item', 'document', 'type', 'language', 'codename'],
      made.map(({ item, type, codename }) => [VIEW.en, item, item, type, EN, codename]),
    );
    await tx.insert(
      'tally',
      ['view', 'type', 'language', 'count'],
      [...TYPES, LACKING].map((type) => [
        VIEW.en,
        type,
        EN,
        made.filter((item) => item.type === type).length * factor,
      ]),
    );
  });
}

/** Those without a value last, by codename. */
function sorted(made: readonly Made[], descending: boolean): number[] {
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  const valued = made.filter(({ key }) => key !== null);
  const others = made.filter(({ key }) => key === null);
  valued.sort(
    (one, other) =>
      (descending ? -1 : 1) * compare(one.key ?? '', other.key ?? '') ||
      compare(one.codename, other.codename),
  );
  others.sort((one, other) => compare(one.codename, other.codename));
  return [...valued, ...others].map(({ item }) => item);
}
