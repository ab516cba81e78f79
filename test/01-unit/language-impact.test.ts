import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { createLanguage, findLanguage, updateLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { languageImpact } from '../../core/model-impact/language-impact.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const DEPENDENTS = 8;

describe('the impact of a change of a language that many fall back to', () => {
  let bench: Workbench;
  before(async () => {
    bench = await openWorkbench();
    await bench.run(async (transaction) => {
      await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] });
      await createLanguage(transaction, { name: 'Spanish', codename: 'es' });
      for (let at = 0; at < DEPENDENTS; at++)
        await createLanguage(transaction, {
          name: `Spanish ${at}`,
          codename: `es-${at}`,
          fallback_language: { codename: 'es' },
        });
    });
    const write = async (codename: string, ...languages: readonly string[]) => {
      await bench.run((transaction) =>
        createItem(transaction, { name: codename, codename, type: { codename: 'note' } }),
      );
      for (const language of languages) {
        await bench.run((transaction) =>
          upsertVariant(transaction, { codename }, { codename: language }, { elements: [] }),
        );
        await bench.run((transaction) => publishVariant(transaction, { codename }, { codename: language }));
      }
    };
    await write('both', 'en', 'es');
    await write('spanish', 'es', 'es-0');
    await write('english', 'en');
  });
  after(() => bench.close());

  it('counts what they show by one statement, and what they will show by one for each', async () => {
    const texts: string[] = [];
    const { languages } = await bench.run(async (transaction) => {
      const { tx } = transaction;
      const { get } = tx;
      Object.assign(tx, {
        get: (text: string, parameters: []) => {
          texts.push(text);
          return get.call(tx, text, parameters);
        },
      });
      return languageImpact(transaction, findLanguage(transaction, { codename: 'es' }), { is_active: false });
    });
    expect(texts.filter((text) => text.includes('FROM entry'))).to.have.length(DEPENDENTS);
    expect(languages.map(({ before, after }) => [before, after]).slice(0, 3)).to.deep.equal([
      [
        { own: 2, fallback: 1 },
        { own: 0, fallback: 0 },
      ],
      [
        { own: 1, fallback: 2 },
        { own: 1, fallback: 2 },
      ],
      [
        { own: 0, fallback: 3 },
        { own: 0, fallback: 2 },
      ],
    ]);
  });

  it('counts what languages show that fall back by way of an inactive one', async () => {
    const change = { fallback_language: null };
    const spanish = { codename: 'es' };
    await bench.run((transaction) => updateLanguage(transaction, spanish, { is_active: false }));
    const { languages } = await bench.run((transaction) =>
      languageImpact(transaction, findLanguage(transaction, spanish), change),
    );
    expect(languages.slice(1, 3).map(({ after }) => after)).to.deep.equal([
      { own: 1, fallback: 0 },
      { own: 0, fallback: 0 },
    ]);
  });
});
