import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createCore, type RunningCore } from '../../core/compose/create-core.ts';
import type { ElementChange } from '../../core/content/element-definitions.ts';
import { createItem, deleteItem, restoreItem, updateItem } from '../../core/content/items.ts';
import { updateType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { newCallTiming } from '../../core/contract.ts';
import { generate } from '../../core/generate/generate.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';

const LANGUAGE = { codename: 'default' };

interface Listing {
  readonly items: readonly {
    readonly system: { readonly id: string; readonly codename: string };
    readonly elements: Readonly<Record<string, { readonly value: unknown }>>;
  }[];
  readonly modular_content: Readonly<Record<string, unknown>>;
}

/** On SQLite; `following-cores` has pages of two cores on PostgreSQL. */
describe('pages of listings and items that core remembers', () => {
  let folder: string;
  let core: RunningCore;
  let project: string;
  let writes = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-remembered-'));
    core = await createCore({
      dataDir: folder,
      vendor: { header: ['SVC'], mediaType: 'service' },
      log: { info() {}, warn() {}, error() {} },
    });
    project = (await generate(core.operations, { items: 120 })).project;
  });

  after(async () => {
    await core.close();
    await rm(folder, { recursive: true, force: true });
  });

  // Pages are not remembered while documents are compiled again.
  afterEach(() => core.operations.settled());

  /** The bytes of an answer, and whether the database was read for it. */
  async function ask(path: string, query: string) {
    const timing = newCallTiming();
    const answer = await core.handle({
      surface: 'delivery',
      method: 'GET',
      path: `/${project}/${path}`,
      query,
      headers: {},
      bases: { self: 'https://delivery.example', assets: 'https://assets.example' },
      principal: { kind: 'anonymous' },
      requestId: 'test',
      timing,
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body ?? []) pieces.push(piece);
    const { etag } = answer.headers;
    const text = Buffer.concat(pieces).toString();
    return { text, etag, tags: answer.tags, isRead: timing.database > 0 };
  }

  async function read(query: string) {
    const found = await ask('items', query);
    const { items, modular_content: linked } = JSON.parse(found.text) as Listing;
    return { ...found, items, linked };
  }

  /** The same, requested until core remembers it. */
  async function readRemembered(query: string) {
    for (let time = 0; time < 2; time++) await read(query);
    const page = await read(query);
    expect(page.isRead, query).to.equal(false);
    return page;
  }

  const change = (work: (transaction: ProjectTransaction) => Promise<unknown>) =>
    core.operations.inProject(project, null, work);

  async function republish(codename: string): Promise<string> {
    const title = `Written ${++writes}`;
    const item = { codename };
    await change(async (transaction) => {
      await newVersion(transaction, item, LANGUAGE);
      const elements = [{ element: { codename: 'title' }, value: title }];
      await upsertVariant(transaction, item, LANGUAGE, { elements });
      await publishVariant(transaction, item, LANGUAGE);
    });
    return title;
  }

  const rename = (codename: string, to: string) =>
    change((transaction) => updateItem(transaction, { codename }, { name: to, codename: to }));

  const create = (codename: string) =>
    core.operations.inProject(project, null, (transaction) =>
      createItem(transaction, { name: codename, codename, type: { codename: 'article' } }),
    );

  const publish = (codename: string) =>
    change(async (transaction) => {
      await upsertVariant(transaction, { codename }, LANGUAGE, { elements: [] });
      await publishVariant(transaction, { codename }, LANGUAGE);
    });

  for (const query of [
    'system.type=article&limit=5',
    'system.type=article&limit=20&depth=2&includeTotalCount',
    'system.type=article&limit=5&elements=title,related',
    'order=elements.title[desc]&skip=3&limit=4',
    'order=elements.title&skip=600&limit=4&includeTotalCount',
    'system.type=article&elements.rank[lt]=0',
  ]) {
    it(`are answered as they were read: ${query}`, async () => {
      const first = await read(query);
      expect(first.isRead).to.equal(true);
      const { isRead: _, ...remembered } = await readRemembered(query);
      expect({ ...remembered, isRead: true }).to.deep.equal(first);
    });
  }

  it('are read again when an item that they show was published', async () => {
    const query = 'system.type=article&limit=5&order=system.id';
    const [item] = (await readRemembered(query)).items;
    const title = await republish(item!.system.codename);
    const after = await read(query);
    expect(after.isRead).to.equal(true);
    expect(after.text).to.include(title);
    expect((await readRemembered(query)).text).to.equal(after.text);
  });

  it('are read again when an item that they only link to was published', async () => {
    const query = 'system.type=article&limit=1&elements=related&depth=1&order=system.name';
    const [linked] = Object.keys((await readRemembered(query)).linked);
    await republish(linked!);
    expect((await read(query)).isRead).to.equal(true);
  });

  it('are read again when an item of the type is no longer public', async () => {
    const query = 'system.type=article&limit=5&order=system.codename';
    const [item] = (await readRemembered(query)).items;
    const { codename } = item!.system;
    await change((transaction) => unpublishVariant(transaction, { codename }, LANGUAGE));
    expect((await read(query)).items.map(({ system }) => system.codename)).not.to.include(codename);
    await change((transaction) => publishVariant(transaction, { codename }, LANGUAGE));
    expect((await read(query)).items[0]?.system.codename).to.equal(codename);
  });

  it('are read again when an item that a filter names gets another codename', async () => {
    const [shown] = (await read('system.type=article&limit=1&elements=related&order=system.name')).items;
    const [related] = shown!.elements['related']!.value as string[];
    const filters = `system.type=article&elements.related[contains]=${related}`;
    const before = await readRemembered(filters);
    expect(before.items.map(({ system }) => system.codename)).to.include(shown!.system.codename);
    await rename(related!, 'renamed');
    expect((await read(filters)).items).to.deep.equal([]);
    await core.operations.settled();
    const renamed = await readRemembered('system.type=article&elements.related[contains]=renamed');
    expect(renamed.items.map(({ system }) => system.codename)).to.deep.equal(
      before.items.map(({ system }) => system.codename),
    );
    // Another item has its former codename.
    await rename(shown!.system.codename, related!);
    const others = await read(filters);
    expect(others.items).not.to.deep.equal(before.items);
    for (const { elements } of others.items) expect(elements['related']!.value).to.include(related);
    await core.operations.settled();
    expect((await readRemembered(filters)).text).to.equal(others.text);
  });

  it('are read again when the item that an id names gets another codename', async () => {
    const [item] = (await read('system.type=article&limit=1&order=system.name[desc]')).items;
    const query = `system.id=${item!.system.id}`;
    await readRemembered(query);
    await rename(item!.system.codename, 'renamed_by_id');
    const [renamed] = (await read(query)).items;
    expect(renamed?.system.codename).to.equal('renamed_by_id');
  });

  it('are read again when an item without content gets another codename, and content', async () => {
    const { id } = await create('without_content');
    const query = `system.id=${id}&depth=0`;
    expect((await readRemembered(query)).items).to.deep.equal([]);
    await rename('without_content', 'with_content');
    await publish('with_content');
    expect((await read(query)).items.map(({ system }) => system.codename)).to.deep.equal(['with_content']);
  });

  it('are read again when an archived item loses its codename to a new one and is restored', async () => {
    const { id } = await create('archived');
    await publish('archived');
    await change((transaction) => deleteItem(transaction, { id }));
    const query = `system.id=${id}&depth=0`;
    expect((await readRemembered(query)).items).to.deep.equal([]);
    await create('archived');
    await change((transaction) => restoreItem(transaction, id));
    expect((await read(query)).items.map(({ system }) => system.id)).to.deep.equal([id]);
  });

  it('of one item are read again when it, or what it links to, was published', async () => {
    const query = 'system.type=article&limit=1&elements=related&depth=1&order=system.name';
    const { items, linked } = await read(query);
    const { codename } = items[0]!.system;
    const one = () => ask(`items/${codename}`, 'elements=related,title&depth=1');
    const first = await one();
    expect(first.isRead).to.equal(true);
    await one();
    expect(await one()).to.deep.equal({ ...first, isRead: false });
    for (const changed of [codename, Object.keys(linked)[0]!]) {
      const title = await republish(changed);
      const after = await one();
      expect(after.isRead).to.equal(true);
      expect(after.text).to.include(title);
      await one();
      expect(await one()).to.deep.equal({ ...after, isRead: false });
    }
    await change((transaction) => unpublishVariant(transaction, { codename }, LANGUAGE));
    expect(await failureOf(one())).to.equal(`The requested content item '${codename}' was not found.`);
    await change((transaction) => publishVariant(transaction, { codename }, LANGUAGE));
    expect((await one()).isRead).to.equal(true);
  });

  it('of an item that is missing are read again when it is published', async () => {
    const one = () => ask('items/not_yet', 'depth=0');
    for (let time = 0; time < 3; time++) expect(await failureOf(one())).to.include("'not_yet' was not found");
    await create('not_yet');
    await publish('not_yet');
    expect((await one()).text).to.include('"codename":"not_yet"');
    await rename('not_yet', 'no_longer');
    expect(await failureOf(one())).to.include("'not_yet' was not found");
  });

  it('are kept while items of other types are published', async () => {
    const query = 'system.type=article&limit=5&depth=0';
    const before = await readRemembered(query);
    const [other] = (await read('system.type[neq]=article&limit=1')).items;
    await republish(other!.system.codename);
    const after = await read(query);
    expect(after.isRead).to.equal(false);
    expect(after.text).to.equal(before.text);
  });

  it('are read again when the model changed', async () => {
    const query = 'system.type=article&limit=5&skip=1';
    const before = await readRemembered(query);
    await change((transaction) => renameTitle(transaction, 'A new name of titles'));
    const after = await read(query);
    expect(after.isRead).to.equal(true);
    expect(after.text).not.to.equal(before.text);
    expect(after.text).to.include('A new name of titles');
    await core.operations.settled();
    expect((await readRemembered(query)).text).to.equal(after.text);
  });

  it('are the ones before or after a commit that is under way', async () => {
    const query = 'system.type=article&limit=5&order=system.name[desc]';
    const [item] = (await readRemembered(query)).items;
    for (let round = 0; round < 20; round++) {
      let isPublished = false;
      const published = republish(item!.system.codename).then((title) => {
        isPublished = true;
        return title;
      });
      let last = '';
      while (!isPublished) {
        last = (await read(query)).text;
        // What is remembered takes no turn of the event loop.
        await nextTurn();
      }
      expect((await read(query)).text).to.include(await published);
      expect(last).to.include('Written ');
    }
  });
});

const failureOf = (failing: Promise<unknown>) =>
  failing.then(
    () => 'none',
    (error: Error) => error.message,
  );

async function renameTitle(transaction: ProjectTransaction, name: string): Promise<void> {
  const type = transaction.model.types.find(({ codename }) => codename === 'article')!;
  const elements = type.elements.map((element) =>
    element.codename === 'title' ? { ...element, name } : element,
  ) as unknown as ElementChange[];
  await updateType(transaction, { id: type.id }, { elements });
}
