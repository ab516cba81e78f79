import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { takeSnapshots } from '../../core/publishing/act-snapshots.ts';
import { readTargets } from '../../core/publishing/act-targets.ts';
import type { Sql } from '../../core/storage/sql.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import type { ProjectView } from '../../core/transaction/project-view.ts';
import { countedRows } from '../support/database/counted-rows.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

async function rowsRead(tx: Sql, work: (sql: Sql) => Promise<unknown>): Promise<number> {
  let rows = 0;
  await work(
    countedRows(tx, (count) => {
      rows += count;
    }),
  );
  return rows;
}

describe('objects of an act', () => {
  let bench: Workbench;
  before(async () => {
    bench = await openWorkbench();
    await bench.run(async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await createLanguage(transaction, { name: 'French', codename: 'fr' });
      await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] });
    });
    await bench.run(async (transaction) => {
      for (const name of ['One', 'Two']) {
        const item = await createItem(transaction, { name, type: { codename: 'note' } });
        for (const codename of ['en', 'de', 'fr'])
          await upsertVariant(transaction, { id: item.id }, { codename }, { elements: [] });
      }
    });
  });
  after(() => bench.close());

  const itemsOf = async ({ tx }: ProjectTransaction) =>
    (await tx.all<{ number: number }>('SELECT number FROM item ORDER BY number')).map(({ number }) => number);
  const numberOf = ({ model }: ProjectTransaction, codename: string) =>
    model.languages.find((language) => language.codename === codename)?.number ?? 0;

  it('are read without the variants in other languages', () =>
    bench.run(async (transaction) => {
      const { tx, project, model } = transaction;
      const language = numberOf(transaction, 'de');
      const objects = (await itemsOf(transaction)).map((item) => ({ item, language }));
      const snapshots = await rowsRead(tx, (sql) => takeSnapshots(sql, objects));
      expect(snapshots, 'snapshots: two items, two variants').to.equal(4);
      const targets = await rowsRead(tx, (sql) =>
        readTargets({ tx: sql, project, model } as ProjectView, objects),
      );
      expect(targets, 'targets: two items, two variants').to.equal(4);
    }));

  it('can be whole items among variants', () =>
    bench.run(async (transaction) => {
      const [one = 0, two = 0] = await itemsOf(transaction);
      const [en, de, fr] = ['en', 'de', 'fr'].map((codename) => numberOf(transaction, codename));
      const objects = [
        { item: one, language: null },
        { item: two, language: de ?? 0 },
      ];
      const snapshots = (await takeSnapshots(transaction.tx, objects)).map((text) => JSON.parse(text));
      const languages = snapshots.map(({ variants }) =>
        variants.map(({ language }: { language: number }) => language),
      );
      expect(languages).to.deep.equal([[en, de, fr], [de]]);
      const targets = await readTargets(transaction, objects);
      expect(targets.map(({ variant }) => variant?.language ?? null)).to.deep.equal([null, de]);
    }));
});
