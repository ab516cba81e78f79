import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { loadTouched } from '../../core/read-model/touched-items.ts';
import type { Transaction } from '../../core/storage/ports.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { openWorkbench } from '../support/service/workbench.ts';

describe('what is read to compile an item', () => {
  it('is twice as much for twice as many languages', async () => {
    const few = await charactersRead(20);
    expect(await charactersRead(40)).to.be.within(1.5 * few, 2.5 * few);
  });
});

/** Of the rows of an item with a draft in so many languages. */
async function charactersRead(languages: number): Promise<number> {
  const bench = await openWorkbench();
  try {
    const item = await bench.run(async (transaction) => {
      const type = { codename: 'note' };
      await createType(transaction, { name: 'Note', elements: [] });
      const { id } = await createItem(transaction, { name: 'Many', type });
      for (let at = 1; at < languages; at++)
        await createLanguage(transaction, { name: `Language ${at}`, codename: `l${at}` });
      for (const { codename } of transaction.model.languages)
        await upsertVariant(transaction, { id }, { codename }, { elements: [] });
      return id;
    });
    return await bench.run(async (transaction) => {
      const row = await transaction.tx.get<{ number: number }>('SELECT number FROM item WHERE id = ?', [
        item,
      ]);
      let characters = 0;
      const tx: Partial<Transaction> = {
        among: (column, values) => transaction.tx.among(column, values),
        rowsAsText: (columns, from) => transaction.tx.rowsAsText(columns, from),
        async all<T>(...statement: Parameters<Transaction['all']>) {
          const rows = await transaction.tx.all<T>(...statement);
          characters += JSON.stringify(rows).length;
          return rows;
        },
      };
      const { model, project } = transaction;
      const touched = await loadTouched({ tx, model, project } as ProjectTransaction, [row!.number]);
      expect(touched.before).to.have.length(languages);
      return characters;
    });
  } finally {
    await bench.close();
  }
}
