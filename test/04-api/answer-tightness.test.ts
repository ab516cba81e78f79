import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { isLongForm } from '../support/long-form.ts';
import { FeedTags, readTagged, type TaggedAnswer } from '../support/projects/tagged-answers.ts';
import { openCore } from '../support/service/open-core.ts';

/** Entries of a cache, and how they are shared out (more in the long form). */
const ENTRIES = isLongForm ? 10_000 : 1_000;
const SINGLE = ENTRIES * 0.8;
const TYPES = 20;
const PAGES = (ENTRIES - SINGLE) / TYPES;
const language = { codename: 'default' };
const BATCH = 100;

describe('tags of a full cache', function () {
  this.timeout(300_000);
  let folder: string;
  let database: TestDatabase;
  let core: RunningCore;
  let project: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-tightness-'));
    database = await testDatabase();
    core = await openCore({
      dataDir: folder,
      databaseUrl: database.url,
    });
    ({ id: project } = await core.operations.installation(null, (at) =>
      createProject(at, { name: 'Tight' }),
    ));
    await core.operations.inProject(project, null, async (transaction) => {
      for (let type = 0; type < TYPES; type += 1)
        await createType(transaction, {
          name: `Type ${type}`,
          elements: [
            { type: 'text', name: 'Title' },
            { type: 'modular_content', name: 'Related' },
          ],
        });
    });
    for (let first = 0; first < SINGLE; first += BATCH)
      await core.operations.inProject(project, null, async (transaction) => {
        for (let item = first; item < first + BATCH; item += 1) {
          await createItem(transaction, { name: `Item ${item}`, type: { codename: `type_${item % TYPES}` } });
          // To its neighbour, of another type, as articles link to their authors.
          const related = item === 0 ? [] : [{ codename: `item_${item - 1}` }];
          await upsertVariant(transaction, { codename: `item_${item}` }, language, {
            elements: [
              { element: { codename: 'title' }, value: `Title ${item}` },
              { element: { codename: 'related' }, value: related },
            ],
          });
          await publishVariant(transaction, { codename: `item_${item}` }, language);
        }
      });
    await core.operations.settled();
  });
  after(async () => {
    await core.close();
    await rm(folder, { recursive: true });
    await database.remove();
  });

  const ask = (address: string): Promise<TaggedAnswer> => {
    const [path = '', query = ''] = address.split('?');
    return readTagged(core, { channel: 'published', path: `/${project}${path}`, query });
  };

  it(`lets ${ENTRIES} entries stay, except those that show a published item or list its type`, async () => {
    const feedTags = new FeedTags(core, project);
    const addresses = [
      ...Array.from({ length: SINGLE }, (_, item) => `/items/item_${item}`),
      ...Array.from({ length: TYPES * PAGES }, (_, page) => {
        const skip = (page % PAGES) * 5;
        return `/items?system.type=type_${page % TYPES}&limit=10&skip=${skip}&depth=${page % 3}`;
      }),
    ];
    const before: TaggedAnswer[] = [];
    for (const address of addresses) before.push(await ask(address));
    expect(before.every((one) => feedTags.holds(one))).to.equal(true);

    const item = { codename: `item_${SINGLE / 2}` };
    await core.operations.inProject(project, null, async (transaction) => {
      await newVersion(transaction, item, language);
      await upsertVariant(transaction, item, language, {
        elements: [{ element: { codename: 'title' }, value: 'Another title' }],
      });
      await publishVariant(transaction, item, language);
    });

    let fresh = 0;
    let needless = 0;
    for (const [index, address] of addresses.entries()) {
      const old = before[index]!;
      const now = await ask(address);
      if (feedTags.holds(old)) {
        fresh += 1;
        expect(now.text, address).to.equal(old.text);
      } else if (now.text === old.text) needless += 1;
    }
    const own = `type_${(SINGLE / 2) % TYPES}`;
    const listed = addresses.filter((address) => address.includes(`system.type=${own}&`)).length;
    const shown = addresses.length - fresh - listed;
    // The item itself, what links to it, and listings of another type that show what links to it.
    expect(shown).to.be.within(2, 2 + 0.01 * ENTRIES);
    expect(needless).to.be.at.most(listed);
    expect(fresh / addresses.length).to.be.greaterThan(0.9);
  });

  it('gives streamed answers no tags, and answers with too many tags a single one', async () => {
    const streamed = await ask('/items');
    expect([streamed.status, streamed.streamed, streamed.tags]).to.deep.equal([200, true, undefined]);
    const etag = streamed.headers['etag'] ?? '';
    const request = { channel: 'published', path: `/${project}/items`, query: '' } as const;
    const again = await readTagged(core, request, { ifNoneMatch: etag });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    const names = Array.from({ length: 250 }, (_, item) => `item_${item}`).join(',');
    const many = await ask(`/items?system.codename[in]=${names}&limit=100`);
    expect([many.status, many.tags]).to.deep.equal([200, ['*']]);
  });

  it('names the items that show a change, and the whole project where they are very many', async () => {
    const users = 760;
    const hubs = ['Wide', 'Narrow'];
    await core.operations.inProject(project, null, async (transaction) => {
      const links = [];
      for (const name of hubs) {
        const { id, codename } = await createItem(transaction, { name, type: { codename: 'type_0' } });
        await upsertVariant(transaction, { codename }, language, { elements: [] });
        links.push({ codename, html: `<p><a data-item-id="${id}">there</a></p>` });
      }
      await createType(transaction, {
        name: 'Linking',
        elements: [
          { type: 'rich_text', name: 'Body' },
          { type: 'modular_content', name: 'Related' },
        ],
      });
      for (let item = 0; item < users; item += 1) {
        const shown = item < 3 ? links : links.slice(0, 1);
        await createItem(transaction, { name: `User ${item}`, type: { codename: 'linking' } });
        await upsertVariant(transaction, { codename: `user_${item}` }, language, {
          elements: [
            { element: { codename: 'body' }, value: shown.map(({ html }) => html).join('') },
            { element: { codename: 'related' }, value: shown.map(({ codename }) => ({ codename })) },
          ],
        });
        await publishVariant(transaction, { codename: `user_${item}` }, language);
      }
    });
    await core.operations.settled();
    const feedTags = new FeedTags(core, project);
    const publish = (codename: string) =>
      core.operations.inProject(project, null, (transaction) =>
        publishVariant(transaction, { codename }, language),
      );
    const answers = () => Promise.all(['/items/user_1', '/items/user_500', '/items/item_1'].map(ask));
    let before = await answers();
    await publish('narrow');
    expect(before.map((one) => feedTags.holds(one))).to.deep.equal([false, true, true]);
    before = await answers();
    await publish('wide');
    expect(before.map((one) => feedTags.holds(one))).to.deep.equal([false, false, false]);
    expect((await ask('/items/user_500')).text).to.contain('"url_slug":""');
  });
});
