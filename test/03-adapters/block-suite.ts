/** Deep pages in the order of codenames: found by the counts of blocks, and the same as by walking. */

import { expect } from 'chai';
import { recountBlocks } from '../../core/read-model/recount-blocks.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { ALL_TYPES, countBlocks, LARGEST_BLOCK } from '../../core/storage/resolved-blocks.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { BOOK, fill, NOTE, VIEW } from './compiled-fixture.ts';
import { changed, DEEP, expectPages, replace, type Shown } from './deep-pages.ts';

const ROUNDS = isLongForm ? 40 : 3;

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
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = shown;
        shown = changed(random, before);
        await storage.write((tx) => replace(tx, before, shown));
        await expectPages(storage, shown, `seed ${seed}, round ${round}`);
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
      await expectPages(storage, shown, 'counted');
      await storage.write((tx) => countBlocks(tx, VIEW.en));
      expect(await counted()).to.deep.equal(blocks);
    });

    longTest('are read by walking where the counts are not those of the view', async () => {
      await storage.write((tx) => replace(tx, [], many()));
      shown = many();
      await storage.write((tx) =>
        tx.run('UPDATE resolved_block SET count = count + 7 WHERE view = ?', [VIEW.en]),
      );
      await expectPages(storage, shown, 'wrong counts');
      await storage.write((tx) => tx.run('DELETE FROM resolved_block WHERE view = ?', [VIEW.en]));
      await expectPages(storage, shown, 'no counts');
    });

    it('are read after a write to blocks with wrong counts, which are then counted again', async () => {
      const before = many();
      await storage.write((tx) => replace(tx, [], before));
      await storage.write((tx) => countBlocks(tx, VIEW.en));
      // They would be divided where the next blocks begin.
      await storage.write((tx) =>
        tx.run(`UPDATE resolved_block SET count = ? WHERE view = ? AND codename = ''`, [DEEP, VIEW.en]),
      );
      const first = before.reduce((one, other) => (one.codename < other.codename ? one : other));
      shown = before.map((item) => (item === first ? { ...item, codename: '0' } : item));
      await storage.write((tx) => replace(tx, before, shown));
      await expectPages(storage, shown, 'wrong counts');
      await recountBlocks(storage, storage.reader({ class: 'background' }), () => false);
      await expectPages(storage, shown, 'counted again');
      expect(await wrongBlocks(storage.sql)).to.deep.equal([]);
    });
  });
}

const many = () =>
  Array.from({ length: 3 * DEEP }, (_, index) => ({
    item: 100 + index,
    type: index % 2 === 0 ? BOOK : NOTE,
    codename: `${(index * 7919) % 9973}_${index}`,
  }));

const sum = (blocks: readonly { readonly count: number }[]) =>
  blocks.reduce((all, { count }) => all + count, 0);
