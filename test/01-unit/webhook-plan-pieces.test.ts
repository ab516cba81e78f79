import { expect } from 'chai';
import type { Transaction } from '../../core/storage/ports.ts';
import { loadPublishedVariants } from '../../core/webhooks/plan/published-variants.ts';
import { countedRows } from '../support/database/counted-rows.ts';
import { writeManyVariants } from '../support/projects/many-variants.ts';
import { openWorkbench } from '../support/service/workbench.ts';

describe('events of a transaction for webhooks', () => {
  it('are planned from the variants of many items, which are read some at a time', async () => {
    const bench = await openWorkbench();
    try {
      await writeManyVariants(bench, { languages: 20, items: 300 });
      const items = await bench.sql.all<{ id: string; number: number }>('SELECT id, number FROM item');
      let most = 0;
      const variants = await bench.run(({ tx, model }) =>
        loadPublishedVariants(
          countedRows<Transaction>(tx, (rows) => {
            most = Math.max(most, rows);
          }),
          model,
          items.map(({ id }) => id),
        ),
      );
      for (const { id, number } of items) expect(variants.numberOf(id)).to.equal(number);
      expect(variants.movesOf(items[0]?.id ?? '', true)).to.have.length(20);
      expect(most, 'rows of a statement').to.be.at.most(2200);
    } finally {
      await bench.close();
    }
  });
});
