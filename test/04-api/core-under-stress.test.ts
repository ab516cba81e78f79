import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createTaxonomy, updateTaxonomy } from '../../core/content/taxonomies.ts';
import { createType, updateType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { CoreAnswer } from '../../core/contract.ts';
import type { ElementInput, Reference } from '../../core/model/inputs.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { failure } from '../support/failure.ts';
import { longTest } from '../support/long-form.ts';
import { VENDOR } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';

const DEFAULT = { codename: 'default' };
const COMPONENT = '11111111-2222-4333-8444-555555555555';

interface Listing {
  readonly items: readonly { readonly system: { readonly codename: string } }[];
}

describe('core under stress', () => {
  let folder: string;
  let core: RunningCore;
  let project: string;
  let errors: string[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-stress-'));
    core = await open('service');
    project = await newProject();
    await change(createContent);
    for (const name of ['alpha', 'beta', 'gamma']) await publish(name, [element('title', name)]);
  });

  after(async () => {
    await core.close();
    await rm(folder, { recursive: true, force: true });
  });

  function open(mediaType: string): Promise<RunningCore> {
    errors = [];
    const log = { info() {}, warn() {}, error: (_fields: object, text: string) => void errors.push(text) };
    return openCore({ dataDir: folder, vendor: { ...VENDOR, mediaType }, log });
  }

  async function newProject(): Promise<string> {
    const made = await core.operations.installation(null, (to) => createProject(to, { name: 'Stress' }));
    return made.id;
  }

  const change = <T>(work: (transaction: ProjectTransaction) => Promise<T>, of = project) =>
    core.operations.inProject(of, null, work);

  const element = (codename: string, value: unknown, more: object = {}): ElementInput => ({
    element: { codename },
    value,
    ...more,
  });

  function publish(name: string, elements: readonly ElementInput[], places: readonly Reference[] = []) {
    return change(async (transaction) => {
      await createItem(transaction, { name, type: { codename: 'note' }, sitemap_locations: places });
      await upsertVariant(transaction, { codename: name }, DEFAULT, { elements });
      await publishVariant(transaction, { codename: name }, DEFAULT);
    });
  }

  async function read(path: string, query = '', of = project) {
    const answer: CoreAnswer = await core.handle({
      surface: 'delivery',
      method: 'GET',
      path: `/${of}${path}`,
      query,
      headers: {},
      bases: { self: 'http://delivery.test', assets: 'http://assets.test' },
      principal: { kind: 'anonymous' },
      requestId: 'test',
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body ?? []) chunks.push(chunk);
    return { etag: answer.headers['etag'], text: Buffer.concat(chunks).toString() };
  }

  async function codenames(query: string, of = project): Promise<string[]> {
    const { text } = await read('/items', query, of);
    return (JSON.parse(text) as Listing).items.map((item) => item.system.codename);
  }

  it('answers filters with 40,000 values', async () => {
    const many = Array.from({ length: 40_000 }, (_, index) => `x${index}`).join(',');
    for (const attribute of ['system.name', 'system.codename', 'system.id', 'elements.title'])
      expect(await codenames(`${attribute}[in]=${many}`), attribute).to.deep.equal([]);
    expect(await codenames(`system.codename[in]=${many},beta`)).to.deep.equal(['beta']);
    expect(await codenames(`elements.title[in]=${many},gamma,alpha`)).to.deep.equal(['alpha', 'gamma']);
    expect(await codenames(`elements.title[nin]=${many},gamma`)).to.include.members(['alpha', 'beta']);
  });

  it('refuses more filters than a statement can hold, and answers as many as it accepts', async () => {
    const filters = (count: number) =>
      Array.from({ length: count }, () => 'elements.title[gte]=beta').join('&');
    expect(await codenames(filters(200))).to.deep.equal(['beta', 'gamma']);
    for (const query of [filters(201), filters(10_000), `elements.topics[all]=${'a,'.repeat(300)}a`])
      expect(await failure(() => read('/items', query))).to.include({ status: 400, code: 2 });
  });

  longTest('orders over hundreds of types in many languages, with many filters too', async () => {
    const wide = await newProject();
    await change(async (transaction) => {
      for (const [index, codename] of ['fr', 'de', 'it', 'es'].entries())
        await createLanguage(transaction, {
          name: codename,
          codename,
          ...(index === 0 ? {} : { fallback_language: { codename: ['fr', 'de', 'it'][index - 1] ?? '' } }),
        });
      for (let index = 0; index < 110; index++) {
        const elements = [{ type: 'text', name: 'Title' }];
        const type = await createType(transaction, { name: `Type ${index}`, elements });
        if (index % 10 !== 0) continue;
        const { codename } = await createItem(transaction, {
          name: `n${999 - index}`,
          type: { id: type.id },
        });
        await upsertVariant(transaction, { codename }, DEFAULT, { elements: [element('title', 'x')] });
        await publishVariant(transaction, { codename }, DEFAULT);
      }
    }, wide);
    const byName = await codenames('', wide);
    expect(byName).to.have.length(11);
    const order = 'language=es&order=system.name[desc]';
    expect(await codenames(order, wide)).to.deep.equal([...byName].reverse());
    const filters = Array.from({ length: 100 }, (_, index) => `system.name[neq]=x${index}`).join('&');
    expect(await codenames(`${order}&${filters}`, wide)).to.deep.equal([...byName].reverse());
    // No item has a value, so all are ties.
    const title = `language=es&order=elements.title[desc]&${filters}`;
    expect(await codenames(title, wide)).to.deep.equal(byName);
  });

  it('changes the tag after a write without changes and another with some', async () => {
    await change(async () => {});
    const before = await read('/items', 'limit=1');
    await change((transaction) =>
      updateItem(transaction, { codename: 'alpha' }, { name: 'alpha', codename: 'alpha_1' }),
    );
    expect((await read('/items', 'limit=1')).etag).to.not.equal(before.etag);
  });

  it('treats values of deleted options, terms and sitemap nodes as empty', async () => {
    const option = [{ codename: 'one' }];
    const values = [element('kind', option), element('topics', [{ codename: 'a' }])];
    const links = element('related', [{ external_id: 'to come' }]);
    await publish('delta', [element('title', 'delta'), ...values, links], [{ codename: 'home' }]);
    expect(await codenames('elements.related[nempty]')).to.deep.equal([]);
    await change((transaction) =>
      createItem(transaction, { name: 'came', type: { codename: 'note' }, external_id: 'to come' }),
    );
    await core.operations.settled();
    expect(await codenames('elements.related[nempty]')).to.deep.equal(['delta']);
    const attributes = ['elements.kind', 'elements.topics', 'system.sitemap_locations'];
    for (const attribute of attributes)
      expect(await codenames(`${attribute}[nempty]`), attribute).to.deep.equal(['delta']);
    await change(async (transaction) => {
      const { elements } = transaction.model.typeByCodename.get('note') ?? { elements: [] };
      const changed = elements.map((one) =>
        one.type === 'multiple_choice' ? { ...one, options: one.options.slice(1) } : one,
      );
      await updateType(transaction, { codename: 'note' }, { elements: changed });
      await updateTaxonomy(transaction, { codename: 'topics' }, { terms: [] });
      await replaceSitemap(transaction, []);
    });
    const during = await read('/items', 'elements.kind[empty]');
    await core.operations.settled();
    for (const attribute of attributes) {
      expect(await codenames(`${attribute}[nempty]`), attribute).to.deep.equal([]);
      expect(await codenames(`${attribute}[empty]`), attribute).to.include('delta');
    }
    const after = await read('/items', 'elements.kind[empty]');
    expect(after.etag === during.etag).to.equal(after.text === during.text);
  });

  it('recompiles what recompiling made stale', async () => {
    await publish('target', [element('title', 'target'), element('slug', 'here')]);
    const { item } = JSON.parse((await read('/items/target')).text);
    const link = `<p><a data-item-id="${item.system.id}" href="">there</a></p>`;
    await publish('linking', [element('body', link)]);
    expect((await read('/items/linking')).text).to.include('"url_slug":"here"');
    await change(async (transaction) => {
      const { elements } = transaction.model.typeByCodename.get('note') ?? { elements: [] };
      const rest = elements.filter((one) => one.type !== 'url_slug');
      await updateType(transaction, { codename: 'note' }, { elements: rest });
    });
    await core.operations.settled();
    expect((await read('/items/linking')).text).to.include('"url_slug":""');
    expect(await core.operations.storage.sql.all('SELECT * FROM pending')).to.deep.equal([]);
  });

  longTest('streams linked items that are too many to hold', async () => {
    const long = 'x'.repeat(90_000);
    const names = Array.from({ length: 100 }, (_, index) => `long ${index}`);
    await change(async (transaction) => {
      const links = names.map((_, index) => ({ external_id: `long-${index}` }));
      const made = [
        ...names.map((name, index) => [name, `long-${index}`]),
        ['hub', 'hub'],
        ['entry', 'entry'],
      ];
      for (const [name = '', external_id = ''] of made)
        await createItem(transaction, { name, type: { codename: 'note' }, external_id });
      for (const { external_id } of links) {
        const back = element('related', [{ external_id: 'hub' }]);
        await upsertVariant(transaction, { external_id }, DEFAULT, {
          elements: [element('title', long), back],
        });
        await publishVariant(transaction, { external_id }, DEFAULT);
      }
      const pairs = [
        ['hub', links],
        ['entry', [{ external_id: 'hub' }]],
      ] as const;
      for (const [external_id, to] of pairs) {
        await upsertVariant(transaction, { external_id }, DEFAULT, { elements: [element('related', to)] });
        await publishVariant(transaction, { external_id }, DEFAULT);
      }
    });
    const content = async (path: string, query: string) =>
      Object.keys(JSON.parse((await read(path, query)).text).modular_content).sort();
    const all = [...names.map((name) => name.replace(' ', '_')), 'hub'].sort();
    expect(await content('/items/entry', 'depth=3')).to.deep.equal(all);
    expect(await content('/items/entry', 'depth=2&elements=related,title')).to.deep.equal(all);
    expect(await content('/items', 'system.codename=entry&depth=9')).to.deep.equal(all);
    expect(await content('/items/entry', 'depth=3&elements=title')).to.deep.equal([]);
  });

  it('refuses the same component in two places of an item', async () => {
    const text = `<object type="application/service" data-type="component" data-id="${COMPONENT}"></object>`;
    const component = (elements: readonly ElementInput[]) => ({
      components: [{ id: COMPONENT, type: { codename: 'note' }, elements }],
    });
    const inside = element('body', text, component([]));
    const twice = [inside, element('more', text, component([]))];
    for (const elements of [twice, [element('body', text, component([inside]))]])
      expect(await failure(() => publish('epsilon', elements))).to.include({ status: 400, code: 5 });
    await publish('epsilon', [inside]);
  });

  it('acknowledges a write though a listener of the feed throws', async () => {
    const received: number[] = [];
    const stops = [
      core.feed.subscribe(() => {
        throw new Error('no');
      }),
      core.feed.subscribe(({ sequence }) => received.push(sequence)),
    ];
    await publish('zeta', []);
    for (const stop of stops) stop();
    expect(received).to.have.length(1);
    expect(errors).to.have.length(1);
  });

  it('shows the media type of the settings it was started with', async () => {
    const media = async () => (await read('/items/epsilon')).text.match(/application\/\w+/g);
    expect(await media()).to.deep.equal(['application/service']);
    const { etag } = await read('/items/epsilon');
    await core.close();
    core = await open('vendor');
    expect(await media()).to.deep.equal(['application/vendor']);
    await core.operations.settled();
    expect(await media()).to.deep.equal(['application/vendor']);
    expect((await read('/items/epsilon')).etag).to.not.equal(etag);
  });
});

async function createContent(transaction: ProjectTransaction): Promise<void> {
  await createTaxonomy(transaction, { name: 'Topics', terms: [{ name: 'A' }] });
  await replaceSitemap(transaction, [{ name: 'Home' }]);
  await createType(transaction, {
    name: 'Note',
    elements: [
      { type: 'text', name: 'Title' },
      { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'title' } } },
      {
        type: 'multiple_choice',
        name: 'Kind',
        mode: 'multiple',
        options: [{ name: 'One' }, { name: 'Two' }],
      },
      { type: 'taxonomy', name: 'Topics', taxonomy_group: { codename: 'topics' } },
      { type: 'modular_content', name: 'Related' },
      { type: 'rich_text', name: 'Body' },
      { type: 'rich_text', name: 'More' },
    ],
  });
}
