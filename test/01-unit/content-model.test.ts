import { expect } from 'chai';
import { createItem, deleteItem } from '../../core/content/items.ts';
import { createLanguage, updateLanguage } from '../../core/content/languages.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createSnippet, deleteSnippet, updateSnippet } from '../../core/content/snippets.ts';
import {
  archiveTaxonomy,
  createTaxonomy,
  restoreTaxonomy,
  updateTaxonomy,
} from '../../core/content/taxonomies.ts';
import { createType, deleteType, updateType } from '../../core/content/types.ts';
import { failure } from '../support/failure.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

describe('the content model', () => {
  let bench: Workbench;
  const stale = async () =>
    (await bench.sql.all<{ kind: number; target: number }>('SELECT kind, target FROM pending')).map(
      ({ kind, target }) => `${kind}:${target}`,
    );

  beforeEach(async () => {
    bench = await openWorkbench();
  });

  afterEach(() => bench.close());

  it('expands snippets in place, with codenames and numbers of their own', async () => {
    const [snippet, type] = await bench.run(async (transaction) => {
      const meta = await createSnippet(transaction, {
        name: 'Meta',
        elements: [{ type: 'text', name: 'Title' }],
      });
      const page = await createType(transaction, {
        name: 'Page',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'snippet', snippet: { codename: 'meta' } },
          { type: 'guidelines', guidelines: 'How to' },
          {
            type: 'url_slug',
            name: 'Slug',
            depends_on: { element: { codename: 'title' }, snippet: { codename: 'meta' } },
          },
        ],
      });
      return [meta, page] as const;
    });
    expect(type.fields.map((field) => field.codename)).to.deep.equal(['title', 'meta__title', 'slug']);
    const numbers = [...type.fields.map((field) => field.field), ...Object.values(type.systemFields)];
    expect(new Set(numbers).size).to.equal(6);
    expect(Math.min(...numbers)).to.be.greaterThan(0);

    await bench.run((transaction) =>
      updateSnippet(
        transaction,
        { id: snippet.id },
        {
          elements: [
            { type: 'text', id: snippet.elements[0]?.id ?? '', name: 'Headline' },
            { type: 'number', name: 'Weight' },
          ],
        },
      ),
    );
    const after = await bench.run(async (transaction) => transaction.model.typeByCodename.get('page'));
    expect(after?.fields.map((field) => field.codename)).to.deep.equal([
      'title',
      'meta__headline',
      'meta__weight',
      'slug',
    ]);
    expect(after?.fields[1]?.field, 'a renamed element keeps its number').to.equal(type.fields[1]?.field);
    expect(after?.fields[2]?.field).to.be.greaterThan(0);
    expect(await stale()).to.include(`2:${type.number}`);
    await failure(() => bench.run((transaction) => deleteSnippet(transaction, { id: snippet.id })));
  });

  it('keeps elements and options with an id, and creates those without', async () => {
    const type = await bench.run((transaction) =>
      createType(transaction, {
        name: 'Dish',
        content_groups: [{ name: 'Main' }],
        elements: [
          { type: 'text', name: 'Title', content_group: { codename: 'main' } },
          {
            type: 'multiple_choice',
            name: 'Taste',
            mode: 'multiple',
            options: [{ name: 'Sweet' }, { name: 'Sour' }],
          },
        ],
      }),
    );
    const [title, taste] = type.elements;
    if (taste?.type !== 'multiple_choice' || !title) throw new Error('The type is not as it was made.');
    const sour = taste.options[1];
    const changed = await bench.run((transaction) =>
      updateType(
        transaction,
        { codename: 'dish' },
        {
          elements: [
            { ...taste, options: [{ id: sour?.id ?? '', name: 'Bitter' }, { name: 'Sweet' }] },
            { ...title, codename: 'headline' },
            { type: 'number', name: 'Title' },
          ],
        },
      ),
    );
    const [first, second, third] = changed.elements;
    expect([first?.id, second?.id]).to.deep.equal([taste.id, title.id]);
    expect(changed.elements.map((element) => element.codename)).to.deep.equal(['taste', 'headline', 'title']);
    expect(third?.id).to.not.equal(title.id);
    if (first?.type !== 'multiple_choice') throw new Error('The first element is no choice.');
    expect(first.options[0]).to.include({ id: taste.options[1]?.id, codename: 'bitter' });
    expect(first.options[1]?.id).to.not.equal(taste.options[0]?.id);
    const wrong = await failure(() =>
      bench.run((s) => updateType(s, { codename: 'dish' }, { elements: [{ type: 'number', id: title.id }] })),
    );
    expect(wrong.validationErrors?.[0]?.path).to.equal('elements[0].type');
  });

  it('reports everything wrong with a type at once', async () => {
    const error = await failure(() =>
      bench.run((transaction) =>
        createType(transaction, {
          name: '',
          elements: [
            { type: 'photo', name: 'A' },
            { type: 'multiple_choice', name: 'B', options: [] },
            { type: 'taxonomy', name: 'C', taxonomy_group: { codename: 'none' } },
            { type: 'snippet', snippet: { codename: 'none' }, name: 'D' },
            { type: 'url_slug', name: 'E', depends_on: { element: { codename: 'none' } } },
            { type: 'text', name: 'F', codename: 'Not A Codename' },
            { type: 'text', name: 'G', codename: 'a' },
            { type: 'asset', name: 'H', asset_count_limit: { value: -1, condition: 'at_most' } },
          ],
        }),
      ),
    );
    expect(new Set(error.validationErrors?.map((issue) => issue.path))).to.deep.equal(
      new Set([
        'name',
        'elements[0].type',
        'elements[1].mode',
        'elements[1].options',
        'elements[2].taxonomy_group',
        'elements[3].snippet',
        'elements[4].depends_on',
        'elements[5].codename',
        'elements[7].asset_count_limit',
      ]),
    );
  });

  it('generates no codename that a caller gives to another element', async () => {
    const type = await bench.run((transaction) =>
      createType(transaction, {
        name: 'T',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'text', name: 'Other', codename: 'title' },
        ],
      }),
    );
    expect(type.elements[0]?.codename).to.equal(`title_${type.elements[0]?.id.slice(0, 7)}`);
    expect(type.elements[1]?.codename).to.equal('title');
  });

  it('changes nothing when a type is written again unchanged', async () => {
    const type = await bench.run((transaction) =>
      createType(transaction, { name: 'Same', elements: [{ type: 'text', name: 'A' }] }),
    );
    const again = await bench.run((transaction) =>
      updateType(transaction, { id: type.id }, { name: 'Same', elements: type.elements }),
    );
    expect(again.lastModified).to.equal(type.lastModified);
  });

  it('keeps types that are in use', async () => {
    await bench.run(async (transaction) => {
      await createType(transaction, { name: 'Used', elements: [{ type: 'text', name: 'A' }] });
      await createType(transaction, { name: 'Allowed', elements: [{ type: 'text', name: 'A' }] });
      await createType(transaction, {
        name: 'Allowing',
        elements: [{ type: 'modular_content', name: 'A', allowed_content_types: [{ codename: 'allowed' }] }],
      });
      await createItem(transaction, { name: 'One', type: { codename: 'used' } });
    });
    const error = await failure(() =>
      bench.run((transaction) => deleteType(transaction, { codename: 'used' })),
    );
    expect([error.status, error.code]).to.deep.equal([400, 0]);
    await bench.run((transaction) => deleteItem(transaction, { codename: 'one' }));
    await bench.run((transaction) => deleteType(transaction, { codename: 'used' }));
    await bench.run((transaction) => deleteType(transaction, { codename: 'allowed' }));
    const allowing = await bench.run(async (transaction) => transaction.model.typeByCodename.get('allowing'));
    expect(allowing?.elements[0], 'what is gone is allowed no more').not.to.have.property(
      'allowed_content_types',
    );
    expect((await failure(() => bench.run((s) => deleteType(s, { codename: 'allowed' })))).code).to.equal(
      101,
    );
  });

  it('keeps terms with an id and marks the types of the group', async () => {
    const [group, type] = await bench.run(async (transaction) => {
      const places = await createTaxonomy(transaction, {
        name: 'Places',
        terms: [
          { name: 'Sea', external_id: 'sea' },
          { name: 'Land', terms: [{ name: 'Hill' }] },
        ],
      });
      const trip = await createType(transaction, {
        name: 'Trip',
        elements: [{ type: 'taxonomy', taxonomy_group: { codename: 'places' } }],
      });
      return [places, trip] as const;
    });
    const hill = group.termByCodename.get('hill');
    const changed = await bench.run((transaction) =>
      updateTaxonomy(
        transaction,
        { codename: 'places' },
        {
          terms: [{ id: hill?.id ?? '', name: 'Mountain', terms: [{ name: 'Hill' }] }],
        },
      ),
    );
    expect(changed.termByCodename.get('mountain')?.id).to.equal(hill?.id);
    expect(changed.termByCodename.get('hill')?.id).to.not.equal(hill?.id);
    expect(await stale()).to.include(`2:${type.number}`);
    const used = await failure(() =>
      bench.run((transaction) => archiveTaxonomy(transaction, { codename: 'places' })),
    );
    expect(used.message).to.contain('trip');
    await bench.run((transaction) => deleteType(transaction, { codename: 'trip' }));
    await bench.run((transaction) => archiveTaxonomy(transaction, { codename: 'places' }));
    const back = await bench.run((transaction) => restoreTaxonomy(transaction, group.id));
    expect(back.terms).to.deep.equal(changed.terms);
  });

  it('allows fallbacks of languages without cycles', async () => {
    await bench.run(async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await createLanguage(transaction, {
        name: 'Austrian',
        codename: 'de-AT',
        fallback_language: { codename: 'de' },
      });
      await createLanguage(transaction, { name: 'Alone', codename: 'xx', fallback_language: null });
    });
    const { languageByCodename, defaultLanguage } = await bench.run(async (transaction) => transaction.model);
    expect(languageByCodename.get('de')?.fallback).to.equal(defaultLanguage.id);
    expect(languageByCodename.get('xx')?.fallback).to.equal(null);
    expect([...languageByCodename.values()].map((language) => language.ordinal)).to.deep.equal([0, 1, 2, 3]);
    for (const change of [
      () =>
        bench.run((s) => updateLanguage(s, { codename: 'de' }, { fallback_language: { codename: 'de-AT' } })),
      () => bench.run((s) => updateLanguage(s, { codename: 'en' }, { is_active: false })),
      () =>
        bench.run((s) => updateLanguage(s, { codename: 'en' }, { fallback_language: { codename: 'de' } })),
      () =>
        bench.run((s) => updateLanguage(s, { codename: 'de' }, { fallback_language: { codename: 'yy' } })),
    ]) {
      expect((await failure(change)).code).to.equal(0);
    }
    expect(
      (await failure(() => bench.run((s) => createLanguage(s, { name: 'X', codename: 'de' })))).code,
    ).to.equal(5);
  });

  it('replaces the sitemap and keeps nodes with an id', async () => {
    const first = await bench.run((transaction) =>
      replaceSitemap(transaction, [{ name: 'Home', nodes: [{ name: 'News' }] }]),
    );
    const news = first[0]?.nodes[0];
    const second = await bench.run((transaction) =>
      replaceSitemap(transaction, [{ id: news?.id ?? '', name: 'Latest' }, { name: 'News' }]),
    );
    expect(second[0]).to.include({ id: news?.id, codename: 'latest' });
    expect(second[1]?.codename).to.equal('news');
    expect(second[1]?.id).to.not.equal(news?.id);
    expect(await stale()).to.have.length(1);
  });

  it('keeps nodes of the sitemap by codename, and the id that a new node brings', async () => {
    const [home] = await bench.run((s) =>
      replaceSitemap(s, [{ name: 'Home', codename: 'home', nodes: [{ name: 'News', codename: 'news' }] }]),
    );
    const id = '44444444-4444-4444-8444-444444444444';
    const again = await bench.run((s) =>
      replaceSitemap(s, [
        { name: 'News', codename: 'news', nodes: [{ name: 'Start', codename: 'home' }] },
        { id: id.toUpperCase(), name: 'New' },
      ]),
    );
    expect(again[0]?.id).to.equal(home?.nodes[0]?.id);
    expect(again[0]?.nodes[0]).to.include({ id: home?.id, name: 'Start' });
    expect(again[1]).to.include({ id, codename: 'new' });
    // The id says which node it is; the codename is taken from the other.
    const swapped = await bench.run((s) =>
      replaceSitemap(s, [
        { id, name: 'New', codename: 'news' },
        { name: 'Home', codename: 'home' },
      ]),
    );
    expect(swapped.map((node) => node.id)).to.deep.equal([id, home?.id]);
    const refused = await failure(() => bench.run((s) => replaceSitemap(s, [{ id: 'x', name: 'A' }])));
    expect(refused.validationErrors).to.deep.equal([
      { message: 'The id must be a GUID.', path: 'nodes[0].id' },
    ]);
    const twice = await failure(() =>
      bench.run((s) =>
        replaceSitemap(s, [
          { id, name: 'A' },
          { id, name: 'B' },
        ]),
      ),
    );
    expect(twice.validationErrors?.map(({ path }) => path)).to.include('nodes[1]');
    const added = '55555555-5555-4555-8555-555555555555';
    const node = (name: string) => ({ id: added, name, external_id: name });
    const addedTwice = await failure(() => bench.run((s) => replaceSitemap(s, [node('one'), node('two')])));
    expect(addedTwice.validationErrors).to.deep.equal([
      { message: 'The same object is given twice.', path: 'nodes[1]' },
    ]);
  });

  it('reports what is wrong with bodies of any shape', async () => {
    const deep = JSON.parse(`${'{"name":"a","terms":['.repeat(5000)}${']}'.repeat(5000)}`);
    for (const work of [
      () => bench.run((s) => createType(s, { name: 5, elements: 'x' } as never)),
      () => bench.run((s) => createType(s, { name: 'A', elements: [null] } as never)),
      () => bench.run((s) => createType(s, { name: 'A', elements: [{}] } as never)),
      () =>
        bench.run((s) =>
          createType(s, {
            name: 'A',
            elements: [{ type: 'rich_text', name: 1, codename: 2, allowed_content_types: 3, guidelines: {} }],
          } as never),
        ),
      () =>
        bench.run((s) =>
          createType(s, {
            name: 'A',
            elements: [{ type: 'multiple_choice', name: 'B', mode: [], options: [{ name: {} }] }],
          } as never),
        ),
      () => bench.run((s) => createSnippet(s, { elements: {} } as never)),
      () => bench.run((s) => createTaxonomy(s, { name: 'A', terms: [5] } as never)),
      () => bench.run((s) => createTaxonomy(s, deep)),
      () => bench.run((s) => replaceSitemap(s, 'x' as never)),
      () => bench.run((s) => replaceSitemap(s, [{ name: 'A', nodes: 4 }] as never)),
      () => bench.run((s) => createLanguage(s, { name: null, codename: 7, external_id: [] } as never)),
      () =>
        bench.run((s) =>
          createItem(s, { name: [], type: 5, sitemap_locations: {}, codename: 4, external_id: 3 } as never),
        ),
    ]) {
      expect((await failure(work)).code, work.toString()).to.equal(5);
    }
  });
});
