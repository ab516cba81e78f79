import { expect } from 'chai';
import {
  createItem,
  deleteItem,
  findItem,
  restoreItem,
  updateItem,
  upsertItem,
} from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { failure } from '../support/failure.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const type = { codename: 'note' };
const en = { codename: 'en' };

describe('content items', () => {
  let bench: Workbench;

  before(async () => {
    bench = await openWorkbench();
    await bench.run(async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await createType(transaction, {
        name: 'Note',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'modular_content', name: 'Related' },
          { type: 'rich_text', name: 'Body' },
        ],
      });
      await replaceSitemap(transaction, [{ name: 'Home', nodes: [{ name: 'News' }] }]);
    });
  });

  after(() => bench.close());

  it('get a codename generated from the name, with the start of the id where that is taken', async () => {
    const [first, second] = await bench.run(async (transaction) => [
      await createItem(transaction, { name: 'Hooray!', type }),
      await createItem(transaction, { name: 'Hooray!', type }),
    ]);
    expect(first?.codename).to.equal('hooray_');
    expect(second?.codename).to.equal(`hooray__${second?.id.slice(0, 7)}`);
  });

  it('report every wrong field of the input at once', async () => {
    const error = await failure(() =>
      bench.run((transaction) =>
        createItem(transaction, {
          name: 'x'.repeat(51),
          type: { codename: 'nothing' },
          sitemap_locations: [{ codename: 'news' }, { codename: 'news' }, { codename: 'nowhere' }],
        }),
      ),
    );
    expect(error.code).to.equal(5);
    expect(error.validationErrors?.map((issue) => issue.path)).to.deep.equal([
      'name',
      'type',
      'sitemap_locations[1]',
      'sitemap_locations[2]',
    ]);
  });

  it('refuse an external id twice', async () => {
    await bench.run((transaction) => createItem(transaction, { name: 'One', type, external_id: 'one' }));
    const error = await failure(() =>
      bench.run((transaction) => createItem(transaction, { name: 'Two', type, external_id: 'one' })),
    );
    expect(error.validationErrors?.[0]?.path).to.equal('external_id');
  });

  it('have the same version-5 id for the same external id', async () => {
    const item = await bench.run((transaction) =>
      createItem(transaction, { name: 'Fixed', type, external_id: 'fixed' }),
    );
    await bench.run((transaction) => deleteItem(transaction, { id: item.id }));
    const again = await bench.run((transaction) =>
      createItem(transaction, { name: 'Fixed', type, external_id: 'fixed' }),
    );
    expect(again.id)
      .to.equal(item.id)
      .and.to.match(/^.{14}5/);
    expect(
      (await failure(() => bench.run((transaction) => restoreItem(transaction, item.id)))).status,
    ).to.equal(409);
  });

  it('change nothing when written again unchanged', async () => {
    const item = await bench.run((transaction) =>
      createItem(transaction, { name: 'Same', type, sitemap_locations: [{ codename: 'news' }] }),
    );
    const put = await bench.run((transaction) =>
      updateItem(transaction, { id: item.id }, { name: 'Same', sitemap_locations: [{ codename: 'news' }] }),
    );
    expect(put.lastModified).to.equal(item.lastModified);
  });

  it('get a new codename with a new name, unless a caller set it', async () => {
    await bench.run(async (transaction) => {
      const made = await createItem(transaction, { name: 'Old name', type });
      expect((await updateItem(transaction, { id: made.id }, { name: 'New name' })).codename).to.equal(
        'new_name',
      );
      const chosen = await createItem(transaction, { name: 'Chosen', type, codename: 'by_hand' });
      expect((await updateItem(transaction, { id: chosen.id }, { name: 'Other' })).codename).to.equal(
        'by_hand',
      );
    });
  });

  it('are created by the first upsert of an external id and changed by the next', async () => {
    await bench.run(async (transaction) => {
      const first = await upsertItem(transaction, 'up', { name: 'Up', type });
      const second = await upsertItem(transaction, 'up', { name: 'Upper' });
      expect([first.created, second.created]).to.deep.equal([true, false]);
      expect(second.item.name).to.equal('Upper');
    });
    const error = await failure(() =>
      bench.run((transaction) => upsertItem(transaction, 'no-type', { name: 'X' })),
    );
    expect([error.code, error.validationErrors]).to.deep.equal([0, undefined]);
  });

  it('can be referred to by an external id before they exist', async () => {
    const source = await bench.run(async (transaction) => {
      const item = await createItem(transaction, { name: 'Source', type });
      await upsertVariant(transaction, { id: item.id }, en, {
        elements: [
          { element: { codename: 'related' }, value: [{ external_id: 'later' }] },
          { element: { codename: 'body' }, value: '<p><a data-item-external-id="later">x</a></p>' },
        ],
      });
      return item;
    });
    expect((await failure(() => bench.run((s) => findItem(s, { external_id: 'later' })))).code).to.equal(100);
    const later = await bench.run((transaction) =>
      createItem(transaction, { name: 'Later', type, external_id: 'later' }),
    );
    const again = await bench.run((transaction) =>
      upsertVariant(transaction, { id: source.id }, en, {
        elements: [{ element: { codename: 'related' }, value: [{ codename: 'later' }] }],
      }),
    );
    expect(Object.values(again.elements)).to.deep.include([later.id]);
    const stale = await bench.sql.all('SELECT * FROM pending WHERE kind = 3 AND target = ?', [later.number]);
    expect(stale).to.have.length(1);
  });

  it('are deleted with all variants, free their codename, and can be restored', async () => {
    const item = await bench.run(async (transaction) => {
      const made = await createItem(transaction, { name: 'Phoenix', type });
      await upsertVariant(transaction, { id: made.id }, en, { elements: [] });
      return made;
    });
    const documents = () => bench.sql.all('SELECT number FROM document WHERE item = ?', [item.number]);
    expect(await documents()).to.have.length(1);
    await bench.run((transaction) => deleteItem(transaction, { codename: 'phoenix' }));
    expect(await documents()).to.have.length(0);
    expect((await failure(() => bench.run((s) => deleteItem(s, { id: item.id })))).code).to.equal(100);

    const second = await bench.run((transaction) => createItem(transaction, { name: 'Phoenix', type }));
    expect(second.codename).to.equal('phoenix');
    const restored = await bench.run((transaction) => restoreItem(transaction, item.id));
    expect(restored.codename).to.equal(`phoenix_${item.id.slice(0, 7)}`);
    expect(await documents()).to.have.length(1);
  });
});
