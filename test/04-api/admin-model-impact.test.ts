/** What a change of the model affects, counted before it is made, against cases worked out by hand; on both databases. */
import '../support/database/postgres-programs.ts';
import { expect } from 'chai';
import { createAsset } from '../../core/assets/assets.ts';
import { createItem, deleteItem, updateItem } from '../../core/content/items.ts';
import { createLanguage, updateLanguage } from '../../core/content/languages.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createSnippet } from '../../core/content/snippets.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { storeFile } from '../support/projects/store-file.ts';

interface Impact {
  readonly elements: readonly {
    readonly codename: string;
    readonly change: string;
    readonly items: number | null;
    readonly breaking: readonly {
      readonly rule: string;
      readonly items: number;
      readonly is_complete: boolean;
    }[];
  }[];
  readonly removed: readonly { readonly codename: string; readonly items: number }[];
  readonly codenames: readonly {
    readonly kind: string;
    readonly before: string;
    readonly after: string | null;
  }[];
  readonly items: number;
  readonly items_with_components: number;
  readonly archived_items: number;
  readonly documents: number;
  readonly requests: { readonly by_codename: null; readonly calls: number | null };
  readonly languages: readonly {
    readonly language: { readonly codename: string };
    readonly before: object;
    readonly after: object;
  }[];
}

const COMPONENT = '0badcafe-0000-4000-8000-000000000001';
const en = { codename: 'en' };
const de = { codename: 'de' };
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const component = (title: string, type = 'article') => ({
  element: { codename: 'body' },
  value: `<p>x</p><object type="application/service" data-type="component" data-id="${COMPONENT}"></object>`,
  components: [
    {
      id: COMPONENT,
      type: { codename: type },
      elements: [{ element: { codename: 'title' }, value: title }],
    },
  ],
});

interface Article {
  readonly title: string;
  readonly german?: string;
  readonly body?: string;
  readonly state?: readonly string[];
  readonly topics?: readonly string[];
  readonly related?: readonly string[];
}

/** By codename: what articles have in English, and in German where there is a title. */
const ARTICLES: Readonly<Record<string, Article>> = {
  short: { title: 'Short', german: 'Kurz', state: ['new'], topics: ['north'], related: ['short'] },
  long: {
    title: 'A title of forty characters, not a longer',
    state: ['new', 'used'],
    topics: ['north', 'south'],
  },
  // Two units of UTF-16 for each of eleven characters.
  astral: { title: '𝒜'.repeat(11), related: ['memo', 'short'] },
  // Longer than what the index has of a text.
  cut: { title: words(60), german: words(70), body: `<p>${words(80)}</p>` },
  empty: { title: '' },
};

