/** Deep pages in the order of codenames: found by the counts of blocks, and the same as by walking. */
import { expect } from 'chai';
import type { PagePlan } from '../../core/storage/page-plan.ts';
import type { Storage, Transaction } from '../../core/storage/ports.ts';
import {
  ALL_TYPES,
  type BlockChange,
  countBlocks,
  LARGEST_BLOCK,
} from '../../core/storage/resolved-blocks.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { BOOK, EN, fill, NOTE, plan, VIEW } from './compiled-fixture.ts';

const DEEP = LARGEST_BLOCK + 1;
const ROUNDS = process.env['HEADWATER_TEST_LONG'] ? 40 : 4;

interface Shown {
  readonly item: number;
  readonly type: number;
  readonly codename: string;
}

export function blockSuite(current: () => Storage): void {
  describe('deep pages', () => {
    let storage: Storage;
    let shown: Shown[];

    beforeEach(async () => {
      storage = current();
      await fill(storage);
      shown = [];
      await storage.write(async (tx) => {
        for (const table of ['resolved', 'tally', 'resolved_block'])
          await tx.run(`DELETE FROM ${table} WHERE view = ?`, [VIEW.en]);
      });
    });

    it('are found while items appear, disappear and change their codename or type', async () => {
      const seed = testSeed();
      const random = new Random(seed);
      let next = 100;
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = shown;
        const added = Array.from({ length: random.int(0, 6000) }, () => some(random, next++));
        const kept = before.flatMap((item) => {
          const chance = random.int(0, 19);
          return chance === 0 ? [] : [chance === 1 ? some(random, item.item) : item];
        });
        shown = [...kept, ...added];
        await storage.write((tx) => replace(tx, before, shown));
        await expectPages(`seed ${seed}, round ${round}`);
        const blocks = await storage.sql.all<{ type: number; count: number }>(
          'SELECT type, count FROM resolved_block WHERE view = ?',
          [VIEW.en],
        );
        for (const { count } of blocks) expect(count).to.be.within(0, LARGEST_BLOCK);
        expect(sum(blocks.filter(({ type }) => type === ALL_TYPES))).to.equal(shown.length);
        expect(sum(blocks.filter(({ type }) => type !== ALL_TYPES))).to.equal(shown.length);
      }
      await storage.write((tx) => replace(tx, shown, []));
      const left = await storage.sql.all('SELECT codename, count FROM resolved_block WHERE view = ?', [
        VIEW.en,
      ]);
      for (const block of left) expect(block).to.deep.equal({ codename: '', count: 0 });
    });

    it('are found after the view was counted again', async () => {
      await storage.write((tx) => replace(tx, [], many()));
      shown = many();
      const counted = () =>
        storage.sql.all('SELECT * FROM resolved_block WHERE view = ? ORDER BY type, codename', [VIEW.en]);
      await storage.write((tx) => countBlocks(tx, VIEW.en));
      const blocks = await counted();
      expect(blocks.length).to.be.above(9);
      await expectPages('counted');
      await storage.write((tx) => countBlocks(tx, VIEW.en));
      expect(await counted()).to.deep.equal(blocks);
    });

    it('are read by walking where the counts are not those of the view', async () => {
      await storage.write((tx) => replace(tx, [], many()));
      shown = many();
      await storage.write((tx) =>
        tx.run('UPDATE resolved_block SET count = count + 7 WHERE view = ?', [VIEW.en]),
      );
      await expectPages('wrong counts');
      await storage.write((tx) => tx.run('DELETE FROM resolved_block WHERE view = ?', [VIEW.en]));
      await expectPages('no counts');
    });

    async function expectPages(why: string): Promise<void> {
      const plans: Partial<PagePlan>[] = [{}, { types: [BOOK] }, { types: [BOOK, NOTE] }];
      for (const part of plans)
        for (const descending of [false, true]) {
          const order = { by: 'codename', descending } as const;
          const { types } = part;
          const all = shown
            .filter(({ type }) => !types || types.includes(type))
            .sort((a, b) => (a.codename < b.codename ? -1 : 1))
            .map(({ item }) => item);
          if (descending) all.reverse();
          for (const skip of [DEEP, DEEP + 2047, all.length - 3, all.length, all.length + DEEP]) {
            if (skip < 0) continue;
            const { items, more } = await storage.page(plan({ ...part, order, skip, limit: 4 }));
            const where = `${why}: ${JSON.stringify({ types, descending, skip, of: all.length })}`;
            expect(items, where).to.deep.equal(all.slice(skip, skip + 4));
            expect(more, where).to.equal(all.length > skip + 4);
          }
          const rest = await storage.snapshot((reads) => reads.items(plan({ ...part, order, skip: DEEP })));
          expect(rest, why).to.deep.equal(all.slice(DEEP));
        }
    }
  });
}

function some(random: Random, item: number): Shown {
  const letter = String.fromCharCode(97 + random.int(0, 25));
  return { item, type: random.pick([BOOK, NOTE]), codename: `${letter}_${random.int(0, 49)}_${item}` };
}

const many = () =>
  Array.from({ length: 3 * DEEP }, (_, index) => ({
    item: 100 + index,
    type: index % 2 === 0 ? BOOK : NOTE,
    codename: `${(index * 7919) % 9973}_${index}`,
  }));

const sum = (blocks: readonly { readonly count: number }[]) =>
  blocks.reduce((all, { count }) => all + count, 0);

async function replace(tx: Transaction, before: readonly Shown[], after: readonly Shown[]): Promise<void> {
  await tx.run('DELETE FROM resolved WHERE view = ?', [VIEW.en]);
  await tx.run('DELETE FROM tally WHERE view = ?', [VIEW.en]);
  const rows = after.map(({ item, type, codename }) => [VIEW.en, item, item, type, EN, codename]);
  await tx.insert('resolved', ['view', 'item', 'document', 'type', 'language', 'codename'], rows);
  const counts = [BOOK, NOTE].map((type) => [
    VIEW.en,
    type,
    EN,
    after.filter((item) => item.type === type).length,
  ]);
  await tx.insert('tally', ['view', 'type', 'language', 'count'], counts);
  const changes = (items: readonly Shown[], change: 1 | -1) =>
    items.flatMap(({ type, codename }): BlockChange[] => [
      [VIEW.en, ALL_TYPES, codename, change],
      [VIEW.en, type, codename, change],
    ]);
  const [gone, come] = [new Set(after), new Set(before)];
  await tx.changeBlocks([
    ...changes(
      after.filter((item) => !come.has(item)),
      1,
    ),
    ...changes(
      before.filter((item) => !gone.has(item)),
      -1,
    ),
  ]);
}
