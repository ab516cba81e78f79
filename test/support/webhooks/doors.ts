/**
 * Every door through which content changes, and what webhooks are told of it. The table in core/webhooks/README.md
 * is this list, which a test compares; another goes through all of it.
 */
import type { DoorWorld } from './door-world.ts';

export interface Door {
  /** `v2`, `v1`, `admin` or `clock`. */
  readonly door: string;
  readonly does: string;
  /** Type and operation; null = nothing is told. */
  readonly fires: string | null;
  /** What is in `data.items` or `data.taxonomies`, for the reader of the table. */
  readonly lists: string;
  /** Prepares, calls `world.begin()`, acts; answers the items that are to be listed, and the taxonomies. */
  readonly run: (world: DoorWorld) => Promise<readonly string[] | Listed>;
}

export interface Listed {
  readonly items: readonly string[];
  readonly taxonomies: readonly string[];
}

const NOTHING = '–';
const door = (name: string, does: string, fires: string | null, lists: string, run: Door['run']): Door => ({
  door: name,
  does,
  fires,
  lists,
  run,
});
const at = (note: string, language = 'en') => `${note}/${language}`;

const variants: readonly Door[] = [
  door('v2', 'make an item, write or change a draft', null, NOTHING, async (world) => {
    await world.begin();
    const note = await world.note({ in: ['en', 'de'] });
    await world.variant('PUT', note, 'en', '', {
      elements: [{ element: { codename: 'text' }, value: 'other' }],
    });
    return [];
  }),
  door('v2', 'publish a variant', 'content_item_variant publish', 'the variant', async (world) => {
    const note = await world.note({ in: ['en', 'de'] });
    await world.begin();
    await world.publish(note, 'de');
    return [at(note, 'de')];
  }),
  door('v2', 'publish what is published already', null, NOTHING, async (world) => {
    const note = await world.published();
    await world.begin();
    await world.publish(note);
    return [];
  }),
  door('v2', 'open a new version, change it', null, NOTHING, async (world) => {
    const note = await world.published();
    await world.begin();
    await world.variant('PUT', note, 'en', 'new-version');
    await world.variant('PUT', note, 'en', '', {
      elements: [{ element: { codename: 'text' }, value: 'other' }],
    });
    return [];
  }),
  door('v2', 'publish a new version', 'content_item_variant publish', 'the variant', async (world) => {
    const note = await world.published();
    await world.variant('PUT', note, 'en', 'new-version');
    await world.begin();
    await world.publish(note);
    return [at(note)];
  }),
  door('v2', 'schedule, cancel a schedule', null, NOTHING, async (world) => {
    const note = await world.note();
    await world.begin();
    await world.variant('PUT', note, 'en', 'publish', { scheduled_to: '2999-01-01T00:00:00Z' });
    await world.variant('PUT', note, 'en', 'cancel-scheduled-publish');
    return [];
  }),
  door('clock', 'a schedule is due', 'content_item_variant publish', 'the variants', async (world) => {
    const note = await world.note();
    await world.begin();
    const at200 = new Date(Date.now() + 200).toISOString();
    await world.variant('PUT', note, 'en', 'publish', { scheduled_to: at200 });
    for (let left = 100; left > 0 && (await world.told()).length === 0; left--)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return [at(note)];
  }),
  door('v2', 'unpublish a variant', 'content_item_variant unpublish', 'the variant', async (world) => {
    const note = await world.published();
    await world.begin();
    await world.variant('PUT', note, 'en', 'unpublish');
    return [at(note)];
  }),
  door('v2', 'unpublish and archive', 'content_item_variant unpublish', 'the variant', async (world) => {
    const note = await world.published({ in: ['en', 'de'] });
    await world.begin();
    await world.variant('PUT', note, 'en', 'unpublish-and-archive');
    return [at(note)];
  }),
  door('v2', 'move a draft to the step Archived', null, NOTHING, async (world) => {
    const note = await world.note({ in: ['en', 'de'] });
    await world.begin();
    await world.variant('PUT', note, 'de', 'workflow/8ab361ad-c88d-4d90-b191-e410a5e2b1ac');
    return [];
  }),
  door('v2', 'delete a published variant', 'content_item_variant archive', 'the variant', async (world) => {
    const note = await world.note({ in: ['en', 'de'], published: ['en', 'de'] });
    await world.begin();
    await world.variant('DELETE', note, 'de');
    return [at(note, 'de')];
  }),
  door('v2', 'delete a variant that is not published', null, NOTHING, async (world) => {
    const note = await world.published({ in: ['en', 'de'] });
    await world.begin();
    await world.variant('DELETE', note, 'de');
    return [];
  }),
];