for (const engine of ['SQLite', 'PostgreSQL'])
  describe(`the impact of a change of the model, on ${engine}`, () => {
    let notes: NotesService;
    let database: Awaited<ReturnType<typeof postgresDatabase>> | undefined;
    const ids: Record<string, string> = {};

    before(async () => {
      database = engine === 'PostgreSQL' ? await postgresDatabase() : undefined;
      notes = await NotesService.start({
        environment: database?.url ? { HEADWATER_DATABASE_URL: database.url } : {},
      });
      await notes.note('Memo');
      await notes.run(async (transaction) => {
        const group = await createTaxonomy(transaction, {
          name: 'Topics',
          terms: [{ name: 'North', terms: [{ name: 'South' }] }, { name: 'West' }],
        });
        const snippet = await createSnippet(transaction, {
          name: 'Meta',
          elements: [{ type: 'text', name: 'Description' }],
        });
        const [home] = await replaceSitemap(transaction, [{ name: 'Home', nodes: [{ name: 'News' }] }]);
        const type = await createType(transaction, {
          name: 'Article',
          elements: [
            { type: 'text', name: 'Title' },
            { type: 'rich_text', name: 'Body' },
            {
              type: 'multiple_choice',
              name: 'State',
              mode: 'multiple',
              options: [{ name: 'New' }, { name: 'Used' }],
            },
            { type: 'taxonomy', name: 'Topics', taxonomy_group: { id: group.id } },
            { type: 'modular_content', name: 'Related' },
            { type: 'snippet', snippet: { id: snippet.id } },
          ],
        });
        Object.assign(ids, {
          group: group.id,
          snippet: snippet.id,
          type: type.id,
          home: home!.id,
          news: home!.nodes[0]!.id,
        });
        for (const [codename, article] of Object.entries<Article>(ARTICLES)) {
          await createItem(transaction, { name: codename, codename, type: { codename: 'article' } });
          const references = (of: readonly string[] = []) => of.map((one) => ({ codename: one }));
          const elements = (title: string) => [
            { element: { codename: 'title' }, value: title },
            { element: { codename: 'body' }, value: article.body ?? '' },
            { element: { codename: 'state' }, value: references(article.state) },
            { element: { codename: 'topics' }, value: references(article.topics) },
          ];
          await upsertVariant(transaction, { codename }, en, { elements: elements(article.title) });
          if (article.german)
            await upsertVariant(transaction, { codename }, de, { elements: elements(article.german) });
        }
        for (const [codename, { related = [] }] of Object.entries<Article>(ARTICLES))
          await upsertVariant(transaction, { codename }, en, {
            elements: [
              { element: { codename: 'related' }, value: related.map((one) => ({ codename: one })) },
            ],
          });
        await updateItem(
          transaction,
          { codename: 'short' },
          { name: 'short', sitemap_locations: [{ codename: 'news' }] },
        );
        for (const codename of ['short', 'long']) await publishVariant(transaction, { codename }, en);
        await publishVariant(transaction, { codename: 'short' }, de);
        await createType(transaction, {
          name: 'Page',
          elements: [
            { type: 'rich_text', name: 'Body' },
            { type: 'snippet', snippet: { id: snippet.id } },
          ],
        });
        for (const [codename, title] of [
          ['page_fine', 'fine'],
          ['page_long', words(12)],
          ['page_empty', ''],
        ] as const) {
          await createItem(transaction, { name: codename, codename, type: { codename: 'page' } });
          await upsertVariant(transaction, { codename }, en, { elements: [component(title)] });
        }
        await createItem(transaction, { name: 'Gone', codename: 'gone', type: { codename: 'article' } });
        await deleteItem(transaction, { codename: 'gone' });
      });
      await notes.service.core.operations.settled();
    });
    after(async () => {
      await notes?.stop();
      await database?.remove();
    });

    const impact = async (path: string, body: object): Promise<Impact> => {
      const answer = await notes.admin<Impact>('POST', `${path}/impact`, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      return answer.body;
    };
    const ofType = (...operations: object[]) => impact(`types/${ids['type']}`, { operations });
    const set = (element: string, property: string, value: unknown) => ({
      op: 'replace',
      path: `/elements/codename:${element}/${property}`,
      value,
    });
    /** Items that do not follow the one new rule. */
    const breaking = async (element: string, property: string, value: unknown) => {
      const { elements } = await ofType(set(element, property, value));
      expect(elements.map(({ codename }) => codename)).to.deep.equal([element]);
      expect(elements[0]!.breaking.map(({ rule, is_complete }) => [rule, is_complete])).to.deep.equal([
        [property, true],
      ]);
      return elements[0]!.breaking[0]!.items;
    };

    it('counts values, documents and codenames of an element that is renamed', async () => {
      const found = await ofType(set('title', 'name', 'Heading'));
      expect(found.elements).to.have.length(1);
      // All but `empty`.
      expect(found.elements[0]).to.include({ codename: 'heading', change: 'change', items: 4 });
      expect(found.codenames).to.deep.equal([{ kind: 'element', before: 'title', after: 'heading' }]);
      expect(found).to.include({ items: 5, items_with_components: 3, archived_items: 0 });
      // Seven variants of articles, with one version each, and three pages with components.
      expect(found.documents).to.equal(10);
      expect(found.requests).to.deep.include({ by_codename: null, calls: 0 });
      expect(
        (await notes.admin<Impact>('POST', `types/${ids['type']}/impact`, { operations: [] })).body,
      ).to.deep.include({ elements: [], codenames: [], documents: 0 });
    });

    it('changes nothing, and refuses what the change itself would be refused for', async () => {
      const read = async () =>
        (await notes.service.core.operations.read(notes.project, async ({ model }) => model)).sequence;
      const before = await read();
      await ofType({ op: 'remove', path: '/elements/codename:title' });
      const refused = await notes.admin<{ message: string }>('POST', `types/${ids['type']}/impact`, {
        operations: [set('nothing', 'name', 'x')],
      });
      expect(refused.status).to.equal(400);
      for (const body of [{}, { operations: 1 }, { operations: [1] }])
        expect((await notes.admin('POST', `types/${ids['type']}/impact`, body)).status).to.equal(400);
      expect((await notes.admin('POST', `types/${ids['group']}/impact`, { operations: [] })).status).to.equal(
        404,
      );
      expect(await read()).to.equal(before);
    });

    it('counts the values that are lost with an element, an option, a term and a location', async () => {
      const element = await ofType({ op: 'remove', path: '/elements/codename:topics' });
      expect(element.elements[0]).to.include({ codename: 'topics', change: 'remove', items: 2 });
      expect(element.codenames).to.deep.equal([{ kind: 'element', before: 'topics', after: null }]);
      const option = await ofType({ op: 'remove', path: '/elements/codename:state/options/codename:used' });
      expect(option.removed).to.have.length(1);
      expect(option.removed[0]).to.include({ kind: 'option', codename: 'used', items: 1 });
      expect(option.codenames).to.deep.equal([{ kind: 'option', before: 'used', after: null }]);
      const term = await impact(`taxonomies/${ids['group']}`, {
        operations: [{ op: 'remove', reference: { codename: 'north' } }],
      });
      expect(term.removed.map(({ codename, items }) => [codename, items])).to.deep.equal([
        ['north', 2],
        ['south', 1],
      ]);
      expect(term.documents).to.equal(10);
      const kept = await impact(`taxonomies/${ids['group']}`, {
        operations: [{ op: 'move', reference: { codename: 'south' }, before: { codename: 'north' } }],
      });
      expect(kept).to.deep.include({ removed: [], codenames: [] });
      const node = await impact('sitemap', { nodes: [{ id: ids['home'], name: 'Home' }] });
      expect(node.removed.map(({ codename, items }) => [codename, items])).to.deep.equal([['news', 1]]);
      expect((await notes.admin('POST', 'sitemap/impact', {})).status).to.equal(400);
    });

    it('counts the items that would break a limit, in every language and in components', async () => {
      // `long` and `cut`, in German as well, `astral` with eleven, and the page with twelve words in a component.
      expect(
        await breaking('title', 'maximum_text_length', { value: 10, applies_to: 'characters' }),
      ).to.equal(4);
      expect(
        await breaking('title', 'maximum_text_length', { value: 11, applies_to: 'characters' }),
      ).to.equal(3);
      expect(await breaking('title', 'maximum_text_length', { value: 8, applies_to: 'words' })).to.equal(2);
      expect(await breaking('title', 'maximum_text_length', { value: 60, applies_to: 'words' })).to.equal(1);
      // `empty` and a component.
      expect(await breaking('title', 'is_required', true)).to.equal(2);
      expect(await breaking('body', 'maximum_text_length', { value: 79, applies_to: 'words' })).to.equal(1);
      expect(await breaking('body', 'maximum_text_length', { value: 80, applies_to: 'words' })).to.equal(0);
      expect(await breaking('state', 'mode', 'single')).to.equal(1);
      expect(await breaking('topics', 'term_count_limit', { value: 1, condition: 'at_most' })).to.equal(1);
      // Those without terms, and all components.
      expect(await breaking('topics', 'term_count_limit', { value: 1, condition: 'at_least' })).to.equal(6);
      expect(await breaking('topics', 'term_count_limit', { value: 2, condition: 'exactly' })).to.equal(7);
      expect(await breaking('related', 'item_count_limit', { value: 1, condition: 'at_most' })).to.equal(1);
      expect(await breaking('related', 'allowed_content_types', [{ codename: 'article' }])).to.equal(1);
      expect(await breaking('related', 'allowed_content_types', [{ codename: 'note' }])).to.equal(2);
    });

    it('counts all items where an element is new and required, and none where a limit goes', async () => {
      const added = await ofType({
        op: 'addInto',
        path: '/elements',
        value: { type: 'text', name: 'Source', is_required: true },
      });
      expect(added.elements[0]).to.deep.include({ codename: 'source', change: 'add', items: 0 });
      // Five articles and three components.
      expect(added.elements[0]!.breaking).to.deep.equal([
        { rule: 'is_required', items: 8, is_complete: true },
      ]);
      const guidelines = await ofType(set('title', 'guidelines', 'Be brief'));
      expect(guidelines.elements).to.deep.equal([]);
      expect(guidelines.documents).to.equal(0);
    });

    it('counts the items of every type that has a snippet', async () => {
      const found = await impact(`snippets/${ids['snippet']}`, {
        operations: [
          set('description', 'is_required', true),
          set('description', 'codename', 'text'),
          { op: 'replace', path: '/codename', value: 'seo' },
        ],
      });
      expect(found.elements).to.have.length(1);
      expect(found.elements[0]).to.deep.include({ codename: 'seo__text', items: 0 });
      // Of the pages the item itself, as well as the component in it: once.
      expect(found.elements[0]!.breaking).to.deep.equal([
        { rule: 'is_required', items: 8, is_complete: true },
      ]);
      expect(found.codenames).to.deep.equal([
        { kind: 'element', before: 'meta__description', after: 'seo__text' },
      ]);
      expect(found.items).to.equal(8);
    });

    it('refuses to delete what is in use, with the reason', async () => {
      for (const [path, reason] of [
        [`types/${ids['type']}`, /still used by the item/],
        [`snippets/${ids['snippet']}`, /used by the types/],
        [`taxonomies/${ids['group']}`, /used by type 'article'/],
      ] as const) {
        const { status, body } = await notes.admin<{ message: string }>('POST', `${path}/impact`, {
          remove: true,
        });
        expect(status).to.equal(400);
        expect(body.message).to.match(reason);
      }
    });

    it('counts what readers of a language get when it or its fallback changes, and refuses what that would refuse', async () => {
      const german = await notes.service.core.operations.read(
        notes.project,
        async ({ model }) => model.languages.find(({ codename }) => codename === 'de')!,
      );
      const ofGerman = (property_name: string, value: unknown) =>
        impact(`languages/${german.id}`, { operations: [{ op: 'replace', property_name, value }] });
      const off = await ofGerman('is_active', false);
      expect(off.languages).to.have.length(1);
      expect(off.languages[0]).to.deep.include({
        before: { own: 1, fallback: 1 },
        after: { own: 0, fallback: 0 },
      });
      const alone = await ofGerman('fallback_language', { id: german.id });
      expect(alone.languages[0]).to.deep.include({
        before: { own: 1, fallback: 1 },
        after: { own: 1, fallback: 0 },
      });
      for (const [property_name, value] of [
        ['codename', 'en'],
        ['name', ''],
        ['fallback_language', { codename: 'unknown' }],
      ] as const) {
        const { status } = await notes.admin('POST', `languages/${german.id}/impact`, {
          operations: [{ op: 'replace', property_name, value }],
        });
        expect(status, property_name).to.equal(400);
      }
      const renamed = await ofGerman('codename', 'de-DE');
      expect(renamed.codenames).to.deep.equal([{ kind: 'language', before: 'de', after: 'de-DE' }]);
      expect(renamed).to.deep.include({ languages: [], documents: 2 });
    });

    it('counts documents with hyperlinks to the items, except where only elements are renamed', async () => {
      const rename = set('title', 'name', 'Heading');
      const codename = { op: 'replace', path: '/codename', value: 'post' };
      const before = [(await ofType(rename)).documents, (await ofType(codename)).documents];
      await notes.run(async (transaction) => {
        const linking = { codename: 'page_linking' };
        await createItem(transaction, { name: 'Linking', ...linking, type: { codename: 'page' } });
        const short = await transaction.tx.get<{ id: string }>(
          `SELECT id FROM item WHERE codename = 'short'`,
        );
        await upsertVariant(transaction, linking, en, {
          elements: [
            {
              element: { codename: 'body' },
              value: `<p><a data-item-id="${short?.id}" href="">there</a></p>`,
            },
          ],
        });
      });
      await notes.service.core.operations.settled();
      expect([(await ofType(rename)).documents, (await ofType(codename)).documents]).to.deep.equal([
        before[0],
        before[1]! + 1,
      ]);
    });

    it('counts an item once that breaks a limit in one language, and by a component in another', async () => {
      const story = await notes.run(async (transaction) => {
        const type = await createType(transaction, {
          name: 'Story',
          elements: [
            { type: 'text', name: 'Title' },
            { type: 'rich_text', name: 'Body' },
          ],
        });
        const title = (value: string) => ({ element: { codename: 'title' }, value });
        for (const [codename, english, german] of [
          ['both', [title('')], [title('Titel'), component('', 'story')]],
          ['own', [title('')], [title('Titel'), component('Titel', 'story')]],
          ['inner', [title('Title')], [title('Titel'), component('', 'story')]],
          ['neither', [title('Title')], [title('Titel'), component('Titel', 'story')]],
        ] as const) {
          await createItem(transaction, { name: codename, codename, type: { codename: 'story' } });
          await upsertVariant(transaction, { codename }, en, { elements: [...english] });
          await upsertVariant(transaction, { codename }, de, { elements: [...german] });
        }
        return type;
      });
      const { elements } = await impact(`types/${story.id}`, {
        operations: [set('title', 'is_required', true)],
      });
      expect(elements[0]!.breaking).to.deep.equal([{ rule: 'is_required', items: 3, is_complete: true }]);
    });

    it('counts no components in a language that is not active', async () => {
      const french = { codename: 'fr' };
      const leaflet = await notes.run(async (transaction) => {
        const type = await createType(transaction, {
          name: 'Leaflet',
          elements: [
            { type: 'text', name: 'Title' },
            { type: 'rich_text', name: 'Body' },
          ],
        });
        await createLanguage(transaction, { name: 'French', ...french });
        const codename = 'leaflet';
        await createItem(transaction, { name: 'Leaflet', codename, type: { codename } });
        await upsertVariant(transaction, { codename }, french, { elements: [component('', codename)] });
        return type;
      });
      const ofTitle = async () => {
        const found = await impact(`types/${leaflet.id}`, {
          operations: [set('title', 'is_required', true)],
        });
        return [found.items_with_components, found.elements[0]!.breaking[0]!.items];
      };
      expect(await ofTitle()).to.deep.equal([1, 1]);
      await notes.run((transaction) => updateLanguage(transaction, french, { is_active: false }));
      expect(await ofTitle()).to.deep.equal([0, 0]);
    });

    it('counts items with too few assets, also those without any, and all where the element is new', async () => {
      const album = await notes.run(async (transaction) => {
        const content = Buffer.from('An image');
        const { blobs } = notes.service.core.operations;
        const file = await storeFile(transaction, blobs, { name: 'a.txt', type: 'text/plain', content });
        const assets = [
          await createAsset(transaction, { file: file.id }),
          await createAsset(transaction, { file: file.id }),
        ];
        const type = await createType(transaction, {
          name: 'Album',
          elements: [{ type: 'asset', name: 'Images' }],
        });
        for (const count of [0, 1, 2]) {
          const codename = `album_${count}`;
          await createItem(transaction, { name: codename, codename, type: { codename: 'album' } });
          const value = assets.slice(0, count).map(({ id }) => ({ id }));
          await upsertVariant(transaction, { codename }, en, {
            elements: [{ element: { codename: 'images' }, value }],
          });
        }
        return type;
      });
      const ofAlbum = async (operation: object) => {
        const { elements } = await impact(`types/${album.id}`, { operations: [operation] });
        return elements[0]!.breaking.map(({ items }) => items);
      };
      for (const [condition, existing, added] of [
        ['at_least', 2, 3],
        ['exactly', 2, 3],
        ['at_most', 0, 0],
      ] as const) {
        const asset_count_limit = { value: 2, condition };
        expect(await ofAlbum(set('images', 'asset_count_limit', asset_count_limit))).to.deep.equal([
          existing,
        ]);
        const value = { type: 'asset', name: 'More', asset_count_limit };
        expect(await ofAlbum({ op: 'addInto', path: '/elements', value })).to.deep.equal([added]);
      }
    });

    it('counts the documents that the job then compiles, and reads how far it is', async () => {
      const { documents } = await ofType(set('state', 'name', 'Condition'));
      expect(
        await notes.manage('PATCH', `types/${ids['type']}`, [set('state', 'name', 'Condition')]),
      ).to.equal(200);
      await notes.service.core.operations.settled();
      const row = await notes.service.core.operations.storage.sql.get<{ documents: number }>(
        `SELECT count(*) AS documents FROM document d JOIN project p ON p.number = d.project
         WHERE p.id = ? AND (d.body LIKE '%"Condition"%' OR d.components LIKE '%"Condition"%')`,
        [notes.project],
      );
      expect(row!.documents).to.equal(documents);
      expect((await notes.admin('GET', 'recompilation')).body).to.deep.equal({ jobs: [] });
    });
  });
