import { expect } from 'chai';
import { createAsset } from '../../core/assets/assets.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { deleteVariant, upsertVariant } from '../../core/content/variants.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../core/publishing/publish.ts';
import { schedulePublish } from '../../core/publishing/schedule.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { storeFile } from '../support/projects/store-file.ts';

const en = { codename: 'en' };
const FAR = '2999-01-01T00:00:00Z';
const ENGLISH = '00000000-0000-0000-0000-000000000000';
const UNKNOWN = '6f3a1c62-0000-4000-8000-000000000000';

interface ItemJson {
  readonly id: string;
  readonly codename: string;
  readonly languages: readonly {
    language: { codename: string };
    state: string;
    scheduled_to: string | null;
  }[];
}
interface ItemsJson {
  readonly items: readonly ItemJson[];
  readonly pagination: { readonly next: string | null };
}

const statesOf = (item: ItemJson) =>
  Object.fromEntries(item.languages.map(({ language, state }) => [language.codename, state]));

describe('admin API: content', () => {
  let notes: NotesService;
  const ids: Record<string, string> = {};

  before(async () => {
    notes = await NotesService.start();
    for (const name of ['draft', 'published', 'changed', 'scheduled', 'unpublished', 'archived', 'lost'])
      ids[name] = await notes.note(name, ['en', 'de']);
    ids['half'] = await notes.note('half', ['en']);
    await notes.run(async (transaction) => {
      for (const codename of ['published', 'changed', 'unpublished', 'archived'])
        await publishVariant(transaction, { codename }, en);
      await newVersion(transaction, { codename: 'changed' }, en);
      await upsertVariant(transaction, { codename: 'changed' }, en, {
        elements: [{ element: { codename: 'text' }, value: 'other' }],
      });
      await unpublishVariant(transaction, { codename: 'unpublished' }, en);
      await schedulePublish(transaction, { codename: 'scheduled' }, en, FAR);
      await deleteVariant(transaction, { codename: 'archived' }, en);
    });
    expect((await notes.admin('POST', `items/${ids['lost']}/archive`)).status).to.equal(204);
  });
  after(() => notes.stop());

  it('finds assets by title and file name, the newest first', async () => {
    const add = (name: string, type: string, title: string | null) =>
      notes.run(async (transaction) => {
        const content = Buffer.from(name);
        const file = await storeFile(transaction, notes.service.core.operations.blobs, {
          name,
          type,
          content,
        });
        return (await createAsset(transaction, { file: file.id, title })).id;
      });
    const first = await add('river_100%.png', 'image/png', null);
    const second = await add('b.txt', 'text/plain', 'River list');
    await add('c.txt', 'text/plain', 'Other');
    const find = async (query: string) => {
      const { body } = await notes.admin<{
        assets: { id: string }[];
        pagination: { next: string | null };
      }>('GET', `assets?${query}`);
      return { found: body.assets.map(({ id }) => id), next: body.pagination.next };
    };
    expect((await find('text=RIVER')).found).to.deep.equal([second, first]);
    expect((await find('text=river&kind=image')).found).to.deep.equal([first]);
    expect((await find('text=100%25')).found).to.deep.equal([first]);
    expect((await find('text=_')).found).to.deep.equal([first]);
    const page = await find('text=river&limit=1');
    expect(page.found).to.deep.equal([second]);
    expect((await find(`text=river&limit=1&after=${page.next}`)).found).to.deep.equal([first]);
    expect((await notes.admin('GET', 'assets?kind=video')).status).to.equal(400);
  });

  it('lists every item with the state of each language', async () => {
    const { body } = await notes.admin<ItemsJson>('GET', 'items');
    const states = Object.fromEntries(body.items.map((item) => [item.codename, statesOf(item)]));
    expect(states).to.deep.equal({
      draft: { en: 'draft', de: 'draft' },
      published: { en: 'published', de: 'draft' },
      changed: { en: 'changed', de: 'draft' },
      scheduled: { en: 'scheduled', de: 'draft' },
      unpublished: { en: 'unpublished', de: 'draft' },
      archived: { en: 'archived', de: 'draft' },
      lost: { en: 'archived', de: 'archived' },
      half: { en: 'draft', de: 'not_translated' },
    });
    const one = await notes.admin<ItemJson>('GET', `items/${ids['scheduled']}`);
    expect(one.body).to.deep.equal(body.items.find(({ codename }) => codename === 'scheduled'));
    expect(one.body.languages[0]?.scheduled_to).to.equal('2999-01-01T00:00:00.0000000Z');
    expect((await notes.admin('GET', `items/${UNKNOWN}`)).status).to.equal(404);
  });

  const filters: readonly [string, readonly string[]][] = [
    ['state=published', ['published']],
    ['state=not_translated', ['half']],
    ['state=not_translated&language=en', []],
    ['state=draft&language=en', ['draft', 'half']],
    ['state=archived', ['archived', 'lost']],
    ['language=de&text=HA', ['changed']],
    ['text=ha', ['changed', 'half']],
    ['text=%25', []],
    ['type=note&state=scheduled', ['scheduled']],
  ];
  for (const [query, wanted] of filters)
    it(`filters by ${query}`, async () => {
      const { body } = await notes.admin<ItemsJson>('GET', `items?${query}`);
      expect(body.items.map(({ codename }) => codename)).to.deep.equal(wanted);
    });

  for (const [query, status] of [
    ['state=lost', 400],
    ['type=none', 404],
    ['language=fr', 404],
    ['limit=0', 400],
    ['after=1.2', 400],
  ] as const)
    it(`answers ${status} to the filter ${query}`, async () => {
      expect((await notes.admin('GET', `items?${query}`)).status).to.equal(status);
    });

  it('gives the same items page by page', async () => {
    const whole = await notes.admin<ItemsJson>('GET', 'items');
    const seen: ItemJson[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const { body }: { body: ItemsJson } = await notes.admin('GET', `items?limit=3&after=${next}`);
      seen.push(...body.items);
      next = body.pagination.next;
    }
    expect(seen).to.deep.equal(whole.body.items);
  });

  describe('the plan of a change of an item', () => {
    interface Impact {
      readonly name: string;
      readonly codename: string;
      readonly languages: readonly { codename: string }[];
      readonly shown_by: { readonly count: number };
      readonly webhook_count: number;
      readonly webhooks: readonly { name: string }[];
    }
    const plan = (name: string, change: object) =>
      notes.admin<Impact & { message: string }>('POST', `items/${ids[name]}/impact`, {
        sitemap_locations: [],
        ...change,
      });
    const nameOf = async (name: string) => {
      const { body } = await notes.admin<{ name: string; codename: string }>('GET', `items/${ids[name]}`);
      return [body.name, body.codename];
    };

    it('says what readers notice, and who is called, and changes nothing', async () => {
      await notes.manage('POST', '/webhooks', {
        name: 'Site',
        url: 'https://site.example.org/',
        triggers: { delivery_api_content_changes: [{ type: 'content_item', operations: ['upsert'] }] },
      });
      const change = { name: 'Renamed', codename: 'published' };
      expect((await plan('published', change)).body.webhook_count, 'nothing shows it').to.equal(0);
      const value = ['published', 'draft'].map((name) => ({ id: ids[name] ?? '' }));
      const guide = await notes.note('guide', ['en'], { element: { codename: 'links' }, value });
      await notes.run((transaction) => publishVariant(transaction, { id: guide }, en));
      const { status, body } = await plan('published', change);
      expect(status).to.equal(200);
      // The codename was made from the name, so it follows.
      expect(body).to.include({ name: 'Renamed', codename: 'renamed', webhook_count: 1 });
      expect(body.shown_by.count).to.equal(1);
      expect(body.languages.map(({ codename }) => codename)).to.deep.equal(['en']);
      expect(body.webhooks.map(({ name }) => name)).to.deep.equal(['Site']);
      expect(await nameOf('published')).to.deep.equal(['published', 'published']);
      const draft = await plan('draft', { name: 'Renamed', codename: 'other' });
      expect(draft.body).to.include({ name: 'Renamed', codename: 'other', webhook_count: 1 });
      expect([draft.body.languages, draft.body.shown_by.count]).to.deep.equal([[], 1]);
      const unseen = await plan('draft', { name: 'Draft' });
      expect([unseen.body.webhook_count, unseen.body.shown_by.count]).to.deep.equal([0, 0]);
      const same = await plan('published', { name: 'published', codename: 'published' });
      expect(same.body.webhook_count).to.equal(0);
      // As for the change itself, an empty codename is none.
      expect((await plan('draft', { name: 'Renamed', codename: '' })).body.codename).to.equal('renamed');
    });

    it('is refused where the change would be', async () => {
      const taken = await plan('draft', { name: 'draft', codename: 'published' });
      expect(taken.status).to.equal(400);
      expect(JSON.stringify(taken.body)).to.include("The codename 'published' is taken by another item.");
      expect((await plan('draft', { name: '' })).status).to.equal(400);
      expect((await plan('draft', { name: 'A', sitemap_locations: null })).status).to.equal(400);
      expect((await plan('lost', { name: 'A' })).status).to.equal(404);
    });
  });

  it('archives and restores items and variants, which readers notice at once', async () => {
    const id = await notes.note('phoenix', ['en', 'de']);
    const variants = ['en', 'de'].map((codename) => ({ item: id, language: { codename } }));
    await notes.admin('POST', 'publish', { variants });
    const german = `items/${id}/variants/${await languageId('de')}`;
    expect(await notes.published('de')).to.include('phoenix');
    expect((await notes.admin('POST', `${german}/archive`)).status).to.equal(204);
    expect(await notes.published('de')).not.to.include('phoenix');
    expect((await notes.admin('POST', `${german}/archive`)).status).to.equal(404);
    expect((await notes.admin('POST', `${german}/restore`)).status).to.equal(204);
    expect(await notes.published('de')).to.include('phoenix');
    expect((await notes.admin('POST', `${german}/restore`)).status).to.equal(409);
    expect((await notes.admin('POST', `items/${id}/archive`)).status).to.equal(204);
    expect(await notes.published()).not.to.include('phoenix');
    expect((await notes.admin('POST', `items/${id}/archive`)).status).to.equal(404);
    expect((await notes.admin('POST', `items/${id}/restore`)).status).to.equal(204);
    expect((await notes.admin('POST', `items/${id}/restore`)).status).to.equal(409);
    expect(await notes.published('de')).to.include('phoenix');
  });

  it('restores the last variant of an item with the item that went with it', async () => {
    const id = await notes.note('lone', ['en']);
    const english = `items/${id}/variants/${await languageId('en')}`;
    expect((await notes.admin('POST', `${english}/archive`)).status).to.equal(204);
    const other = `items/${id}/variants/${await languageId('de')}`;
    expect((await notes.admin('POST', `${other}/restore`)).status).to.equal(404);
    expect((await notes.admin('POST', `${english}/restore`)).status).to.equal(204);
    const { body } = await notes.admin<ItemJson>('GET', `items/${id}`);
    expect(statesOf(body)).to.deep.equal({ en: 'draft', de: 'not_translated' });
    expect((await notes.admin('POST', `${english}/restore`)).status).to.equal(409);
  });

  async function languageId(codename: string): Promise<string> {
    return notes.run(async ({ model }) => model.languageByCodename.get(codename)?.id ?? '');
  }

  it('deactivates and activates languages', async () => {
    const german = await languageId('de');
    expect((await notes.admin('POST', `languages/${german}/deactivate`)).status).to.equal(204);
    const { body } = await notes.admin<ItemJson>('GET', `items/${ids['draft']}`);
    expect(statesOf(body)).to.deep.equal({ en: 'draft' });
    expect((await notes.admin('POST', `languages/${german}/activate`)).status).to.equal(204);
    const standard = await languageId('en');
    expect((await notes.admin('POST', `languages/${standard}/deactivate`)).status).to.equal(400);
    expect((await notes.admin('POST', `languages/${UNKNOWN}/activate`)).status).to.equal(404);
  });

  it('archives and restores taxonomy groups that nothing uses', async () => {
    const id = await notes.run(async (transaction) => {
      const group = await createTaxonomy(transaction, { name: 'Moods', terms: [{ name: 'Glad' }] });
      return group.id;
    });
    const status = async () =>
      (await fetch(`${notes.service.url}/delivery/${notes.project}/taxonomies/moods`)).status;
    expect(await status()).to.equal(200);
    expect((await notes.admin('POST', `taxonomies/${id}/archive`)).status).to.equal(204);
    expect(await status()).to.equal(404);
    expect((await notes.admin('POST', `taxonomies/${id}/archive`)).status).to.equal(404);
    expect((await notes.admin('POST', `taxonomies/${id}/restore`)).status).to.equal(204);
    expect((await notes.admin('POST', `taxonomies/${id}/restore`)).status).to.equal(409);
    expect(await status()).to.equal(200);
    await notes.admin('POST', `taxonomies/${id}/archive`);
    await notes.run((transaction) => createTaxonomy(transaction, { name: 'Moods', terms: [] }));
    expect((await notes.admin('POST', `taxonomies/${id}/restore`)).status).to.equal(409);
    expect((await notes.admin('POST', `taxonomies/${UNKNOWN}/restore`)).status).to.equal(404);
  });

  it('replaces the sitemap and keeps the ids it is given', async () => {
    interface Sitemap {
      nodes: { id: string; name: string; codename: string; nodes: object[] }[];
    }
    const first = await notes.admin<Sitemap>('PUT', 'sitemap', {
      nodes: [{ name: 'Home', nodes: [{ name: 'News' }] }],
    });
    expect(first.status).to.equal(200);
    const [home] = first.body.nodes;
    const second = await notes.admin<Sitemap>('PUT', 'sitemap', { nodes: [{ id: home?.id, name: 'Start' }] });
    expect(second.body.nodes[0]).to.deep.equal({ id: home?.id, name: 'Start', codename: 'start', nodes: [] });
    expect((await notes.admin('GET', 'sitemap')).body).to.deep.equal(second.body);
    for (const body of [{}, { nodes: null }, { nodes: [5] }, { nodes: [{ name: '' }] }])
      expect((await notes.admin('PUT', 'sitemap', body)).status, JSON.stringify(body)).to.equal(400);
    const deep = await notes.admin<{ validation_errors: { path: string }[] }>('PUT', 'sitemap', {
      nodes: [
        {
          name: 'Home',
          nodes: [
            { name: 'News', nodes: 5 },
            { name: 'Old', nodes: [null] },
          ],
        },
      ],
    });
    expect(deep.body.validation_errors.map(({ path }) => path)).to.have.members([
      'nodes[0].nodes[0].nodes',
      'nodes[0].nodes[1].nodes',
    ]);
    expect((await notes.admin('GET', 'sitemap')).body).to.deep.equal(second.body);
  });

  it('lists what refers to an item and to an asset, and whether that is public', async () => {
    interface UsedIn {
      used_in: {
        item: { codename: string };
        language: { codename: string };
        published: boolean;
        latest: boolean;
      }[];
      pagination: { next: string | null };
    }
    const target = await notes.note('target');
    const asset = await notes.run(async (transaction) => {
      const content = Buffer.from('hello');
      const file = await storeFile(transaction, notes.service.core.operations.blobs, {
        name: 'a.txt',
        type: 'text/plain',
        content,
      });
      return (await createAsset(transaction, { file: file.id })).id;
    });
    const links = { element: { codename: 'links' }, value: [{ id: target }] };
    const files = { element: { codename: 'files' }, value: [{ id: asset }] };
    await notes.note('user_one', ['en', 'de'], links, files);
    await notes.note('user_two', ['en'], links);
    await notes.run((transaction) => publishVariant(transaction, { codename: 'user_two' }, en));
    await notes.run(async (transaction) => {
      await newVersion(transaction, { codename: 'user_two' }, en);
      await upsertVariant(transaction, { codename: 'user_two' }, en, {
        elements: [{ element: { codename: 'links' }, value: [] }],
      });
    });
    const short = ({ used_in }: UsedIn) =>
      used_in.map((use) => [use.item.codename, use.language.codename, use.published, use.latest]);
    const { body } = await notes.admin<UsedIn>('GET', `items/${target}/used-in`);
    expect(short(body)).to.deep.equal([
      ['user_one', 'en', false, true],
      ['user_one', 'de', false, true],
      ['user_two', 'en', true, false],
    ]);
    const first = await notes.admin<UsedIn>('GET', `items/${target}/used-in?limit=2`);
    const second = await notes.admin<UsedIn>(
      'GET',
      `items/${target}/used-in?limit=2&after=${first.body.pagination.next}`,
    );
    expect([...first.body.used_in, ...second.body.used_in]).to.deep.equal(body.used_in);
    const used = await notes.admin<UsedIn>('GET', `assets/${asset}/used-in`);
    expect(short(used.body)).to.deep.equal([
      ['user_one', 'en', false, true],
      ['user_one', 'de', false, true],
    ]);
    for (const path of [`items/${UNKNOWN}/used-in`, `assets/${UNKNOWN}/used-in`])
      expect((await notes.admin('GET', path)).status).to.equal(404);
  });
});

