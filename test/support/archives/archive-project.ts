/** Made-up projects with everything that an archive can hold. */

import { replaceFolders } from '../../../core/assets/folders.ts';
import { createItem, deleteItem } from '../../../core/content/items.ts';
import { archiveTaxonomy, createTaxonomy } from '../../../core/content/taxonomies.ts';
import { createType, deleteType } from '../../../core/content/types.ts';
import { upsertVariant } from '../../../core/content/variants.ts';
import { locateVariant } from '../../../core/publishing/locate-variant.ts';
import { scheduleLocated } from '../../../core/publishing/schedule.ts';
import { Random } from '../random/random.ts';
import { randomChanges } from '../random/random-changes.ts';
import { randomContent } from '../random/random-content.ts';
import { type RunningCore, TwinProject } from '../random/twin-project.ts';

/** @returns its id */
export async function archiveProject(core: RunningCore, seed: number): Promise<string> {
  const random = new Random(seed);
  const project = await TwinProject.create(core, `Seed ${seed}`, 'service');
  const { draft, batches } = randomContent(random);
  for (const batch of batches) await project.apply(batch);
  for (const batch of randomChanges(draft, random)) await project.apply(batch);
  await core.operations.inProject(project.id, null, async (transaction) => {
    await replaceFolders(transaction, [
      { name: 'Top', external_id: 'top', folders: [{ name: 'Inner' }, { name: 'Other' }] },
    ]);
    const { codename } = await createTaxonomy(transaction, {
      name: 'Gone',
      external_id: 'gone',
      terms: [{ name: 'One', external_id: 'one', terms: [{ name: 'Two' }] }],
    });
    await archiveTaxonomy(transaction, { codename });
    await createTaxonomy(transaction, { name: 'Gone', terms: [] });
    await createType(transaction, {
      name: 'Everything',
      external_id: 'everything',
      content_groups: [{ name: 'Content' }],
      elements: [
        { type: 'text', name: 'Title', maximum_text_length: { value: 3, applies_to: 'characters' } },
        { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'title' } } },
        { type: 'rich_text', name: 'Text', allowed_content_types: [{ external_id: 'yet to come' }] },
        { type: 'modular_content', name: 'Linked', item_count_limit: { value: 1, condition: 'at_most' } },
        { type: 'asset', name: 'Files', is_required: true },
        {
          type: 'custom',
          name: 'Own',
          source_url: 'https://example.com/',
          json_parameters: '{}',
          allowed_elements: [{ codename: 'title' }],
        },
      ].map((element) => ({ ...element, content_group: { codename: 'content' } })),
    });
    const type = { codename: 'everything' };
    const language = { id: transaction.model.defaultLanguage.id };
    const inner = '3f3a1c62-0000-4000-8000-000000000001';
    const innermost = '3f3a1c62-0000-4000-8000-000000000002';
    for (const name of ['Full', 'Scheduled', 'Deleted']) {
      const item = await createItem(transaction, { name, type, external_id: `item ${name}` });
      const component = (id: string) =>
        `<object type="application/service" data-type="component" data-id="${id}"></object>`;
      const text = { codename: 'text' };
      await upsertVariant(transaction, { id: item.id }, language, {
        elements: [
          { element: { codename: 'title' }, value: `${name} <b>&amp;</b> ünïcode \u{1f600}` },
          {
            element: text,
            value: `<p>&nbsp;a &lt;b&gt; "c" <a data-item-external-id="expected" title="&quot;x&quot;">d</a> <a href="example.com" data-new-window="true">e</a><br/></p>${component(inner)}<figure data-asset-external-id="expected"></figure><table><tr><td>x</td></tr></table>`,
            components: [
              {
                id: inner,
                type,
                elements: [
                  {
                    element: text,
                    value: component(innermost),
                    components: [
                      { id: innermost, type, elements: [{ element: { codename: 'title' }, value: 'deep' }] },
                    ],
                  },
                ],
              },
            ],
          },
          {
            element: { codename: 'linked' },
            value: [{ external_id: 'item Full' }, { external_id: 'expected' }],
          },
        ],
      });
      if (name === 'Deleted') await deleteItem(transaction, { id: item.id });
      if (name === 'Scheduled')
        await scheduleLocated(
          transaction,
          [await locateVariant(transaction, { id: item.id }, language, 'publish')],
          '2999-01-01T00:00:00.0000000Z',
        );
    }
    // A type that went with its archived items leaves rows that are only referred to.
    const lost = await createType(transaction, { name: 'Lost', elements: [{ type: 'text', name: 'A' }] });
    const item = await createItem(transaction, { name: 'Lost', type: { id: lost.id } });
    await deleteItem(transaction, { id: item.id });
    await deleteType(transaction, { id: lost.id });
  });
  await core.operations.settled();
  return project.id;
}
