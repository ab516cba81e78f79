import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

describe('a project that was read when it was empty', () => {
  let service: RunningService;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('answers an item of its first type as soon as that is published', async () => {
    const { operations } = service.core;
    const { id } = await operations.installation(null, (to) => createProject(to, { name: 'New' }));
    const status = async (path: string) => (await fetch(`${service.url}/delivery/${id}/${path}`)).status;
    expect(await status('items/first')).to.equal(404);
    await operations.inProject(id, null, async (transaction) => {
      await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Text' }] });
      const { id: first } = await createItem(transaction, { name: 'First', type: { codename: 'note' } });
      const item = { id: first };
      await upsertVariant(transaction, item, { codename: 'default' }, { elements: [] });
      await publishVariant(transaction, item, { codename: 'default' });
    });
    expect(await status('items/first')).to.equal(200);
    expect(await status('items/second')).to.equal(404);
  });
});
