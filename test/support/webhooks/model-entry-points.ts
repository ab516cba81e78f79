/** Entry points of the content model, of settings and of the project. */
import { at, type EntryPoint, entryPoint, NOTHING } from './entry-point.ts';

export const model: readonly EntryPoint[] = [
  entryPoint('v2', 'make or delete a content type', 'content_type upsert', 'nothing', async (world) => {
    await world.begin();
    const name = world.name();
    await world.v2('POST', 'types', { name, elements: [{ type: 'text', name: 'Text', codename: 'text' }] });
    return [];
  }),
  entryPoint(
    'v2',
    'change the elements of a type, or its codename',
    'content_type upsert',
    'published items of the type, or with components of it; with links to it, if its codename or URL slug changed',
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
  entryPoint(
    'v2',
    'change properties of a type that documents do not contain (guidelines, limits)',
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
  entryPoint('v2', 'make a snippet', null, NOTHING, async (world) => {
    await world.begin();
    await world.v2('POST', 'snippets', { name: world.name(), elements: [{ type: 'text', name: 'T' }] });
    return [];
  }),
  entryPoint(
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
  entryPoint('v2', 'make a taxonomy group', 'taxonomy upsert', 'the group', async (world) => {
    const name = world.name();
    await world.begin();
    await world.v2('POST', 'taxonomies', { name, terms: [] });
    return { items: [], taxonomies: [name] };
  }),
  entryPoint(
    'v2',
    'rename a term',
    'taxonomy upsert',
    'the group; published items that have the term, also in a component',
    async (world) => {
      const note = await world.published({ terms: ['sea'] });
      await world.published({ componentTerms: ['sea'] });
      const other = await world.published({ terms: ['land'] });
      const inComponent = await world.published({ componentTerms: ['land'] });
      await world.begin();
      await world.v2('PATCH', 'taxonomies/codename/topics', [
        { op: 'replace', reference: { codename: 'land' }, property_name: 'name', value: world.name() },
      ]);
      expectDifferent(note, other);
      return { items: [at(other), at(inComponent)], taxonomies: ['topics'] };
    },
  ),
  entryPoint('v2', 'delete a taxonomy group', 'taxonomy archive', 'the group', async (world) => {
    const name = world.name();
    await world.v2('POST', 'taxonomies', { name, terms: [] });
    await world.begin();
    await world.v2('DELETE', `taxonomies/codename/${name}`);
    return { items: [], taxonomies: [name] };
  }),
  entryPoint('admin', 'archive a taxonomy group', 'taxonomy archive', 'the group', async (world) => {
    const name = world.name();
    const { id } = await world.v2<{ id: string }>('POST', 'taxonomies', { name, terms: [] });
    await world.begin();
    await world.admin('POST', `taxonomies/${id}/archive`);
    return { items: [], taxonomies: [name] };
  }),
  entryPoint('admin', 'restore a taxonomy group', 'taxonomy restore', 'the group', async (world) => {
    const name = world.name();
    const { id } = await world.v2<{ id: string }>('POST', 'taxonomies', { name, terms: [] });
    await world.admin('POST', `taxonomies/${id}/archive`);
    await world.begin();
    await world.admin('POST', `taxonomies/${id}/restore`);
    return { items: [], taxonomies: [name] };
  }),
  entryPoint('v2', 'upload a file, make an asset', null, NOTHING, async (world) => {
    await world.begin();
    await world.asset();
    return [];
  }),
  entryPoint(
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
  entryPoint(
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
  entryPoint(
    'v2',
    'make an asset that published items waited for by its external id',
    'asset upsert',
    'the published items that show it',
    async (world) => {
      const external = world.name();
      const note = await world.publishedWithFiles([{ external_id: external }]);
      const file = await world.v2('POST', 'files/note.txt', Buffer.from(external));
      await world.begin();
      await world.v2('PUT', `assets/external-id/${external}`, { file_reference: file });
      return [at(note)];
    },
  ),
  entryPoint(
    'admin',
    'restore a deleted asset that published items refer to',
    'asset upsert',
    'the published items that show it',
    async (world) => {
      const id = await world.asset();
      await world.v2('DELETE', `assets/${id}`);
      const note = await world.publishedWithFiles([{ id }]);
      await world.begin();
      await world.admin('POST', `assets/${id}/restore`);
      return [at(note)];
    },
  ),
  entryPoint(
    'admin',
    'change the sitemap',
    'sitemap upsert',
    'published items at nodes that were removed or have another codename',
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

export const settings: readonly EntryPoint[] = [
  entryPoint('v2', 'add a language', 'project_settings upsert', 'nothing', async (world) => {
    const codename = world.name();
    await world.begin();
    await world.v2('POST', 'languages', { name: codename, codename });
    return [];
  }),
  entryPoint(
    'v2',
    'change the codename of a language',
    'project_settings upsert',
    'the items published in it',
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
  entryPoint(
    'v2',
    'change the name or the fallback of a language',
    'project_settings upsert',
    'nothing',
    async (world) => {
      const codename = world.name();
      await world.v2('POST', 'languages', { name: codename, codename });
      await world.published({ in: ['en', codename] });
      await world.begin();
      await world.v2('PATCH', `languages/codename/${codename}`, [
        { op: 'replace', property_name: 'fallback_language', value: { codename: 'de' } },
      ]);
      return [];
    },
  ),
  entryPoint(
    'admin',
    'deactivate or activate a language',
    'project_settings upsert',
    'the items published in it',
    async (world) => {
      const codename = world.name();
      const { id } = await world.v2<{ id: string }>('POST', 'languages', { name: codename, codename });
      const note = await world.note({ in: ['en', codename], published: ['en', codename] });
      await world.begin();
      await world.admin('POST', `languages/${id}/deactivate`);
      return [at(note, codename)];
    },
  ),
  entryPoint('v2', 'register, pause or delete a webhook', null, NOTHING, async (world) => {
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
  entryPoint('admin', 'keys, secure access, users', null, NOTHING, async (world) => {
    await world.begin();
    await world.admin('PUT', 'secure-access', { enabled: true });
    await world.admin('POST', 'keys/delivery-primary/regenerate');
    await world.admin('PUT', 'secure-access', { enabled: false });
    return [];
  }),
  entryPoint('admin', 'archive the project', 'project archive', 'nothing', async (world) => {
    await world.begin();
    await world.admin('DELETE', `/projects/${world.project}`);
    return [];
  }),
  entryPoint('admin', 'restore the project', 'project restore', 'nothing', async (world) => {
    await world.begin();
    await world.admin('PUT', `/projects/${world.project}/restore`);
    return [];
  }),
];

function expectDifferent(one: string, other: string): void {
  if (one === other) throw new Error('Two notes have one codename.');
}