const items: readonly Door[] = [
  door('v2', 'delete the last variant, published', 'content_item archive', 'the variant', async (world) => {
    const note = await world.published();
    await world.begin();
    await world.variant('DELETE', note, 'en');
    return [at(note)];
  }),
  door('v2', 'delete an item', 'content_item archive', 'each published language', async (world) => {
    const note = await world.note({ in: ['en', 'de'], published: ['en', 'de'] });
    await world.begin();
    await world.v2('DELETE', `items/codename/${note}`);
    return [at(note, 'de'), at(note)];
  }),
  door('v2', 'delete an item of which nothing is published', null, NOTHING, async (world) => {
    const note = await world.note();
    await world.begin();
    await world.v2('DELETE', `items/codename/${note}`);
    return [];
  }),
  door(
    'v2',
    'rename an item or move it in the sitemap',
    'content_item upsert',
    'the other published items that show it',
    async (world) => {
      const note = await world.published();
      const linking = await world.published({ links: [note] });
      await world.note({ links: [note] });
      await world.begin();
      await world.v2('PUT', `items/codename/${note}`, { name: world.name(), sitemap_locations: [] });
      return [at(linking)];
    },
  ),
  door('v2', 'rename an item that no published one shows', null, NOTHING, async (world) => {
    const note = await world.published();
    await world.note({ links: [note] });
    await world.begin();
    await world.v2('PUT', `items/codename/${note}`, { name: world.name(), sitemap_locations: [] });
    return [];
  }),
  door(
    'v2',
    'make an item that published ones waited for by its external id',
    'content_item upsert',
    'the published items that show it',
    async (world) => {
      const external = world.name();
      const linking = await world.note();
      await world.variant('PUT', linking, 'en', '', {
        elements: [{ element: { codename: 'links' }, value: [{ external_id: external }] }],
      });
      await world.publish(linking);
      await world.begin();
      await world.v2('PUT', `items/external-id/${external}`, {
        name: world.name(),
        type: { codename: 'note' },
        sitemap_locations: [],
      });
      return [at(linking)];
    },
  ),
  door('v1', 'import items, variants, files', null, NOTHING, async (world) => {
    const external = world.name();
    await world.begin();
    await world.v1('PUT', `items/external-id/${external}`, { name: external, type: { codename: 'note' } });
    await world.v1('PUT', `items/external-id/${external}/variants/codename/en`, {
      elements: { text: 'from elsewhere' },
    });
    await world.v1('POST', 'files/a.txt', Buffer.from('a'));
    return [];
  }),
  door('v1', 'delete an item', 'content_item archive', 'each published language', async (world) => {
    const note = await world.published();
    await world.begin();
    await world.v1('DELETE', `items/codename/${note}`);
    return [at(note)];
  }),
  door('admin', 'archive an item', 'content_item archive', 'each published language', async (world) => {
    const note = await world.published();
    const id = await world.idOf(note);
    await world.begin();
    await world.admin('POST', `items/${id}/archive`);
    return [at(note)];
  }),
  door(
    'admin',
    'restore an item that was public',
    'content_item restore_publish',
    'each published language',
    async (world) => {
      const note = await world.note({ in: ['en', 'de'], published: ['en'] });
      const id = await world.idOf(note);
      await world.admin('POST', `items/${id}/archive`);
      await world.begin();
      await world.admin('POST', `items/${id}/restore`);
      return [at(note)];
    },
  ),
  door('admin', 'restore an item that was not public', null, NOTHING, async (world) => {
    const note = await world.note();
    const id = await world.idOf(note);
    await world.admin('POST', `items/${id}/archive`);
    await world.begin();
    await world.admin('POST', `items/${id}/restore`);
    return [];
  }),
  door(
    'admin',
    'archive a published variant',
    'content_item_variant archive',
    'the variant',
    async (world) => {
      const note = await world.note({ in: ['en', 'de'], published: ['en', 'de'] });
      const id = await world.idOf(note);
      await world.begin();
      await world.admin('POST', `items/${id}/variants/00000000-0000-0000-0000-000000000000/archive`);
      return [at(note)];
    },
  ),
  door(
    'admin',
    'restore a variant that was public',
    'content_item_variant restore_publish',
    'the variant',
    async (world) => {
      const note = await world.note({ in: ['en', 'de'], published: ['en', 'de'] });
      const id = await world.idOf(note);
      const variant = `items/${id}/variants/00000000-0000-0000-0000-000000000000`;
      await world.admin('POST', `${variant}/archive`);
      await world.begin();
      await world.admin('POST', `${variant}/restore`);
      return [at(note)];
    },
  ),
  door(
    'admin',
    'publish several variants at once',
    'content_item_variant publish',
    'all of them, in one notification',
    async (world) => {
      const notes = [await world.note(), await world.note(), await world.published()];
      await world.begin();
      await world.admin('POST', 'publish', { variants: notes.map((item) => ({ item, language: 'en' })) });
      return [at(notes[0] ?? ''), at(notes[1] ?? '')];
    },
  ),
  door('admin', 'plan a publish', null, NOTHING, async (world) => {
    const note = await world.note();
    await world.begin();
    await world.admin('POST', 'publish?plan=true', { variants: [{ item: note, language: 'en' }] });
    return [];
  }),
];

