import { expect } from 'chai';
import { createItems } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariants } from '../../core/content/variants.ts';
import { publishMany } from '../../core/publishing/publish-many.ts';
import { cancelSchedule, publishSchedule } from '../../core/publishing/schedule.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const VARIANTS = 120;
const en = { codename: 'en' };

/** The statements that `work` reads with. */
async function readsOf({ tx }: ProjectTransaction, work: () => Promise<void>): Promise<string[]> {
  const texts: string[] = [];
  const { all, get } = tx;
  Object.assign(tx, {
    all: (text: string, parameters: []) => {
      texts.push(text);
      return all.call(tx, text, parameters);
    },
    get: (text: string, parameters: []) => {
      texts.push(text);
      return get.call(tx, text, parameters);
    },
  });
  await work();
  Object.assign(tx, { all, get });
  return texts;
}

describe('a schedule of many variants', () => {
  let bench: Workbench;
  const items = Array.from({ length: VARIANTS }, (_, index) => ({ codename: `note_${index}` }));
  before(async () => {
    bench = await openWorkbench();
    await bench.run((transaction) =>
      createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] }),
    );
    await bench.run(async (transaction) => {
      const type = { codename: 'note' };
      await createItems(
        transaction,
        items.map(({ codename }) => ({ name: codename, codename, type })),
      );
      await upsertVariants(
        transaction,
        en,
        items.map((item) => ({ item, input: { elements: [{ element: { codename: 'text' }, value: 'a' }] } })),
      );
    });
  });
  after(() => bench.close());

  const schedule = async () => {
    await bench.run((transaction) =>
      publishMany(
        transaction,
        items.map((item) => ({ item, language: en })),
        '2999-01-01T00:00:00Z',
      ),
    );
    const row = await bench.sql.get<{ schedule: string }>(
      'SELECT schedule FROM variant WHERE schedule IS NOT NULL',
    );
    return row?.schedule ?? '';
  };
  const count = async (condition: string) =>
    (await bench.sql.all(`SELECT number FROM variant WHERE ${condition}`)).length;

  it('is canceled without reading the drafts', async () => {
    const job = await schedule();
    expect(await count('schedule IS NOT NULL')).to.equal(VARIANTS);
    const reads = await bench.run((transaction) =>
      readsOf(transaction, () => cancelSchedule(transaction, job)),
    );
    expect(reads).to.have.length.below(20);
    expect(reads.filter((text) => text.includes('elements'))).to.deep.equal([]);
    expect(await count('schedule IS NOT NULL')).to.equal(0);
  });

  it('is published, and its drafts are read some at a time', async () => {
    const job = await schedule();
    const reads = await bench.run((transaction) =>
      readsOf(transaction, () => publishSchedule(transaction, job)),
    );
    expect(reads.filter((text) => text.includes('elements'))).to.have.length.within(2, 10);
    expect(await count('published IS NOT NULL AND draft IS NULL')).to.equal(VARIANTS);
  });
});
