import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createItems } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { exportProject } from '../../core/transfer/export-project.ts';
import { countedRows } from '../support/database/counted-rows.ts';
import { openWorkbench } from '../support/service/workbench.ts';

const LANGUAGES = 120;
const ITEMS = 50;

describe('an export', () => {
  it('reads the variants of many languages some at a time', async () => {
    const bench = await openWorkbench();
    try {
      const languages = await bench.run(async (transaction) => {
        for (let count = 1; count < LANGUAGES; count++)
          await createLanguage(transaction, { name: `Language ${count}`, codename: `l-${count}` });
        await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] });
        return transaction.tx.all<{ number: number }>('SELECT number FROM language');
      });
      await bench.run((transaction) =>
        createItems(
          transaction,
          Array.from({ length: ITEMS }, (_, index) => ({
            name: `Item ${index}`,
            type: { codename: 'note' },
          })),
        ),
      );
      const items = await bench.sql.all<{ number: number }>('SELECT number FROM item');
      const variants = items.flatMap((item) => languages.map((language) => [item.number, language.number]));
      await bench.storage.write((tx) =>
        tx.insert(
          'variant',
          ['number', 'item', 'language', 'was_published', 'last_modified'],
          variants.map((variant, index) => [index + 1, ...variant, 0, tx.now]),
        ),
      );
      let most = 0;
      const snapshot: Storage['snapshot'] = (work, options) =>
        bench.storage.snapshot(
          (sql) =>
            work(
              countedRows(sql, (rows) => {
                most = Math.max(most, rows);
              }),
            ),
          options,
        );
      const counts = await exportProject(
        { blobs: bench.blobs, storage: { ...bench.storage, snapshot } },
        bench.project.id,
        new Writable({ write: (_chunk, _encoding, done) => done() }),
        { archive: '0f0f0f0f-0000-4000-8000-000000000001', created: '2030-01-01T00:00:00.0000000Z' },
      );
      expect(counts.variants).to.equal(LANGUAGES * ITEMS);
      expect(most, 'rows of a statement').to.be.at.most(2200);
    } finally {
      await bench.close();
    }
  });
});
