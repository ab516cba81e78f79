/** Lists of content: filters, orders, positions, columns. */
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { createLanguage, updateLanguage } from '../../core/content/languages.ts';
import { createType, updateType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { countContent } from '../../core/content-list/count-content.ts';
import { findObjects } from '../../core/content-list/find-objects.ts';
import { listContent } from '../../core/content-list/list-content.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { CONTENT_PERMISSIONS, type ContentAccess } from '../../core/transaction/content-access.ts';
import { exportProject } from '../../core/transfer/export-project.ts';
import { importProject } from '../../core/transfer/import-project.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { until } from '../support/until.ts';

interface Listed {
  readonly codename: string;
  readonly variants: readonly {
    readonly language: { readonly codename: string };
    readonly state: string;
    readonly elements: Readonly<Record<string, { readonly value: unknown; readonly length: number }>>;
  }[];
}
interface List {
  readonly items: readonly Listed[];
  readonly total: number;
}

describe('admin API: the list of content', () => {
  let notes: NotesService;

  before(async () => {
    notes = await NotesService.start();
    for (const name of ['Delta', 'alpha', 'Charlie', 'bravo']) await notes.note(name);
    await notes.run(async (transaction) => {
      await publishVariant(transaction, { codename: 'alpha' }, { codename: 'en' });
      await upsertVariant(
        transaction,
        { codename: 'delta' },
        { codename: 'de' },
        {
          elements: [
            { element: { codename: 'text' }, value: 'x'.repeat(300) },
            { element: { codename: 'links' }, value: [{ codename: 'alpha' }] },
          ],
        },
      );
    });
  });
  after(() => notes.stop());

  const list = async (query: string) => (await notes.admin<List>('GET', `content?${query}`)).body;
  const codenames = ({ items }: List) => items.map(({ codename }) => codename);

  const lists: readonly [string, readonly string[], number][] = [
    ['', ['alpha', 'bravo', 'charlie', 'delta'], 4],
    ['descending=true&limit=2&offset=1', ['charlie', 'bravo'], 4],
    ['state=published', ['alpha'], 1],
    ['state=published,draft&order=state', ['bravo', 'charlie', 'delta', 'alpha'], 4],
    ['language=de&state=not_translated', ['alpha', 'bravo', 'charlie'], 3],
    ['type=note&order=elements.text', ['charlie', 'delta', 'alpha', 'bravo'], 4],
  ];
  for (const [query, wanted, total] of lists)
    it(`answers '${query}'`, async () => {
      const answer = await list(query);
      expect(codenames(answer)).to.deep.equal(wanted);
      expect(answer.total).to.equal(total);
    });

  const hostile = [
    '"',
    '""',
    '"unclosed',
    "'",
    "' OR 1=1 --",
    'a"b"c',
    'NEAR(a b)',
    'a NOT b',
    'a AND',
    'OR',
    '*',
    'a*',
    '^a',
    'name:a',
    '{name words}:a',
    '(',
    ')',
    '((((',
    'a & b | !c',
    "a' & 'b",
    ':*',
    'a:*b',
    '<->',
    '\\',
    '%',
    '_',
    '%_%',
    ';DROP TABLE item',
    '\u{1f600}',
    'é'.repeat(2000),
    'a '.repeat(3000),
    '"a" '.repeat(500),
    'a'.repeat(60_000),
    '%'.repeat(20_000),
    '\u202e',
    '-',
    '+',
    'a-b-c',
    '東京 "東',
    '\t\n',
  ];
  for (const path of ['content', 'find', 'items', 'assets'])
    it(`answers hostile texts as texts: ${path}`, async () => {
      for (const text of hostile) {
        const { status, body } = await notes.admin('GET', `${path}?text=${encodeURIComponent(text)}`);
        expect(status, `${text.slice(0, 20)} ${JSON.stringify(body)}`).to.equal(200);
      }
    });

  it('finds words in any order, beginnings of the last one, phrases, codenames and ids', async () => {
    const id = await notes.note('Élan of the Old-Mill');
    const texts = ['elan', '"the old mill"', 'mill ela', 'old-mill', 'MILL', '_lan_of_the_old_mill', id];
    for (const text of [...texts, id.toUpperCase()])
      expect(codenames(await list(`text=${encodeURIComponent(text)}`)).length, text).to.equal(1);
    for (const text of ['"old the"', 'ill', '"mill old'])
      expect((await list(`text=${text}`)).total, text).to.equal(0);
  });

  it('offers items, types and users by a few letters, names that begin with them first', async () => {
    const { body } = await notes.admin<{ found: { kind: string; name: string; state: string | null }[] }>(
      'GET',
      'find?text=a',
    );
    expect(body.found[0]).to.include({ kind: 'item', name: 'alpha', state: 'published' });
    expect(body.found.map(({ kind, name }) => `${kind} ${name}`)).to.include('user Anna');
    const types = await notes.admin<{ found: { name: string }[] }>('GET', 'find?text=no&kind=type');
    expect(types.body.found.map(({ name }) => name)).to.deep.equal(['Note']);
  });

  it('finds users and items whatever the case and the accents of their names', async () => {
    const projects = [{ id: notes.project }];
    const user = { name: 'Özlem Ünal', email: 'oezlem@example.org', projects };
    expect((await notes.admin('POST', '/users', user)).status).to.equal(201);
    await notes.note('Übersicht');
    type Found = { readonly found: readonly { readonly name: string }[] };
    const names = async (path: string, text: string) => {
      const { body } = await notes.admin<Found & { readonly items: Found['found'] }>(
        'GET',
        `${path}text=${encodeURIComponent(text)}`,
      );
      return (body.found ?? body.items).map(({ name }) => name);
    };
    for (const text of ['Özlem', 'özlem ün', 'ozlem', 'nal'])
      expect(await names('find?kind=user&', text), text).to.deep.equal(['Özlem Ünal']);
    for (const text of ['Übersicht', 'über', 'uber', 'SICHT', '_bersicht'])
      expect(await names('items?', text), text).to.deep.equal(['Übersicht']);
    expect(await names('find?kind=user&', '%')).to.deep.equal([]);
    expect(await names('items?', '%')).to.deep.equal([]);
  });

  it('offers an item whose name begins with the letters before newer ones that only have the word', async () => {
    await notes.note('Harbour map');
    for (const name of ['Old harbour', 'New harbour', 'The harbour']) await notes.note(name);
    const { body } = await notes.admin<{ found: { name: string }[] }>(
      'GET',
      'find?text=harbo&kind=item&limit=2',
    );
    expect(body.found.map(({ name }) => name)).to.deep.equal(['Harbour map', 'The harbour']);
  });

  it('shows a person only the types and languages of its roles', async () => {
    const { operations } = notes.service.core;
    const scoped = (types: string[] | null, languages: string[] | null) =>
      operations.read(notes.project, async (view) => {
        const scopes = [{ types, languages }];
        const access = Object.fromEntries(
          CONTENT_PERMISSIONS.map((name) => [name, scopes]),
        ) as unknown as ContentAccess;
        const [language] = view.model.languages;
        if (!language) throw new Error('The project has no language.');
        const one = { ...view, access };
        const found: number[] = [];
        for (const order of ['name', 'changed', 'type', 'state'] as const)
          found.push(
            (await listContent(one, { language }, { order, descending: false, offset: 0, limit: 9 })).items
              .length,
          );
        found.push((await findObjects(one, { text: 'alpha', kinds: ['item'], language, limit: 9 })).length);
        found.push((await countContent(one, language)).length);
        return found.some((count) => count > 0);
      });
    expect(await scoped(null, null)).to.equal(true);
    expect(await scoped(['note'], ['en'])).to.equal(true);
    expect(await scoped([], null)).to.equal(false);
    expect(await scoped(['note'], ['de'])).to.equal(false);
  });

  it('has the items in a language that is new, and not in a deactivated one', async () => {
    await notes.run((transaction) => createLanguage(transaction, { name: 'French', codename: 'fr' }));
    await notes.service.core.operations.settled();
    expect((await list('language=fr&state=not_translated')).total).to.equal((await list('')).total);
    await notes.run((transaction) => updateLanguage(transaction, { codename: 'fr' }, { is_active: false }));
    expect((await notes.admin('GET', 'content?language=fr')).status).to.equal(404);
  });

  it('keeps the words when an element is renamed, and has what lacks it when it is required', async () => {
    const { storage, settled } = notes.service.core.operations;
    const change = async (attributes: object) => {
      await notes.run((transaction) => {
        const { elements } = transaction.model.typeByCodename.get('note')!;
        const changed = elements.map((one) =>
          one.codename.startsWith('links') ? { ...one, ...attributes } : one,
        );
        return updateType(transaction, { codename: 'note' }, { elements: changed });
      });
      await settled();
    };
    // Rows of the deactivated language go with the first job.
    const words = () =>
      storage.sql.all(
        'SELECT number, searched FROM listed WHERE language = (SELECT min(language) FROM listed) ORDER BY number',
      );
    const before = await words();
    await change({ name: 'Linked', codename: 'links_renamed' });
    expect(await words()).to.deep.equal(before);
    expect((await list('lacking=true')).total).to.equal(0);
    await change({ is_required: true });
    expect(codenames(await list('lacking=true'))).to.include('alpha');
    expect((await list('language=de&lacking=true')).total).to.equal(0);
    await change({ name: 'Links', codename: 'links', is_required: false });
    expect((await list('lacking=true')).total).to.equal(0);
  });

  it('lists what a restored copy has, and what other versions of the service wrote', async () => {
    const { storage, settled } = { ...notes.service.core.operations };
    await settled();
    const before = await list('text=alpha&elements=text');
    expect(before.total).to.equal(1);
    await storage.write((tx) => tx.run('UPDATE item SET sitemap_locations = sitemap_locations'));
    await storage.write(async (tx) => {
      for (const { item } of await tx.all<{ item: number }>('SELECT DISTINCT item FROM listed'))
        tx.list(item, { listed: [], searched: [] });
      await tx.run('DELETE FROM unlisted');
    });
    expect((await list('')).total).to.equal(0);
    await storage.write((tx) => tx.run('UPDATE item SET sitemap_locations = sitemap_locations'));
    expect((await notes.admin<{ unlisted: number }>('GET', 'content')).body.unlisted).to.be.above(0);
    // A change of the model wakes the job.
    await notes.run((transaction) => createLanguage(transaction, { name: 'Czech', codename: 'cs' }));
    await settled();
    expect(await list('text=alpha&elements=text')).to.deep.equal(before);
  });

  it('has an item in a language that is activated while the item is written', async () => {
    const { storage, settled } = notes.service.core.operations;
    await settled();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let held: Promise<void> = Promise.resolve();
    await new Promise<void>((began) => {
      held = storage.write(() => {
        began();
        return released;
      });
    });
    const writes: Promise<unknown>[] = [];
    try {
      // Behind the write that is held, so that both are in one commit.
      const waits = () => until(() => storage.figures().writes.waiting === writes.length);
      writes.push(notes.note('Written meanwhile'));
      await waits();
      writes.push(
        notes.run((transaction) => createLanguage(transaction, { name: 'Polish', codename: 'pl' })),
      );
      await waits();
    } finally {
      release();
    }
    await Promise.all([held, ...writes]);
    await settled();
    expect(codenames(await list('language=pl&state=not_translated&text=meanwhile'))).to.deep.equal([
      'written_meanwhile',
    ]);
  });

  it('has the items of an imported project, also those without a variant', async () => {
    const { operations } = notes.service.core;
    await notes.run((transaction) =>
      createItem(transaction, { name: 'Without a variant', type: { codename: 'note' } }),
    );
    const archive = new PassThrough();
    const project = '5a5a5a5a-0000-4000-8000-000000000009';
    const exported = exportProject(operations, notes.project, archive, {
      archive: '0f0f0f0f-0000-4000-8000-000000000001',
      created: '2030-01-01T00:00:00.0000000Z',
    });
    await importProject(operations, archive, { project });
    await exported;
    await operations.settled();
    const { body } = await notes.admin<List & { unlisted: number }>(
      'GET',
      `/projects/${project}/content?text=without`,
    );
    expect(codenames(body)).to.deep.equal(['without_a_variant']);
    expect(body.unlisted).to.equal(0);
  });

  it('shows two languages and the values of elements, shortened', async () => {
    const { items } = await list('language=de&beside=en&state=draft&elements=text,links');
    expect(items[0]?.variants).to.have.length(2);
    const [german, english] = items[0]?.variants ?? [];
    expect(german?.elements).to.deep.equal({
      text: { type: 'text', value: 'x'.repeat(160), length: 300 },
      links: { type: 'modular_content', value: ['alpha'], length: 1 },
    });
    expect(english?.elements['text']).to.deep.equal({ type: 'text', value: 'Delta', length: 5 });
  });

  it('shows an element whatever its codename', async () => {
    const element = { codename: '__proto__' };
    await notes.run(async (to) => {
      await createType(to, { name: 'Odd', elements: [{ type: 'text', name: 'Proto', ...element }] });
      await createItem(to, { name: 'Odd', type: { codename: 'odd' } });
      const elements = [{ element, value: 'shown' }];
      await upsertVariant(to, { codename: 'odd' }, { codename: 'en' }, { elements });
    });
    const { items } = await list('type=odd&elements=__proto__');
    const shown = Object.entries(items[0]?.variants[0]?.elements ?? {});
    expect(shown).to.deep.equal([['__proto__', { type: 'text', value: 'shown', length: 5 }]]);
  });
});
