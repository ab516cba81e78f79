import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { archiveProject, restoreProject } from '../../core/access/projects.ts';
import { createAsset } from '../../core/assets/assets.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem, deleteItem, restoreItem, updateItem } from '../../core/content/items.ts';
import { createLanguage, updateLanguage } from '../../core/content/languages.ts';
import { createSnippet, deleteSnippet, updateSnippet } from '../../core/content/snippets.ts';
import { archiveTaxonomy, createTaxonomy, restoreTaxonomy } from '../../core/content/taxonomies.ts';
import { createType, deleteType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { idOfExternalId } from '../../core/model/external-id.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { publishMany } from '../../core/publishing/publish-many.ts';
import { schedulePublish } from '../../core/publishing/schedule.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { HARBOUR } from '../support/projects/harbour-project.ts';
import { storeFile } from '../support/projects/store-file.ts';
import { FeedTags, readTagged, type TaggedAnswer } from '../support/projects/tagged-answers.ts';
import type { ContentRequest } from '../support/random/read-content.ts';
import { TwinProject } from '../support/random/twin-project.ts';
import { openCore } from '../support/service/open-core.ts';

const language = { codename: 'en-US' };
const item = (codename: string) => ({ codename });
type Reference = { readonly codename: string } | { readonly external_id: string };

/** Operations that random changes do not include; each needs those before it. */
type Operation = (transaction: ProjectTransaction, core: RunningCore) => Promise<unknown>;

const write = (transaction: ProjectTransaction, codename: string, values: Record<string, unknown>) =>
  upsertVariant(transaction, item(codename), language, {
    elements: Object.entries(values).map(([element, value]) => ({ element: { codename: element }, value })),
  });
const rewrite = async (
  transaction: ProjectTransaction,
  codename: string,
  values: Record<string, unknown>,
) => {
  await newVersion(transaction, item(codename), language);
  await write(transaction, codename, values);
  await publishVariant(transaction, item(codename), language);
};
const make = async (transaction: ProjectTransaction, name: string, type: string, external_id?: string) => {
  const made = { name, type: { codename: type }, ...(external_id && { external_id }) };
  const { codename } = await createItem(transaction, made);
  await write(transaction, codename, { title: name });
  await publishVariant(transaction, { codename }, language);
};

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'links to what is only expected': (transaction) =>
    rewrite(transaction, 'tide', {
      related: [{ external_id: 'coming' }, { codename: 'memo' }] satisfies Reference[],
      photos: [{ external_id: 'coming-photo' }],
    }),
  'makes the expected item': (transaction) => make(transaction, 'Coming', 'article', 'coming'),
  'makes the expected asset': async (transaction, core) => {
    const upload = { name: 'coming.png', type: 'image/png', content: one('coming') };
    const { id } = await storeFile(transaction, core.operations.blobs, upload);
    return createAsset(transaction, { file: id, external_id: 'coming-photo' });
  },
  'renames a linked item': (transaction) =>
    updateItem(transaction, item('coming'), { name: 'Came', codename: 'came', sitemap_locations: [] }),
  'archives it': (transaction) => deleteItem(transaction, item('came')),
  'gives its codename to another item': (transaction) => make(transaction, 'Came', 'note'),
  'uses its external id anew, for another type': (transaction) => make(transaction, 'Back', 'note', 'coming'),
  'makes a type': (transaction) =>
    createType(transaction, { name: 'Log', elements: [{ type: 'text', name: 'Title' }] }),
  'makes and links an item of it': async (transaction) => {
    await make(transaction, 'Entry', 'log');
    await rewrite(transaction, 'pier', { related: [{ codename: 'entry' }] });
  },
  'archives that one': (transaction) => deleteItem(transaction, item('entry')),
  'deletes the type': (transaction) => deleteType(transaction, item('log')),
  'makes a snippet': (transaction) =>
    createSnippet(transaction, { name: 'Extra', elements: [{ type: 'text', name: 'Extra' }] }),
  'renames a snippet that is used': (transaction) =>
    updateSnippet(transaction, item('metadata'), { codename: 'meta' }),
  'deletes one': (transaction) => deleteSnippet(transaction, item('extra')),
  'makes a taxonomy group': (transaction) => createTaxonomy(transaction, { name: 'Moods', terms: [] }),
  'archives it again': (transaction) => archiveTaxonomy(transaction, item('moods')),
  'restores it': async (transaction) => {
    const row = await transaction.tx.get<{ id: string }>(`SELECT id FROM taxonomy WHERE codename = 'moods'`);
    return restoreTaxonomy(transaction, row?.id ?? '');
  },
  'adds a language': (transaction) => createLanguage(transaction, { name: 'Dansk', codename: 'da' }),
  'lets it fall back elsewhere': (transaction) =>
    updateLanguage(transaction, item('da'), { fallback_language: item('de-DE') }),
  'calls it differently': (transaction) => updateLanguage(transaction, item('da'), { name: 'Danish' }),
  'schedules a publish': async (transaction) => {
    await newVersion(transaction, item('memo'), language);
    await write(transaction, 'memo', { title: 'Later' });
    await schedulePublish(transaction, item('memo'), language, '2099-01-01T00:00:00Z');
  },
  'publishes several at once': (transaction) =>
    publishMany(transaction, [
      { item: item('memo'), language },
      { item: item('hidden'), language },
    ]),
  'archives what many link to': (transaction) => deleteItem(transaction, item('ferry')),
  'restores that': async (transaction) => {
    const row = await transaction.tx.get<{ id: string }>(`SELECT id FROM item WHERE codename = 'ferry'`);
    return restoreItem(transaction, row?.id ?? '');
  },
  'changes nothing': (transaction) => publishVariant(transaction, item('ferry'), language),
  'archives the project and restores it': (transaction, core) => {
    const both = async () => {
      await core.operations.installation(null, (at) => archiveProject(at, transaction.project.id));
      await core.operations.installation(null, (at) => restoreProject(at, transaction.project.id));
    };
    afterwards.push(both);
    return Promise.resolve();
  },
};

