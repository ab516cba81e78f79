/**
 * Every way to change content, and its notifications. A test compares the table in core/webhooks/README.md with this
 * list; another runs all of it.
 */
import { at, type EntryPoint, entryPoint, NOTHING } from './entry-point.ts';
import { model, settings } from './model-entry-points.ts';

const variants: readonly EntryPoint[] = [
  entryPoint('v2', 'make an item, write or change a draft', null, NOTHING, async (world) => {
    await world.begin();
    const note = await world.note({ in: ['en', 'de'] });
    await world.variant('PUT', note, 'en', '', {
      elements: [{ element: { codename: 'text' }, value: 'other' }],
    });
    return [];
  }),
  entryPoint('v2', 'publish a variant', 'content_item_variant publish', 'the variant', async (world) => {
    const note = await world.note({ in: ['en', 'de'] });
    await world.begin();
    await world.publish(note, 'de');
    return [at(note, 'de')];
  }),
  entryPoint('v2', 'publish a published variant without a draft', null, NOTHING, async (world) => {
    const note = await world.published();
    await world.begin();
    await world.publish(note);
    return [];
  }),
  entryPoint('v2', 'open a new version, change it', null, NOTHING, async (world) => {
    const note = await world.published();
    await world.begin();
    await world.variant('PUT', note, 'en', 'new-version');
    await world.variant('PUT', note, 'en', '', {
      elements: [{ element: { codename: 'text' }, value: 'other' }],
    });
    return [];
  }),
  entryPoint('v2', 'publish a new version', 'content_item_variant publish', 'the variant', async (world) => {
    const note = await world.published();
    await world.variant('PUT', note, 'en', 'new-version');
    await world.begin();
    await world.publish(note);
    return [at(note)];
  }),
  entryPoint('v2', 'schedule, cancel a schedule', null, NOTHING, async (world) => {
    const note = await world.note();
    await world.begin();
    await world.variant('PUT', note, 'en', 'publish', { scheduled_to: '2999-01-01T00:00:00Z' });
    await world.variant('PUT', note, 'en', 'cancel-scheduled-publish');
    return [];
  }),
  entryPoint('clock', 'a schedule is due', 'content_item_variant publish', 'the variants', async (world) => {
    const note = await world.note();
    await world.begin();
    const at200 = new Date(Date.now() + 200).toISOString();
    await world.variant('PUT', note, 'en', 'publish', { scheduled_to: at200 });
    for (let left = 100; left > 0 && (await world.notified()).length === 0; left--)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return [at(note)];
  }),
  entryPoint('v2', 'unpublish a variant', 'content_item_variant unpublish', 'the variant', async (world) => {
    const note = await world.published();
    await world.begin();
    await world.variant('PUT', note, 'en', 'unpublish');
    return [at(note)];
  }),
  entryPoint(
    'v2',
    'unpublish and archive',
    'content_item_variant unpublish',
    'the variant',
    async (world) => {
      const note = await world.published({ in: ['en', 'de'] });
      await world.begin();
      await world.variant('PUT', note, 'en', 'unpublish-and-archive');
      return [at(note)];
    },
  ),
  entryPoint('v2', 'move a draft to the step Archived', null, NOTHING, async (world) => {
    const note = await world.note({ in: ['en', 'de'] });
    await world.begin();
    await world.variant('PUT', note, 'de', 'workflow/8ab361ad-c88d-4d90-b191-e410a5e2b1ac');
    return [];
  }),
  entryPoint(
    'v2',
    'delete a published variant',
    'content_item_variant archive',
    'the variant',
    async (world) => {
      const note = await world.note({ in: ['en', 'de'], published: ['en', 'de'] });
      await world.begin();
      await world.variant('DELETE', note, 'de');
      return [at(note, 'de')];
    },
  ),
  entryPoint('v2', 'delete a variant that is not published', null, NOTHING, async (world) => {
    const note = await world.published({ in: ['en', 'de'] });
    await world.begin();
    await world.variant('DELETE', note, 'de');
    return [];
  }),
];

