import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { setSecureAccess } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { STALE } from '../../core/storage/stale.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { HARBOUR } from '../support/projects/harbour-project.ts';
import { FeedTags, readTagged } from '../support/projects/tagged-answers.ts';
import { DEFAULT_LANGUAGE as language } from '../support/random/content-draft.ts';
import type { ContentRequest } from '../support/random/read-content.ts';
import type { Step } from '../support/random/steps.ts';
import { TwinProject } from '../support/random/twin-project.ts';
import { openCore } from '../support/service/open-core.ts';

const newVersion = (item: string, title: string): Step[] => [
  { do: 'new-version', item, language },
  { do: 'variant', item, language, values: { title } },
];
const republish = (item: string, title: string): Step[] => [
  ...newVersion(item, title),
  { do: 'publish', item, language },
];

describe('answers of core that may be cached', () => {
  let folder: string;
  let database: TestDatabase;
  let core: RunningCore;
  let project: TwinProject;
  let feedTags: FeedTags;

  let isOpen = false;
  const open = async () => {
    core = await openCore({
      dataDir: folder,
      databaseUrl: database.url,
    });
    isOpen = true;
  };
  const close = async () => {
    isOpen = false;
    await core.close();
  };
  const ask = (address: string, channel: ContentRequest['channel'] = 'published'): ContentRequest => {
    const [path = '', query = ''] = address.split('?');
    return { channel, path: `/${project.id}${path}`, query };
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-keeping-'));
    database = await testDatabase();
  });
  // A project for each test.
  beforeEach(async () => {
    if (!isOpen) await open();
    project = await TwinProject.create(core, 'Harbour', 'service');
    feedTags = new FeedTags(core, project.id);
    for (const batch of HARBOUR) await project.apply(batch);
    await core.operations.settled();
  });
  after(async () => {
    if (isOpen) await close();
    await rm(folder, { recursive: true });
    await database.remove();
  });

  it('carry tags and a sequence', async () => {
    const { sequence } = await readTagged(core, ask('/languages'));
    for (const [address, tags] of [
      ['/items/tide', ['item:tide', 'languages', `project:${project.id}`, 'type:article']],
      ['/items?system.type=note', ['languages', 'members:note', `project:${project.id}`, 'type:note']],
      ['/items?limit=1', ['languages', 'members:*', `project:${project.id}`, 'types']],
      ['/types/note', [`project:${project.id}`, 'type:note']],
      ['/types', [`project:${project.id}`, 'types']],
      ['/taxonomies/topics', [`project:${project.id}`, 'taxonomy:topics']],
      ['/languages', ['languages', `project:${project.id}`]],
    ] as const) {
      const answer = await readTagged(core, ask(address));
      expect([...(answer.tags ?? [])].sort(), address).to.deep.equal(tags);
      expect(answer.sequence, address).to.equal(sequence);
    }
    const preview = await readTagged(core, ask('/items?system.type=note', 'latest'));
    expect(preview.tags).to.include('preview-members:note').and.not.include('members:note');
  });

  for (const [address, steps] of [
    ['/items/hidden', [{ do: 'publish', item: 'hidden', language }]],
    ['/items?system.codename=hidden', [{ do: 'publish', item: 'hidden', language }]],
    ['/items/lighthouse', [{ do: 'publish', item: 'hidden', language }]],
    ['/items/lighthouse?depth=0', [{ do: 'publish', item: 'hidden', language }]],
    [
      '/items/new_codename',
      [{ do: 'item', key: 'tide', name: 'Tide', codename: 'new_codename', type: 'article', sitemap: [] }],
    ],
    [
      '/items/lighthouse?depth=0',
      [{ do: 'item', key: 'ferry', name: 'Ferry', codename: 'other', type: 'article', sitemap: [] }],
    ],
    [
      '/items?elements.related[contains]=other&depth=0',
      [{ do: 'item', key: 'ferry', name: 'Ferry', codename: 'other', type: 'article', sitemap: [] }],
    ],
    [
      '/types/log',
      [
        {
          do: 'type',
          key: 'log',
          name: 'Log',
          codename: 'log',
          elements: [{ key: 't', kind: 'text', name: 'T', codename: 't' }],
        },
      ],
    ],
    [
      '/types/article/elements/none',
      [
        {
          do: 'type',
          key: 'article',
          name: 'Article',
          codename: 'article',
          elements: [{ key: 'title', kind: 'text', name: 'T', codename: 'none' }],
        },
      ],
    ],
    ['/taxonomies/none', [{ do: 'taxonomy', key: 'none', name: 'None', codename: 'none', terms: [] }]],
  ] as readonly (readonly [string, readonly Step[]])[]) {
    it(`${address} changes once ${steps[0]!.do} is done, and so does one of its tags`, async () => {
      const before = await readTagged(core, ask(address));
      expect(feedTags.holds(before)).to.equal(true);
      await project.apply(steps);
      const after = await readTagged(core, ask(address));
      expect(after.text).not.to.equal(before.text);
      expect(feedTags.holds(before)).to.equal(false);
      expect(feedTags.holds(after) || after.tags === undefined).to.equal(true);
    });
  }

  it('of delivery stay valid while drafts are saved, those of preview while a draft is published', async () => {
    const addresses = ['/items/ferry', '/items', '/items?system.type=article', '/items-feed'];
    const all = (channel: ContentRequest['channel']) =>
      Promise.all(addresses.map((address) => readTagged(core, ask(address, channel))));
    const delivered = await all('published');
    await project.apply(newVersion('ferry', 'Fast ferry'));
    expect(delivered.map((one) => feedTags.holds(one))).to.deep.equal([true, true, true, true]);
    const previewed = await all('latest');
    await project.apply([{ do: 'publish', item: 'ferry', language }]);
    expect(delivered.map((one) => feedTags.holds(one))).to.deep.equal([false, false, false, false]);
    expect(previewed.map((one) => feedTags.holds(one))).to.deep.equal([true, true, true, true]);
    expect((await all('latest')).map(({ text }) => text)).to.deep.equal(previewed.map(({ text }) => text));
  });

  it('carry no tags for names that nothing can have, and for invalid requests', async () => {
    const names = await readTagged(core, ask(`/items/${'x'.repeat(300)}`));
    expect([names.status, names.tags]).to.deep.equal([404, undefined]);
    const mistake = await readTagged(core, ask('/items?limit=0'));
    expect([mistake.status, mistake.tags]).to.deep.equal([400, undefined]);
  });

  it('have the same ETag for `If-None-Match: *`, also while documents are recompiled', async () => {
    const { storage } = core.operations;
    const addresses = ['/items', '/items?limit=2', '/items?elements.title[contains]=a', '/items/lighthouse'];
    const tags: unknown[] = [];
    for (const address of addresses) tags.push((await readTagged(core, ask(address))).headers['etag']);
    // No change was announced, so it stays so.
    await storage.write((tx) =>
      tx.run(
        'INSERT INTO pending (project, kind, target, sequence) SELECT number, ?, 0, ? FROM project WHERE id = ?',
        [STALE.type, tx.sequence, project.id],
      ),
    );
    for (const [index, address] of addresses.entries())
      for (const ifNoneMatch of ['*', ' * ', String(tags[index])]) {
        const { status, headers } = await readTagged(core, ask(address), { ifNoneMatch });
        expect([status, headers['etag']], `${address} ${ifNoneMatch}`).to.deep.equal([304, tags[index]]);
      }
  });

  it('that are known to be valid are confirmed without reading the database', async () => {
    const addresses = ['/items/ferry', '/items', '/items/none', '/types', '/items-feed'];
    const answers = await Promise.all(addresses.map((address) => readTagged(core, ask(address))));
    await project.apply(newVersion('tide', 'High tide'));
    const newest = (await readTagged(core, ask('/languages'))).sequence;
    // The database is closed.
    await close();
    for (const [index, { tags = [], sequence = 0 }] of answers.entries()) {
      const again = await readTagged(core, ask(addresses[index]!), { known: { tags, sequence } });
      expect([again.status, again.text, again.sequence, again.tags]).to.deep.equal([304, '', newest, tags]);
    }
    expect((await readTagged(core, ask('/items/ferry'))).status).to.equal(503);
    await open();
  });

  it('that are stale, or that core does not know, are made again', async () => {
    const before = await readTagged(core, ask('/items/ferry'));
    const known = { tags: before.tags ?? [], sequence: before.sequence ?? 0 };
    await project.apply(republish('ferry', 'Fast ferry'));
    const after = await readTagged(core, ask('/items/ferry'), { known });
    expect(after.status).to.equal(200);
    expect(after.text).to.contain('Fast ferry');
    await close();
    await open();
    expect((await readTagged(core, ask('/items/ferry'), { known })).status).to.equal(200);
    const ahead = { tags: known.tags, sequence: 1_000_000 };
    expect((await readTagged(core, ask('/items/ferry'), { known: ahead })).status).to.equal(200);
  });

  it('become stale when the project is secured, archived or restored', async () => {
    const before = await readTagged(core, ask('/items/ferry'));
    await core.operations.installation(null, (at) => setSecureAccess(at, project.id, true));
    expect(feedTags.holds(before)).to.equal(false);
    const after = await readTagged(core, ask('/items/ferry'));
    expect([after.text, feedTags.holds(after)]).to.deep.equal([before.text, true]);
  });

  it('are those of a backup once it was restored, though document numbers start again', async () => {
    const copy = join(folder, `${project.id}.db`);
    await core.operations.storage.copyTo(copy);
    await project.apply(republish('tide', 'Lost tide'));
    expect((await readTagged(core, ask('/items/tide'))).text).to.contain('Lost tide');
    const before = await readTagged(core, ask('/items/memo'));
    await core.operations.storage.replaceWith(copy);
    expect(feedTags.holds(before)).to.equal(false);
    await core.operations.settled();
    await project.apply(republish('ferry', 'Fast ferry'));
    const answers = await Promise.all(
      ['/items/tide', '/items/ferry', '/items/lighthouse?depth=3'].map((one) => readTagged(core, ask(one))),
    );
    expect(answers[0]?.text).not.to.contain('Lost tide');
    expect(answers[1]?.text).to.contain('Fast ferry').and.not.contain('Lost tide');
    expect(answers[2]?.text).to.contain('Fast ferry').and.not.contain('Lost tide');
  });

  describe('have an ETag that', () => {
    const ADDRESSES = [
      '/items/ferry?depth=0',
      '/items/memo?elements=title',
      '/items?system.type=note&depth=0&includeTotalCount=true',
      '/items?system.type=nothing',
      '/items-feed?system.type=note',
      '/types',
      '/languages',
    ];
    const etags = () =>
      Promise.all(ADDRESSES.map(async (one) => (await readTagged(core, ask(one))).headers['etag'] ?? ''));
    const statuses = (known: readonly string[]) =>
      Promise.all(
        ADDRESSES.map(async (one, index) => {
          const ifNoneMatch = known[index] ?? '';
          return (await readTagged(core, ask(one), { ifNoneMatch })).status;
        }),
      );
    const all = (status: number) => ADDRESSES.map(() => status);

    it('stays the same while other items are published, and is answered with 304', async () => {
      const before = await etags();
      await project.apply(republish('tide', 'High tide'));
      expect(await etags()).to.deep.equal(before);
      expect(await statuses(before)).to.deep.equal(all(304));
      expect(await statuses(ADDRESSES.map(() => '"other"'))).to.deep.equal(all(200));
    });

    it('stays the same over a restart, also where document numbers are used again', async () => {
      await project.apply(republish('tide', 'High tide'));
      const before = await etags();
      const tide = (await readTagged(core, ask('/items/tide'))).headers['etag'];
      await project.apply([{ do: 'archive-item', item: 'tide' }]);
      await close();
      await open();
      expect(await etags()).to.deep.equal(before);
      expect(await statuses(before)).to.deep.equal(all(304));
      expect((await readTagged(core, ask('/items/tide'), { ifNoneMatch: tide ?? '' })).status).to.equal(404);
    });

    it('is the former one when the content is the former one', async () => {
      const tag = async () => (await readTagged(core, ask('/items/ferry?elements=title'))).headers['etag'];
      const renamed = async (name: string) => {
        const step = { do: 'item', key: 'memo', name, codename: 'memo', type: 'note', sitemap: [] } as const;
        await project.apply([step]);
      };
      const before = await tag();
      await project.apply([{ do: 'unpublish', item: 'ferry', language }]);
      expect(await tag()).to.equal(undefined);
      await project.apply([{ do: 'publish', item: 'ferry', language }]);
      await renamed('Another');
      expect(await tag()).to.equal(before);
    });
  });

  it('of management and admin carry the sequence they were committed under', async () => {
    const call = (surface: 'manage' | 'admin', method: string, path: string, json?: object) =>
      core.handle({
        surface,
        method,
        path,
        query: '',
        headers: { 'content-type': 'application/json' },
        bases: { self: 'https://manage.example', assets: 'https://assets.example' },
        principal: { kind: 'admin' },
        requestId: 'test',
        ...(json && { body: oneChunk(Buffer.from(JSON.stringify(json))) }),
      });
    const newest = async () =>
      (
        await core.operations.storage.sql.get<{ sequence: number }>(
          'SELECT max(sequence) AS sequence FROM change',
        )
      )?.sequence;
    const base = `/v2/projects/${project.id}/items`;
    const variant = `${base}/codename/memo/variants/codename/en-US`;
    for (const [surface, method, path, json] of [
      ['manage', 'POST', base, { name: 'Made', type: { codename: 'note' } }],
      ['manage', 'PUT', `${variant}/new-version`],
      ['manage', 'PUT', `${variant}/publish`],
      ['manage', 'PUT', `${variant}/unpublish`],
      ['admin', 'PUT', `/projects/${project.id}/secure-access`, { enabled: true }],
      ['admin', 'POST', '/users', { name: 'Ann', email: `${project.id}@example.com` }],
    ] as const) {
      const before = await newest();
      const { status, sequence } = await call(surface, method, path, json);
      expect(status, path).to.be.within(200, 204);
      expect(sequence, path).to.equal(await newest());
      expect(sequence, path).to.be.greaterThan(before ?? 0);
    }
    const again = await call('admin', 'PUT', `/projects/${project.id}/secure-access`, { enabled: true });
    expect(again.sequence).to.equal(await newest());
    expect((await readTagged(core, ask('/items/tide'))).sequence).to.equal(await newest());
  });
});

async function* oneChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
