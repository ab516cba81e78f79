import { expect } from 'chai';
import { createItems, deleteItem } from '../../core/content/items.ts';
import { createType, deleteType } from '../../core/content/types.ts';
import { upsertVariants } from '../../core/content/variants.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const ITEMS = 100;
const en = { codename: 'en' };
const names = (prefix: string) => Array.from({ length: ITEMS }, (_, at) => `${prefix}_${at}`);

describe('items that become stale together', () => {
  let bench: Workbench;
  before(async () => {
    bench = await openWorkbench();
    await bench.run(async (transaction) => {
      await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] });
      await createType(transaction, { name: 'Page', elements: [{ type: 'rich_text', name: 'Body' }] });
      const create = (type: string) =>
        createItems(
          transaction,
          names(type).map((codename) => ({ name: codename, codename, type: { codename: type } })),
        );
      const notes = await create('note');
      await create('page');
      await upsertVariants(
        transaction,
        en,
        notes.map(({ id }, at) => ({
          item: { codename: `page_${at}` },
          input: {
            elements: [
              { element: { codename: 'body' }, value: `<p><a data-item-id="${id}" href="">x</a></p>` },
            ],
          },
        })),
      );
    });
  });
  after(() => bench.close());

  /** The statements that mark what is stale or read what shows it, in a transaction with the work and its end. */
  const statementsOf = (work: (transaction: ProjectTransaction) => Promise<unknown>) =>
    bench.run(async (transaction) => {
      const texts: string[] = [];
      const tx = transaction.tx as unknown as Record<string, (text: string, ...rest: unknown[]) => unknown>;
      for (const name of ['all', 'get', 'run'] as const) {
        const run = tx[name]!.bind(tx);
        tx[name] = (text, ...rest) => {
          if (/\bFROM uses u\b|\bINTO pending\b/.test(text)) texts.push(text);
          return run(text, ...rest);
        };
      }
      await work(transaction);
      return texts;
    });
  const pending = async () =>
    (await bench.sql.all('SELECT target FROM pending WHERE kind = 3 ORDER BY target')).length;

  it('are marked by a few statements where others link to them', async () => {
    const texts = await statementsOf((transaction) =>
      upsertVariants(
        transaction,
        en,
        names('note').map((codename) => ({ item: { codename }, input: { elements: [] } })),
      ),
    );
    expect(texts.length).to.be.within(3, 10);
    expect(await pending()).to.equal(ITEMS);
  });

  it('are marked by a few statements where their type is deleted', async () => {
    await bench.run(async (transaction) => {
      for (const codename of names('note')) await deleteItem(transaction, { codename });
    });
    await bench.installation(({ tx }) => tx.run('DELETE FROM pending'));
    const texts = await statementsOf((transaction) => deleteType(transaction, { codename: 'note' }));
    expect(texts.length).to.be.within(3, 10);
    expect(await pending()).to.equal(ITEMS);
  });
});