const model: readonly Door[] = [
  door('v2', 'make or delete a content type', 'content_type upsert', 'nothing', async (world) => {
    await world.begin();
    const name = world.name();
    await world.v2('POST', 'types', { name, elements: [{ type: 'text', name: 'Text', codename: 'text' }] });
    return [];
  }),
  door(
    'v2',
    'change the elements of a type, or its codename',
    'content_type upsert',
    'published items of the type, or with components of it',
    async (world) => {
      const name = world.name();
      await world.v2('POST', 'types', { name, elements: [{ type: 'text', name: 'Text', codename: 'text' }] });
      const note = await world.published({ type: name });
      await world.note({ type: name });
      await world.begin();
      await world.v2('PATCH', `types/codename/${name}`, [
        { op: 'replace', path: '/elements/codename:text/name', value: 'Words' },
      ]);
      return [at(note)];
    },
  ),
  door(
    'v2',
    'change of a type what documents do not show (guidelines, limits)',
    'content_type upsert',
    'nothing',
    async (world) => {
      await world.published();
      await world.begin();
      await world.v2('PATCH', 'types/codename/note', [
        { op: 'replace', path: '/elements/codename:text/guidelines', value: world.name() },
      ]);
      return [];
    },
  ),
  door('v2', 'make a snippet', null, NOTHING, async (world) => {
    await world.begin();
    await world.v2('POST', 'snippets', { name: world.name(), elements: [{ type: 'text', name: 'T' }] });
    return [];
  }),
  door(
    'v2',
    'change a snippet that types hold',
    'content_type upsert',
    'published items of those types',
    async (world) => {
      const snippet = world.name();
      const name = world.name();
      await world.v2('POST', 'snippets', {
        name: snippet,
        elements: [{ type: 'text', name: 'Title', codename: 'title' }],
      });
      await world.v2('POST', 'types', {
        name,
        elements: [
          { type: 'text', name: 'Text', codename: 'text' },
          { type: 'snippet', codename: 'more', snippet: { codename: snippet } },
        ],
      });
      const note = await world.published({ type: name });
      await world.begin();
      await world.v2('PATCH', `snippets/codename/${snippet}`, [
        { op: 'replace', path: '/elements/codename:title/name', value: 'Headline' },
      ]);
      return [at(note)];
    },
  ),
  door('v2', 'make a taxonomy group', 'taxonomy upsert', 'the group', async (world) => {
    const name = world.name();
    await world.begin();
    await world.v2('POST', 'taxonomies', { name, terms: [] });
    return { items: [], taxonomies: [name] };
  }),
  door(
    'v2',
    'rename a term',
    'taxonomy upsert',
    'the group; published items that have the term',
    async (world) => {
      const note = await world.published({ terms: ['sea'] });
      const other = await world.published({ terms: ['land'] });
      await world.begin();
      await world.v2('PATCH', 'taxonomies/codename/topics', [
        { op: 'replace', reference: { codename: 'land' }, property_name: 'name', value: world.name() },
      ]);
      expectDifferent(note, other);
      return { items: [at(other)], taxonomies: ['topics'] };
    },
  ),
  door('v2', 'delete a taxonomy group', 'taxonomy archive', 'the group', async (world) => {
    const name = world.name();
    await world.v2('POST', 'taxonomies', { name, terms: [] });
    await world.begin();
    await world.v2('DELETE', `taxonomies/codename/${name}`);
    return { items: [], taxonomies: [name] };
  }),
  door('admin', 'archive a taxonomy group', 'taxonomy archive', 'the group', async (world) => {
    const name = world.name();
    const { id } = await world.v2<{ id: string }>('POST', 'taxonomies', { name, terms: [] });
    await world.begin();
    await world.admin('POST', `taxonomies/${id}/archive`);
    return { items: [], taxonomies: [name] };
  }),
  door('admin', 'restore a taxonomy group', 'taxonomy restore', 'the group', async (world) => {
    const name = world.name();
    const { id } = await world.v2<{ id: string }>('POST', 'taxonomies', { name, terms: [] });
    await world.admin('POST', `taxonomies/${id}/archive`);
    await world.begin();
    await world.admin('POST', `taxonomies/${id}/restore`);
    return { items: [], taxonomies: [name] };
  }),
  door('v2', 'upload a file, make an asset', null, NOTHING, async (world) => {
    await world.begin();
    await world.asset();
    return [];
  }),
  door(
    'v2',
    'change the descriptions or the file of an asset',
    'asset upsert',
    'published items that show it, in the languages described',
    async (world) => {
      const asset = await world.asset();
      const note = await world.note({ in: ['en', 'de'], published: ['en', 'de'], assets: [asset] });
      await world.begin();
      await world.v2('PUT', `assets/${asset}`, {
        title: null,
        descriptions: [{ language: { codename: 'en' }, description: 'A note' }],
      });
      return [at(note)];
    },
  ),
  door(
    'v2',
    'change the title of an asset, or one that no published item shows',
    null,
    NOTHING,
    async (world) => {
      const asset = await world.asset();
      await world.note({ assets: [asset] });
      await world.begin();
      await world.v2('PUT', `assets/${asset}`, {
        title: 'Title',
        descriptions: [{ language: { codename: 'en' }, description: 'A note' }],
      });
      return [];
    },
  ),
  door(
    'admin',
    'change the sitemap',
    'sitemap upsert',
    'published items at nodes that are gone or have another codename',
    async (world) => {
      const { nodes } = await world.admin<{ nodes: { id: string; name: string; codename: string }[] }>(
        'GET',
        'sitemap',
      );
      const last = nodes.at(-1);
      const note = await world.published({ sitemap: [last?.codename ?? ''] });
      await world.published({ sitemap: ['home'] });
      await world.begin();
      await world.admin('PUT', 'sitemap', {
        nodes: nodes.map((node) =>
          node === last ? { ...node, name: 'Other', codename: world.name() } : node,
        ),
      });
      return [at(note)];
    },
  ),
];

