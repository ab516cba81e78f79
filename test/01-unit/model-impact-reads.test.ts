import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createSnippet, updateSnippet } from '../../core/content/snippets.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { modelImpact } from '../../core/model-impact/model-impact.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const TYPES = 10;
const LANGUAGES = 10;

describe('the impact of a limit in a snippet of many types', () => {
  let bench: Workbench;
  before(async () => {
    bench = await openWorkbench();
    await bench.run(async (transaction) => {
      for (let at = 0; at < LANGUAGES; at++)
        await createLanguage(transaction, { name: `Language ${at}`, codename: `l-${at}` });
      await createSnippet(transaction, { name: 'Meta', elements: [{ type: 'text', name: 'Title' }] });
      for (let at = 0; at < TYPES; at++)
        await createType(transaction, {
          name: `Type ${at}`,
          elements: [{ type: 'snippet', snippet: { codename: 'meta' }, codename: 'meta' }],
        });
      await createItem(transaction, { name: 'Note', codename: 'note', type: { codename: 'type_3' } });
    });
    await bench.run((transaction) =>
      upsertVariant(
        transaction,
        { codename: 'note' },
        { codename: 'l-2' },
        { elements: [{ element: { codename: 'meta__title' }, value: 'Longer than ten' }] },
      ),
    );
  });
  after(() => bench.close());

  it('is examined only in the types and languages that have content', async () => {
    const texts: string[] = [];
    const impact = await bench.run(async (transaction) => {
      const before = transaction.model;
      const [snippet] = before.snippets;
      const limit = { maximum_text_length: { value: 10, applies_to: 'characters' as const } };
      await updateSnippet(
        transaction,
        { codename: 'meta' },
        { elements: snippet!.elements.map((element) => ({ ...element, ...limit }) as never) },
      );
      const { tx, project, staleMarks, model: after } = transaction;
      const { all } = tx;
      Object.assign(tx, {
        all: (text: string, parameters: []) => {
          texts.push(text);
          return all.call(tx, text, parameters);
        },
      });
      const view = { tx, project, model: before, access: undefined };
      return modelImpact(view, { result: undefined, before, after, staleMarks });
    });
    expect(impact.elements.map(({ breaking }) => breaking)).to.deep.equal([
      [{ rule: 'maximum_text_length', items: 1, isComplete: true }],
    ]);
    expect(texts.filter((text) => text.includes('FROM entry'))).to.have.length(1);
  });
});
