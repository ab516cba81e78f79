/** What a plan to publish finds is shown at its elements, with a way to them. In the long form. */

import type { Browser, Page } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { consoleJobs } from '../support/browser/console-jobs.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { NotesService } from '../support/projects/notes-service.ts';

const inLongForm = isLongForm ? describe : () => {};
const EN = { codename: 'en' };
const BOX = '00000000-0000-4000-8000-000000000001';

inLongForm('findings of a plan to publish', () => {
  let notes: NotesService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  before(async () => {
    [notes, browser] = await Promise.all([NotesService.start({ unlimited: true }), browserOfProcess()]);
    const { account } = await signInPerson(notes.service, { name: 'Ada Lovelace', isOperator: true });
    ({ page, errors } = await pageWithSession(browser, notes.service, account));
  });
  after(async () => {
    await browser?.close();
    await notes?.stop();
  });
  const { longJob, isAccessible } = consoleJobs(() => ({ page, errors }));

  longJob('are at their elements until these are changed, and lead to them', async () => {
    const item = await notes.run(async (transaction) => {
      const box = await createType(transaction, {
        name: 'Box',
        elements: [{ type: 'text', name: 'Label', codename: 'label', is_required: true }],
      });
      await createType(transaction, {
        name: 'Page',
        content_groups: [
          { name: 'Texts', codename: 'texts' },
          { name: 'Facts', codename: 'facts' },
        ],
        elements: [
          { type: 'text', name: 'Title', is_required: true, content_group: { codename: 'texts' } },
          { type: 'rich_text', name: 'Body', content_group: { codename: 'texts' } },
          { type: 'modular_content', name: 'Related', content_group: { codename: 'facts' } },
        ],
      });
      const other = await createItem(transaction, { name: 'Other', type: { codename: 'note' } });
      await upsertVariant(transaction, { id: other.id }, EN, { elements: [] });
      const { id } = await createItem(transaction, { name: 'Incomplete', type: { codename: 'page' } });
      await upsertVariant(transaction, { id }, EN, {
        elements: [
          { element: { codename: 'related' }, value: [{ id: other.id }] },
          {
            element: { codename: 'body' },
            value: `<p>Text</p><object type="application/service" data-type="component" data-id="${BOX}"></object>`,
            components: [{ id: BOX, type: { id: box.id }, elements: [] }],
          },
        ],
      });
      return id;
    });
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    const element = (codename: string) => page.locator(`[data-element=${codename}]`);
    const publish = async () => {
      await page.getByRole('button', { name: 'Publish …' }).click();
      await dialog.getByText('These rules of the content types are broken').waitFor();
    };
    const shows = async (name: string) => {
      await dialog.getByRole('button', { name: `Show “${name}”` }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    const isFocused = (codename: string) => element(codename).locator(':focus').waitFor();

    await page.goto(`${notes.service.url}/console/projects/${notes.project}/items/${item}?language=en`);
    await publish();
    await isAccessible('the plan');
    await shows('Title');
    await isFocused('title');
    await page.getByText('The plan to publish found something in 3 elements').waitFor();

    await publish();
    await shows('Related');
    await isFocused('related');
    await element('related').getByText('This links to “other”, which is not public').waitFor();

    await publish();
    await shows('Label');
    await isFocused('label');
    await element('label').getByText('A value is required.').waitFor();
    await isAccessible('findings in the form');
    await page.keyboard.type('Filled');
    await page.getByText('The plan to publish found something in 2 elements').waitFor();

    const show = page.locator('.notice').getByRole('button', { name: 'Show' });
    await show.click();
    await isFocused('title');
    await page.keyboard.type('Title');
    await page.getByText('The plan to publish found something in one element').waitFor();
    await page.getByRole('button', { name: 'Publish …' }).click();
    await dialog.getByRole('button', { name: 'Publish now' }).click();
    await dialog.getByText('1 variant was published.').waitFor();
  });
});