const settings: readonly Door[] = [
  door('v2', 'add a language', 'project_settings upsert', 'nothing', async (world) => {
    const codename = world.name();
    await world.begin();
    await world.v2('POST', 'languages', { name: codename, codename });
    return [];
  }),
  door(
    'v2',
    'change the codename of a language',
    'project_settings upsert',
    'what is published in it',
    async (world) => {
      const codename = world.name();
      await world.v2('POST', 'languages', { name: codename, codename });
      const note = await world.note({ in: ['en', codename], published: ['en', codename] });
      await world.begin();
      const changed = world.name();
      await world.v2('PATCH', `languages/codename/${codename}`, [
        { op: 'replace', property_name: 'codename', value: changed },
      ]);
      return [at(note, changed)];
    },
  ),
  door(
    'admin',
    'deactivate or activate a language',
    'project_settings upsert',
    'what is published in it',
    async (world) => {
      const codename = world.name();
      const { id } = await world.v2<{ id: string }>('POST', 'languages', { name: codename, codename });
      const note = await world.note({ in: ['en', codename], published: ['en', codename] });
      await world.begin();
      await world.admin('POST', `languages/${id}/deactivate`);
      return [at(note, codename)];
    },
  ),
  door('v2', 'register, pause or delete a webhook', null, NOTHING, async (world) => {
    await world.begin();
    const { id } = await world.v2<{ id: string }>('POST', 'webhooks', {
      name: 'Other',
      url: 'https://example.org/',
      triggers: {},
    });
    await world.v2('PUT', `webhooks/${id}/disable`);
    await world.v2('DELETE', `webhooks/${id}`);
    return [];
  }),
  door('admin', 'keys, secure access, users', null, NOTHING, async (world) => {
    await world.begin();
    await world.admin('PUT', 'secure-access', { enabled: true });
    await world.admin('POST', 'keys/delivery-primary/regenerate');
    await world.admin('PUT', 'secure-access', { enabled: false });
    return [];
  }),
  door('admin', 'archive the project', 'project archive', 'nothing', async (world) => {
    await world.begin();
    await world.admin('DELETE', `/projects/${world.project}`);
    return [];
  }),
  door('admin', 'restore the project', 'project restore', 'nothing', async (world) => {
    await world.begin();
    await world.admin('PUT', `/projects/${world.project}/restore`);
    return [];
  }),
];

/** In this order: the last two archive the project and restore it. */
export const DOORS: readonly Door[] = [...variants, ...items, ...model, ...settings];

function expectDifferent(one: string, other: string): void {
  if (one === other) throw new Error('Two notes have one codename.');
}