describe('admin API: publishing and history', () => {
  interface Plan {
    plan: boolean;
    scheduled_to: string | null;
    variants: { item: { codename: string }; language: { codename: string }; change: string }[];
    dangling: {
      from: { item: { codename: string } };
      to: { id: string; kind: string; codename: string | null };
      reason: string;
    }[];
    validation_errors?: { path: string }[];
  }
  let notes: NotesService;

  before(async () => {
    notes = await NotesService.start();
  });
  after(() => notes.stop());

  it('plans without publishing, and lists references that would be broken', async () => {
    const target = await notes.note('target');
    const gone = await notes.note('gone');
    const value = [{ id: target }, { id: gone }, { external_id: 'not yet' }];
    const from = await notes.note(
      'from',
      ['en'],
      { element: { codename: 'links' }, value },
      {
        element: { codename: 'files' },
        value: [{ external_id: 'no file' }],
      },
    );
    await notes.admin('POST', `items/${gone}/archive`);
    const variants = [{ item: { id: from }, language: en }];
    const before = await notes.admin('GET', '/audit');
    const { body, status } = await notes.admin<Plan>('POST', 'publish?plan=true', { variants });
    expect(status).to.equal(200);
    expect(body.plan).to.equal(true);
    expect(body.variants.map(({ item, change }) => [item.codename, change])).to.deep.equal([
      ['from', 'publish'],
    ]);
    expect(body.dangling.map(({ to, reason }) => [to.kind, to.codename, reason])).to.deep.equal([
      ['item', 'target', 'unpublished'],
      ['item', 'gone', 'archived'],
      ['item', null, 'missing'],
      ['asset', null, 'missing'],
    ]);
    expect(await notes.published()).to.deep.equal([]);
    expect((await notes.admin('GET', '/audit')).body).to.deep.equal(before.body);
    const both = await notes.admin<Plan>('POST', 'publish?plan=true', {
      variants: [...variants, { item: target, language: 'en' }],
    });
    expect(both.body.dangling.map(({ reason }) => reason)).to.deep.equal(['archived', 'missing', 'missing']);
    const done = await notes.admin<Plan>('POST', 'publish', {
      variants: [...variants, { item: target, language: 'en' }],
    });
    expect(done.body.plan).to.equal(false);
    expect(await notes.published()).to.have.members(['from', 'target']);
    const again = await notes.admin<Plan>('POST', 'publish', { variants });
    expect(again.body.variants[0]?.change).to.equal('none');
  });

  it('changes nothing where the parameter that asks for a plan is neither true nor false', async () => {
    const id = await notes.note('unplanned');
    const act = { objects: [{ item: { id }, language: en }] };
    for (const plan of ['1', 'yes', 'TRUE', '']) {
      const calls = [
        await notes.admin<Plan>('POST', `publish?plan=${plan}`, { variants: [{ item: id, language: 'en' }] }),
        await notes.admin<Plan>('POST', `acts/publish?plan=${plan}`, act),
        await notes.admin<Plan>('POST', `items/${id}/variants/${ENGLISH}/discard-draft?plan=${plan}`),
      ];
      expect(calls.map(({ status }) => status)).to.deep.equal([400, 400, 400]);
      expect(calls[0]?.body).to.deep.include({ message: "'plan' must be one of true, false." });
    }
    expect(await notes.published()).to.not.include('unplanned');
    const filter = await notes.admin('GET', 'content?lacking=1');
    expect(filter.status).to.equal(400);
  });

  it('says where in the body a value is wrong', async () => {
    const answer = await notes.admin<{ validation_errors: object[] }>('POST', 'acts/publish', {
      objects: [{ item: 'one' }, { item: 5 }],
    });
    expect(answer.status).to.equal(400);
    expect(answer.body.validation_errors).to.deep.equal([
      {
        message: 'An id or codename, or an object with exactly one of id, codename, external_id is expected.',
        path: 'objects[1].item',
        line: 1,
        position: '{"objects":[{"item":"one"},{"item":'.length + 1,
      },
    ]);
  });

  it('reads times of a query as UTC where they have no zone, and refuses days that do not exist', async () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    try {
      const total = async (query: string) =>
        (await notes.admin<{ total: number }>('GET', `content?${query}`)).body.total;
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      expect(await total(`changed_before=${soon.replace(/\.\d+Z$/, '')}`)).to.be.greaterThan(0);
      expect(await total(`changed_from=${soon.replace(/\.\d+Z$/, '')}`)).to.equal(0);
      const ago = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+Z$/, '');
      expect(await total(`changed_before=${ago}`)).to.equal(0);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
    for (const [path, name] of [
      ['content?changed_from=2026-02-31', 'changed_from'],
      ['schedules?from=soon', 'from'],
      ['schedules?to=2026-13-01', 'to'],
    ]) {
      const refused = await notes.admin('GET', path!);
      expect(refused.status, path).to.equal(400);
      expect(refused.body).to.include({ message: `'${name}' must be an ISO 8601 date and time.` });
    }
    expect((await notes.admin('GET', 'find?kind=cup')).status).to.equal(400);
  });

  it('publishes none of them when one cannot be', async () => {
    const id = await notes.note('kept');
    const refused = await notes.admin<Plan>('POST', 'publish', {
      variants: [
        { item: id, language: 'en' },
        { item: id, language: 'de' },
        { item: 'missing', language: 'en' },
      ],
    });
    expect(refused.status).to.equal(400);
    expect(refused.body.validation_errors?.map(({ path }) => path)).to.deep.equal([
      'variants[1]',
      'variants[2]',
    ]);
    expect(await notes.published()).not.to.include('kept');
    for (const body of [
      {},
      { variants: [] },
      { variants: 'all' },
      { variants: [{ item: id }] },
      { variants: [null] },
    ])
      expect((await notes.admin('POST', 'publish', body)).status, JSON.stringify(body)).to.equal(400);
    const late = { variants: [{ item: id, language: 'en' }], scheduled_to: 'soon' };
    expect((await notes.admin<Plan>('POST', 'publish', late)).body.validation_errors?.[0]?.path).to.equal(
      'scheduled_to',
    );
  });

  it('schedules several as one job, which can be canceled', async () => {
    interface Job {
      id: string;
      state: string;
      kind: string;
      total: number;
      due: string | null;
      project: string;
    }
    const variants = [
      { item: await notes.note('later_one'), language: 'en' },
      { item: await notes.note('later_two'), language: 'en' },
    ];
    const { body } = await notes.admin<Plan>('POST', 'publish', { variants, scheduled_to: FAR });
    expect(body.scheduled_to).to.equal('2999-01-01T00:00:00.0000000Z');
    const jobs = await notes.admin<{ jobs: Job[] }>('GET', '/jobs');
    const [job] = jobs.body.jobs;
    expect(job).to.deep.include({
      kind: 'scheduled-publish',
      state: 'waiting',
      total: 2,
      project: notes.project,
    });
    expect((await notes.admin('GET', `/jobs/${job?.id}`)).body).to.deep.equal(job);
    const scheduled = await notes.admin<ItemsJson>('GET', 'items?state=scheduled');
    expect(scheduled.body.items).to.have.length(2);
    expect((await notes.admin('DELETE', `/jobs/${job?.id}`)).status).to.equal(204);
    expect((await notes.admin('DELETE', `/jobs/${job?.id}`)).status).to.equal(409);
    expect((await notes.admin<Job>('GET', `/jobs/${job?.id}`)).body).to.deep.include({
      state: 'canceled',
      due: null,
    });
    expect((await notes.admin<ItemsJson>('GET', 'items?state=scheduled')).body.items).to.have.length(0);
    expect((await notes.admin('GET', `/jobs/${UNKNOWN}`)).status).to.equal(404);
  });

  it('keeps who changed what and when, by the user of the key', async () => {
    interface Revisions {
      revisions: {
        operation: string;
        type: string;
        language: object | null;
        user: { id: string; name: string } | null;
      }[];
      pagination: { next: string | null };
    }
    const id = await notes.note('history', ['de']);
    const variant = `items/${id}/variants/codename/en`;
    const elements = [{ element: { codename: 'text' }, value: 'by Anna' }];
    expect(await notes.manage('PUT', variant, { elements })).to.equal(201);
    expect(await notes.manage('PUT', `${variant}/publish`)).to.equal(204);
    const { body } = await notes.admin<Revisions>('GET', `revisions?item=${id}`);
    expect(body.revisions.map(({ type, operation, user }) => [type, operation, user?.name])).to.deep.equal([
      ['content_item_variant', 'publish', 'Anna'],
      ['content_item_variant', 'create', 'Anna'],
      ['content_item_variant', 'create', undefined],
      ['content_item', 'create', undefined],
    ]);
    expect(body.revisions[0]?.user?.id).to.equal(notes.user);
    const english = await notes.admin<Revisions>('GET', 'revisions?item=history&language=en');
    expect(english.body.revisions).to.deep.equal(body.revisions.slice(0, 2));
    const seen: object[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: { body: Revisions } = await notes.admin(
        'GET',
        `revisions?item=${id}&limit=1&after=${next}`,
      );
      seen.push(...page.body.revisions);
      next = page.body.pagination.next;
    }
    expect(seen).to.deep.equal(body.revisions);
    const whole = await notes.admin<Revisions>('GET', 'revisions?limit=4');
    expect(whole.body.revisions).to.deep.equal(body.revisions);
    const german = await notes.admin<Revisions>('GET', 'revisions?language=de');
    expect(german.body.revisions).to.have.length(1);
    expect((await notes.admin('GET', 'revisions?item=missing')).status).to.equal(404);
    expect((await notes.admin('GET', 'revisions?language=fr')).status).to.equal(404);
  });
});