const items: readonly EntryPoint[] = [
  entryPoint(
    'v2',
    'delete the last variant, published',
    'content_item_variant archive',
    'the variant',
    async (world) => {
      const note = await world.published();
      await world.begin();
      await world.variant('DELETE', note, 'en');
      return [at(note)];
    },
  ),
  entryPoint('v2', 'delete an item', 'content_item archive', 'each published language', async (world) => {
    const note = await world.note({ in: ['en', 'de'], published: ['en', 'de'] });
    await world.begin();
    await world.v2('DELETE', `items/codename/${note}`);
    return [at(note, 'de'), at(note)];
  }),
  entryPoint('v2', 'delete an item of which nothing is published', null, NOTHING, async (world) => {
    const note = await world.note();
    await world.begin();
    await world.v2('DELETE', `items/codename/${note}`);
    return [];
  }),
  entryPoint(
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
  entryPoint('v2', 'rename an item that no published one shows', null, NOTHING, async (world) => {
    const note = await world.note();
    await world.note({ links: [note] });
    const { id } = await world.v2<{ id: string }>('GET', `items/codename/${note}`);
    await world.variant('PUT', note, 'en', '', {
      elements: [
        { element: { codename: 'body' }, value: `<p><a data-item-id="${id}" href="">itself</a></p>` },
      ],
    });
    await world.publish(note);
    await world.begin();
    const name = world.name();
    await world.v2('PUT', `items/codename/${note}`, { name, codename: name, sitemap_locations: [] });
    return [];
  }),
  entryPoint(
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
  entryPoint('v1', 'import items, variants, files', null, NOTHING, async (world) => {
    const external = world.name();
    await world.begin();
    await world.v1('PUT', `items/external-id/${external}`, { name: external, type: { codename: 'note' } });
    await world.v1('PUT', `items/external-id/${external}/variants/codename/en`, {
      elements: { text: 'from elsewhere' },
    });
    await world.v1('POST', 'files/a.txt', Buffer.from('a'));
    return [];
  }),
  entryPoint('v1', 'delete an item', 'content_item archive', 'each published language', async (world) => {
    const note = await world.published();
    await world.begin();
    await world.v1('DELETE', `items/codename/${note}`);
    return [at(note)];
  }),
  entryPoint('admin', 'archive an item', 'content_item archive', 'each published language', async (world) => {
    const note = await world.published();
    const id = await world.idOf(note);
    await world.begin();
    await world.admin('POST', `items/${id}/archive`);
    return [at(note)];
  }),
  entryPoint(
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
  entryPoint('admin', 'restore an item that was not public', null, NOTHING, async (world) => {
    const note = await world.note();
    const id = await world.idOf(note);
    await world.admin('POST', `items/${id}/archive`);
    await world.begin();
    await world.admin('POST', `items/${id}/restore`);
    return [];
  }),
  entryPoint(
    'admin',
    'archive the last variant, published',
    'content_item_variant archive',
    'the variant',
    async (world) => {
      const note = await world.published();
      const id = await world.idOf(note);
      await world.begin();
      await world.admin('POST', `items/${id}/variants/00000000-0000-0000-0000-000000000000/archive`);
      return [at(note)];
    },
  ),
  entryPoint(
    'admin',
    'restore the last variant, that was public',
    'content_item_variant restore_publish',
    'the variant',
    async (world) => {
      const note = await world.published();
      const variant = `items/${await world.idOf(note)}/variants/00000000-0000-0000-0000-000000000000`;
      await world.admin('POST', `${variant}/archive`);
      await world.begin();
      await world.admin('POST', `${variant}/restore`);
      return [at(note)];
    },
  ),
  entryPoint(
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
  entryPoint(
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
  entryPoint(
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
  entryPoint('admin', 'plan a publish', null, NOTHING, async (world) => {
    const note = await world.note();
    await world.begin();
    await world.admin('POST', 'publish?plan=true', { variants: [{ item: note, language: 'en' }] });
    return [];
  }),
];

/** Order matters: the last two archive and restore the project. */
export const ENTRY_POINTS: readonly EntryPoint[] = [...variants, ...items, ...model, ...settings];
