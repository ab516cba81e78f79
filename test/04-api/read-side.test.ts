import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { updateItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { updateSnippet } from '../../core/content/snippets.ts';
import { updateTaxonomy } from '../../core/content/taxonomies.ts';
import { updateType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { ServiceError } from '../../core/errors.ts';
import { generate } from '../../core/generate/generate.ts';
import type { ElementInput, Reference } from '../../core/model/inputs.ts';
import type { ElementDefinition } from '../../core/model/model.ts';
import { VARIANT_STATES } from '../../core/model/variant-state.ts';
import { discardDraft } from '../../core/publishing/discard-draft.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../core/publishing/publish.ts';
import { markStale } from '../../core/read-model/mark-stale.ts';
import { USE } from '../../core/storage/stale.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { isLongForm } from '../support/long-form.ts';
import { readTagged } from '../support/projects/tagged-answers.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';

const ITEMS = 400;
const DEFAULT = { codename: 'default' };
const TRANSLATION = { codename: 'translation' };

interface Shown {
  readonly system: { readonly codename: string; readonly type: string };
  readonly elements: Readonly<Record<string, { readonly name: string; readonly value: unknown }>>;
}
interface Listing {
  readonly items: readonly Shown[];
  readonly modular_content: Readonly<Record<string, Shown>>;
}

describe('the compiled read side', () => {
  let folder: string;
  let database: TestDatabase;
  let core: RunningCore;
  let project: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-read-side-'));
    database = await testDatabase();
    core = await open();
    project = (await generate(core.operations, { items: ITEMS })).project;
  });

  after(async () => {
    await core.close();
    await rm(folder, { recursive: true, force: true });
    await database.remove();
  });

  function open(): Promise<RunningCore> {
    return openCore({
      dataDir: folder,
      databaseUrl: database.url,
      log: SILENT,
    });
  }

  async function read<T>(resource: string, query = ''): Promise<T> {
    const path = `/${project}${resource}`;
    const { text } = await readTagged(core, { channel: 'published', path, query });
    return JSON.parse(text) as T;
  }

  const change = <T>(work: (transaction: ProjectTransaction) => Promise<T>) =>
    core.operations.inProject(project, null, work);

  /** Everything a reader can get, by every access path. */
  async function everywhere(): Promise<Shown[]> {
    const page = await read<Listing>('/items', 'limit=20&order=elements.rank[desc]');
    const projected = await read<Listing>(
      '/items',
      'limit=20&skip=30&depth=2&elements=summary,abstract,title,related',
    );
    const whole = await read<Listing>('/items');
    const one = await read<{ item: Shown; modular_content: Listing['modular_content'] }>('/items/item_7');
    return [page, projected, whole, { items: [one.item], modular_content: one.modular_content }].flatMap(
      (listing) => [...listing.items, ...Object.values(listing.modular_content)],
    );
  }

  it('shows a renamed element at once on pages, in deep and projected ones, in streams and in single items', async () => {
    await change(async (transaction) => {
      for (const type of transaction.model.types) {
        const elements = type.elements.map((element) =>
          element.codename === 'summary' ? { ...element, name: 'Abstract', codename: 'abstract' } : element,
        );
        await updateType(transaction, { id: type.id }, { elements });
      }
    });
    const shown = (await everywhere()).filter((item) => item.system.type !== 'block');
    expect(shown).to.have.length.above(ITEMS);
    for (const { elements } of shown) {
      expect(elements).to.not.have.property('summary');
      expect(elements['abstract']?.name).to.equal('Abstract');
    }
    expect((await read<Listing>('/items', 'elements.abstract[nempty]&limit=5')).items).to.have.length(5);
    expect((await read<Listing>('/items', 'elements.summary[nempty]&limit=5')).items).to.have.length(0);
  });

  it('recompiles stale documents after a restart', async () => {
    await change((transaction) =>
      updateType(transaction, { codename: 'article' }, { name: 'Story', codename: 'story' }),
    );
    await core.close();
    core = await open();
    await core.operations.settled();
    const pending = await core.operations.storage.sql.get<{ count: number }>(
      'SELECT count(*) AS count FROM pending',
    );
    expect(pending?.count).to.equal(0);
    const rows = await core.operations.storage.sql.all<{ body: string }>(
      `SELECT body FROM document WHERE body LIKE '%"type":"article"%'`,
    );
    expect(rows).to.deep.equal([]);
  });

  it('shows renamed terms and items, and filters by their new names, before the job has recompiled them', async () => {
    await change(async (transaction) => {
      const topics = transaction.model.taxonomies[0];
      const terms = topics?.terms.map((term) => ({
        ...term,
        name: `${term.name} renamed`,
        codename: `${term.codename}_x`,
      }));
      await updateTaxonomy(transaction, { codename: 'topics' }, { terms: terms as never });
      await updateItem(
        transaction,
        { codename: 'item_3' },
        { name: 'Third', sitemap_locations: [], codename: 'third' },
      );
    });
    const linking = await read<Listing>('/items', 'elements.related[contains]=third');
    expect(linking.items).to.have.length.above(0);
    expect(linking.modular_content).to.have.property('third');
    for (const item of linking.items) expect(item.elements['related']?.value).to.include('third');
  });

  it('shows the slug of a hyperlink target as that channel shows it', async () => {
    const target = await change(async (transaction) => {
      const row = await transaction.tx.get<{ id: string }>('SELECT id FROM item WHERE codename = ?', [
        'item_10',
      ]);
      await newVersion(transaction, { codename: 'item_11' }, DEFAULT);
      await upsertVariant(transaction, { codename: 'item_11' }, DEFAULT, {
        elements: [
          { element: { codename: 'body' }, value: `<p><a data-item-id="${row?.id}" href="">ten</a></p>` },
        ],
      });
      await publishVariant(transaction, { codename: 'item_11' }, DEFAULT);
      return row?.id ?? '';
    });
    const links = async () => {
      const { item } = await read<{ item: Shown }>('/items/item_11');
      return (item.elements['body'] as unknown as { links: Record<string, { url_slug: string }> }).links;
    };
    expect((await links())[target]?.url_slug).to.equal('item-10');
    await change(async (transaction) => {
      await newVersion(transaction, { codename: 'item_10' }, DEFAULT);
      await upsertVariant(transaction, { codename: 'item_10' }, DEFAULT, {
        elements: [{ element: { codename: 'slug' }, value: 'ten' }],
      });
    });
    expect((await links())[target]?.url_slug).to.equal('item-10');
    await change((transaction) => publishVariant(transaction, { codename: 'item_10' }, DEFAULT));
    expect((await links())[target]?.url_slug).to.equal('ten');
    await change((transaction) => unpublishVariant(transaction, { codename: 'item_10' }, DEFAULT));
    expect(await links()).to.deep.equal({});
  });

  it('stays as it is when a published variant gets a new version', async () => {
    await core.operations.settled();
    const documents = () =>
      core.operations.storage.sql.all(
        `SELECT d.number AS number, d.visible AS visible FROM document d JOIN item i ON i.number = d.item
         WHERE i.codename = 'item_12' ORDER BY d.number`,
      );
    const before = await documents();
    await change((transaction) => newVersion(transaction, { codename: 'item_12' }, DEFAULT));
    expect(await documents()).to.deep.equal(before);
    const listed = await core.operations.storage.sql.get(
      `SELECT l.state AS state FROM listed l JOIN item i ON i.number = l.item WHERE i.codename = 'item_12'`,
    );
    expect(listed).to.deep.equal({ state: VARIANT_STATES.indexOf('changed') });
    await change((transaction) => publishVariant(transaction, { codename: 'item_12' }, DEFAULT));
  });

  it('keeps the published document when a draft is saved, and that of the draft when it is published', async () => {
    await core.operations.settled();
    const documents = () =>
      core.operations.storage.sql.all<{ number: number; visible: number }>(
        `SELECT d.number AS number, d.visible AS visible FROM document d JOIN item i ON i.number = d.item
         WHERE i.codename = 'item_14' ORDER BY d.number`,
      );
    const save = (value: string, more: readonly ElementInput[] = []) =>
      change((transaction) =>
        upsertVariant(transaction, { codename: 'item_14' }, DEFAULT, {
          elements: [{ element: { codename: 'title' }, value }, ...more],
        }),
      );
    const [published] = await documents();
    await change((transaction) => newVersion(transaction, { codename: 'item_14' }, DEFAULT));
    await save('A draft');
    const [first, draft] = await documents();
    expect(first).to.deep.equal({ number: published?.number, visible: 1 });
    expect(draft?.visible).to.equal(2);
    await change((transaction) => publishVariant(transaction, { codename: 'item_14' }, DEFAULT));
    expect(await documents()).to.deep.equal([{ number: draft?.number, visible: 3 }]);
    const { items } = await read<Listing>('/items', 'system.codename=item_14');
    expect(items[0]?.elements['title']?.value).to.equal('A draft');

    const [target] = await core.operations.storage.sql.all<{ id: string }>(
      `SELECT id FROM item WHERE codename = 'item_15'`,
    );
    await change((transaction) => newVersion(transaction, { codename: 'item_14' }, DEFAULT));
    const link = `<p><a data-item-id="${target?.id}" href="">there</a></p>`;
    await save('With a hyperlink', [{ element: { codename: 'body' }, value: link }]);
    const linking = (await documents()).at(-1);
    await change((transaction) => publishVariant(transaction, { codename: 'item_14' }, DEFAULT));
    expect((await documents()).map(({ number }) => number)).to.not.include(linking?.number);
  });

  it('shows all of a published hyperlink while a draft without one waits and a translation is saved', async () => {
    await core.operations.settled();
    await change((transaction) => createLanguage(transaction, { name: 'Translation', ...TRANSLATION }));
    const [target] = await core.operations.storage.sql.all<{ id: string }>(
      `SELECT id FROM item WHERE codename = 'item_15'`,
    );
    const save = (body: string, language = DEFAULT) =>
      change((transaction) =>
        upsertVariant(transaction, { codename: 'item_16' }, language, {
          elements: [
            { element: { codename: 'title' }, value: 'A title' },
            { element: { codename: 'body' }, value: body },
            { element: { codename: 'related' }, value: [{ id: target?.id ?? '' }] },
          ],
        }),
      );
    const shown = () => read<Listing>('/items/item_16');
    await change((transaction) => newVersion(transaction, { codename: 'item_16' }, DEFAULT));
    await save(`<p><a data-item-id="${target?.id}" href="">there</a></p>`);
    await change((transaction) => publishVariant(transaction, { codename: 'item_16' }, DEFAULT));
    await change((transaction) => newVersion(transaction, { codename: 'item_16' }, DEFAULT));
    await save('<p>Nothing is linked</p>');
    const before = await shown();
    expect(before.modular_content).to.have.property('item_15');
    await save('<p>Translated</p>', TRANSLATION);
    expect(await shown()).to.deep.equal(before);
  });

  it(`equals a full recompile after drafts, publishing and renames of two languages in any order, seed ${testSeed()}`, async () => {
    const random = new Random(testSeed());
    const items = [20, 21, 22, 23, 24, 25].map((number) => `item_${number}`);
    const ids = await core.operations.storage.sql.all<{ id: string; codename: string }>(
      'SELECT id, codename FROM item',
    );
    const idOf = (codename: string) => ids.find((one) => one.codename === codename)?.id ?? '';
    let at = 0;
    const body = () =>
      random.chance(0.5)
        ? '<p>Nothing is linked</p>'
        : `<p><a data-item-id="${idOf(random.pick(items))}" href="">there</a></p>`;
    const language = () => (random.chance(0.7) ? DEFAULT : TRANSLATION);
    const operations: readonly ((transaction: ProjectTransaction, item: Reference) => Promise<unknown>)[] = [
      (transaction, item) => newVersion(transaction, item, language()),
      (transaction, item) => publishVariant(transaction, item, language()),
      (transaction, item) => unpublishVariant(transaction, item, language()),
      (transaction, item) => discardDraft(transaction, item, language()),
      (transaction, item) =>
        updateItem(transaction, item, { name: `Renamed ${++at}`, sitemap_locations: [] }),
      (transaction, item) =>
        upsertVariant(transaction, item, language(), {
          elements: [
            { element: { codename: 'title' }, value: `Written ${++at}` },
            { element: { codename: 'body' }, value: body() },
            { element: { codename: 'related' }, value: [{ id: idOf(random.pick(items)) }] },
          ],
        }),
    ];
    for (let step = 0; step < (isLongForm ? 600 : 30); step++)
      await change(async (transaction) => {
        for (let more = random.int(1, 3); more > 0; more--)
          await random
            .pick(operations)(transaction, { id: idOf(random.pick(items)) })
            .catch((error) => {
              if (!(error instanceof ServiceError)) throw error;
            });
      });
    await expectSameRecompiled();
  });

  it(`renames elements as a compilation does, beside other changes of types and items, seed ${testSeed()}`, async () => {
    const random = new Random(testSeed());
    const names = ['Plain', 'Quote " and \\ backslash', '\u00e9\u{1f6b2} </x>', '","name":"', '\u0001'];
    let at = 0;
    const renamed = <T extends ElementDefinition>(element: T): T => ({
      ...element,
      ...(random.chance(0.7) && { name: `${random.pick(names)} ${++at}`.slice(0, 50) }),
      ...(random.chance(0.5) && { codename: `renamed_${++at}` }),
    });
    const some = (elements: readonly ElementDefinition[]) =>
      elements.map((element) =>
        'name' in element && element.codename !== 'title' && random.chance(0.3) ? renamed(element) : element,
      );
    const operations: readonly ((transaction: ProjectTransaction) => Promise<unknown>)[] = [
      ...Array.from({ length: 4 }, () => async (transaction: ProjectTransaction) => {
        for (const { id, elements } of transaction.model.types)
          if (random.chance(0.5)) await updateType(transaction, { id }, { elements: some(elements) });
      }),
      async (transaction) => {
        for (const { id, elements } of transaction.model.snippets)
          await updateSnippet(transaction, { id }, { elements: some(elements) });
      },
      async (transaction) => {
        const { id, elements } = random.pick(transaction.model.types);
        await updateType(transaction, { id }, { elements: [...elements].reverse() });
      },
      async (transaction) => {
        const { id, elements } = random.pick(transaction.model.types);
        const added = { type: 'text', name: `Added ${++at}`, codename: `added_${at}` } as const;
        const kept = elements.filter(({ codename }) => !codename?.startsWith('added_'));
        await updateType(transaction, { id }, { elements: [...kept, added] });
      },
      (transaction) =>
        updateItem(
          transaction,
          { codename: `item_${random.int(30, 60)}` },
          { name: `Named ${++at}`, sitemap_locations: [] },
        ),
    ];
    for (let step = 0; step < (isLongForm ? 60 : 3); step++) {
      for (let more = random.int(1, 3); more > 0; more--)
        await change((transaction) => random.pick(operations)(transaction));
      const shown = async () => [await read<Listing>('/items', 'limit=20'), await read<Listing>('/items')];
      const whileStale = await shown();
      if (random.chance(0.5)) continue;
      await core.operations.settled();
      // The first reads documents, the second one has them in memory.
      for (let times = 0; times < 2; times++) expect(await shown()).to.deep.equal(whileStale);
    }
    await expectSameRecompiled();
  });

  it('keeps documents of an item that show no component of a type whose elements are renamed', async () => {
    const { sql } = core.operations.storage;
    await core.operations.settled();
    const [item] = await sql.all<{ codename: string; type: number }>(
      `SELECT i.codename, i.type FROM uses u JOIN document d ON d.number = u.document JOIN item i ON i.number = d.item
       WHERE u.kind = ${USE.componentType} AND d.visible = 3 LIMIT 1`,
    );
    const codename = item?.codename ?? '';
    await change(async (transaction) => {
      const { elements } = transaction.model.typeByNumber.get(item?.type ?? 0)!;
      const { id } = elements.find(({ type }) => type === 'rich_text')!;
      await newVersion(transaction, { codename }, DEFAULT);
      await upsertVariant(transaction, { codename }, DEFAULT, {
        elements: [{ element: { id }, value: '<p>No component.</p>' }],
      });
    });
    await core.operations.settled();
    const documents = () =>
      sql.all<{ number: number; visible: number; components: string }>(
        `SELECT d.number, d.visible, d.components FROM document d JOIN item i ON i.number = d.item
         WHERE i.codename = ? ORDER BY d.visible`,
        [codename],
      );
    const before = await documents();
    await change(async (transaction) => {
      const { id, elements } = transaction.model.typeByCodename.get('block')!;
      const renamed = elements.map((element) => ({ ...element, name: `${element.name} too` }));
      await updateType(transaction, { id }, { elements: renamed });
    });
    await core.operations.settled();
    const after = await documents();
    expect(after.map(({ number }) => number)).to.deep.equal(before.map(({ number }) => number));
    expect(before[0]?.components).not.to.contain(' too"');
    expect(after[0]?.components).to.contain(' too"');
    expect(after[1]).to.deep.equal(before[1]);
    await expectSameRecompiled();
  });

  it('keeps documents where a change of a type is none of what they show', async () => {
    const numbers = () =>
      core.operations.storage.sql.all<{ number: number }>('SELECT number FROM document ORDER BY number');
    await core.operations.settled();
    const before = await numbers();
    await change(async (transaction) => {
      for (const { id, elements } of transaction.model.types) {
        const guided = elements.map((element) =>
          'name' in element ? { ...element, guidelines: 'Keep it short.' } : element,
        );
        await updateType(transaction, { id }, { elements: guided });
      }
    });
    await change(async (transaction) => {
      const { id, elements } = transaction.model.typeByCodename.get('block')!;
      const grouped = elements.map((element) => ({ ...element, content_group: { codename: 'texts' } }));
      await updateType(
        transaction,
        { id },
        { content_groups: [{ name: 'Texts', codename: 'texts' }], elements: grouped },
      );
    });
    await core.operations.settled();
    expect(await numbers()).to.deep.equal(before);
    await expectSameRecompiled();
  });

  it('equals a full recompile', expectSameRecompiled);

  async function expectSameRecompiled(): Promise<void> {
    await core.operations.settled();
    const before = await snapshot();
    await change((transaction) =>
      markStale(transaction, 'project', transaction.project.number).then(() =>
        transaction.change('project', 'upsert', project, []),
      ),
    );
    await core.operations.settled();
    expect(await snapshot()).to.deep.equal(before);
    expect(await wrongBlocks(core.operations.storage.sql)).to.deep.equal([]);
  }

  /** The whole read side, without the numbers of documents and the time they were compiled. */
  async function snapshot() {
    const { sql } = core.operations.storage;
    const key = '(d.item || ":" || d.language || ":" || d.visible)'.replaceAll('"', "'");
    return {
      documents: await sql.all(
        `SELECT ${key} AS key, d.version, d.slug, d.components, d.body, d.layout FROM document d ORDER BY key`,
      ),
      entries: await sql.all(
        `SELECT ${key} AS key, e.slot, e.key AS value, e.codename, e.visible FROM entry e JOIN document d ON d.number = e.document ORDER BY key, e.slot, value`,
      ),
      uses: await sql.all(
        `SELECT ${key} AS key, u.kind, u.target FROM uses u JOIN document d ON d.number = u.document ORDER BY key, u.kind, u.target`,
      ),
      resolved: await sql.all(
        'SELECT view, item, type, language, codename FROM resolved ORDER BY view, item',
      ),
      tally: await sql.all('SELECT * FROM tally WHERE count > 0 ORDER BY view, type, language'),
    };
  }
});