/** What cannot be done inside the transaction of a project. */
const afterwards: (() => Promise<void>)[] = [];

const CODENAMES = [
  'lighthouse',
  'harbour',
  'ferry',
  'pier',
  'tide',
  'memo',
  'hidden',
  'coming',
  'came',
  'back',
  'entry',
];
const ADDRESSES = [
  ...CODENAMES.flatMap((codename) => [`/items/${codename}`, `/items/${codename}?depth=0&language=da`]),
  ...CODENAMES.flatMap((codename) => [
    `/items?elements.related[contains]=${codename}&depth=0`,
    `/items?system.type=article&elements.related[contains]=${codename}&depth=0`,
  ]),
  '/items',
  '/items?depth=3&language=de-AT',
  '/items-feed',
  ...['article', 'note', 'log'].flatMap((type) => [
    `/items?system.type=${type}&depth=2`,
    `/items?system.type=${type}&depth=0&order=elements.title[desc]&limit=2&includeTotalCount=true`,
    `/items?system.type[nin]=${type}&elements.title[empty]`,
    `/types/${type}`,
  ]),
  '/items?system.codename[in]=came,hidden&system.type=note',
  '/items?elements.photos[contains]=coming.png',
  '/items?elements.extra=x',
  '/types',
  '/types/article/elements/metadata__meta_title',
  '/taxonomies',
  '/taxonomies/moods',
  '/languages',
];

describe('tags of answers, operation by operation', () => {
  let folder: string;
  let database: TestDatabase;
  let core: RunningCore;
  let project: TwinProject;
  let feedTags: FeedTags;
  let compared = 0;
  let stale = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-tags-'));
    database = await testDatabase();
    core = await openCore({
      dataDir: folder,
      databaseUrl: database.url,
    });
    project = await TwinProject.create(core, 'Harbour', 'service');
    feedTags = new FeedTags(core, project.id);
    for (const batch of HARBOUR) await project.apply(batch);
    await core.operations.settled();
  });
  after(async () => {
    await core.close();
    await rm(folder, { recursive: true });
    await database.remove();
    // Both must have occurred, or the tests above have shown nothing.
    expect(compared).to.be.greaterThan(1000);
    expect(stale).to.be.greaterThan(200);
  });

  const byId = () => {
    const id = idOfExternalId(project.id, 'item', 'coming');
    return [`/items?system.id=${id}`, `/items?system.id[in]=${id},none&depth=0`];
  };
  const requests = () =>
    [...ADDRESSES, ...byId()].flatMap((address) =>
      (['published', 'latest'] as const).map((channel): ContentRequest => {
        const [path = '', query = ''] = address.split('?');
        return { channel, path: `/${project.id}${path}`, query };
      }),
    );

  async function compare(
    kept: readonly (readonly [ContentRequest, TaggedAnswer])[],
    when: string,
  ): Promise<void> {
    for (const [request, old] of kept) {
      if (!feedTags.holds(old)) {
        stale += 1;
        continue;
      }
      compared += 1;
      const { status, text } = await readTagged(core, request);
      const say = `${request.channel} ${request.path}?${request.query}, ${when}; kept by ${old.tags?.join(' ')}`;
      expect({ status, text }, say).to.deep.equal({ status: old.status, text: old.text });
    }
  }

  for (const [name, operation] of Object.entries(OPERATIONS)) {
    it(`stay valid or become stale when a caller ${name}`, async () => {
      const kept: (readonly [ContentRequest, TaggedAnswer])[] = [];
      for (const request of requests()) kept.push([request, await readTagged(core, request)]);
      await core.operations.inProject(project.id, null, (transaction) => operation(transaction, core));
      for (const act of afterwards.splice(0)) await act();
      await compare(kept, 'at once');
      await core.operations.settled();
      await compare(kept, 'when all was recompiled');
    });
  }
});

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
