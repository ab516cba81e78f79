/** History and plans in a real browser, with the keyboard only. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { ElementInput } from '../../core/model/inputs.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { consoleJobs } from '../support/console-jobs.ts';
import { addOperator, signedInPage } from '../support/console-person.ts';
import { Keyboard } from '../support/keyboard.ts';
import { type OpenedPage, openBrowser } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';

const LANGUAGE = { codename: 'en' };

describe('history and plans in the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let keys: Keyboard;
  let opened: OpenedPage;
  const ids = new Map<string, string>();
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), openBrowser()]);
    await addOperator(service);
    await run(async (transaction) => {
      await createType(transaction, {
        name: 'Guide',
        elements: [
          { type: 'text', name: 'Heading' },
          { type: 'rich_text', name: 'Body' },
          { type: 'modular_content', name: 'See also' },
        ],
      });
      for (const name of ['Boats', 'Oars', 'Ropes']) {
        const { id } = await createItem(transaction, { name, type: { codename: 'guide' } });
        ids.set(name, id);
      }
      await write(transaction, 'Boats', 'Old boats', '<p>They are made of wood.</p>');
      await write(transaction, 'Ropes', 'Ropes', '<p>Long.</p>');
    });
    await run((to) => publishVariant(to, { id: ids.get('Boats')! }, LANGUAGE));
    await run(async (to) => {
      await write(to, 'Oars', 'Oars', '<p>Two.</p>', {
        element: { codename: 'see_also' },
        value: [{ id: ids.get('Ropes')! }],
      });
    });
    opened = await signedInPage(browser, service);
    ({ page } = opened);
    keys = new Keyboard(page);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  const run = <T>(work: (transaction: ProjectTransaction) => Promise<T>) =>
    service.core.operations.inProject(service.sample!.projectId, null, work);
  const write = (
    to: ProjectTransaction,
    name: string,
    heading: string,
    body: string,
    ...more: ElementInput[]
  ) =>
    upsertVariant(to, { id: ids.get(name)! }, LANGUAGE, {
      elements: [
        { element: { codename: 'heading' }, value: heading },
        { element: { codename: 'body' }, value: body },
        ...more,
      ],
    });
  const open = async (name: string) => {
    await page.goto(
      `${service.url}/console/projects/${service.sample!.projectId}/items/${ids.get(name)}?language=en`,
    );
    await page.getByRole('heading', { name, exact: true }).waitFor();
  };
  const { job, isAccessible } = consoleJobs(() => opened);
  const stored = () =>
    run(async ({ tx }) =>
      tx.get<{ draft: string | null; published: string | null }>(
        `SELECT d.elements AS draft, p.elements AS published FROM item i JOIN variant v ON v.item = i.number
           LEFT JOIN version d ON d.number = v.draft LEFT JOIN version p ON p.number = v.published WHERE i.id = ?`,
        [ids.get('Boats')!],
      ),
    );

  job('a version is compared, restored, and the restoration is undone', async () => {
    await run((to) => newDraft(to));
    const before = await stored();
    await open('Boats');
    await keys.press('History', 'Enter');
    await page.getByRole('heading', { name: 'History of Boats (English)' }).waitFor();
    await page.getByText('2 elements changed.').waitFor();
    const body = page.getByRole('region', { name: 'Body' });
    expect(await body.locator('del').textContent()).to.equal('Removed: wood');
    expect(await body.locator('ins').textContent()).to.equal('Inserted: steel');
    await isAccessible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await isAccessible('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await keys.press('Restore “Heading” from the older version', 'Enter');
    await page.getByText('One element changed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await isAccessible();
    await keys.press('Undo', 'Enter');
    await page.getByText('2 elements changed.').waitFor();
    expect(await stored()).to.deep.equal(before);

    const oldest = page.getByRole('button', { name: /^Restore the version: .*Public/ });
    await keys.press((await oldest.getAttribute('aria-label')) ?? '', 'Enter');
    await page
      .getByText('These versions have the same content.')
      .or(page.getByText('2 elements changed.'))
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    const after = await stored();
    expect(after?.draft).to.equal(before?.published);
    expect(after?.published).to.equal(before?.published);

    // A public variant without a draft gets one, and undoing takes it away.
    await run((to) => publishVariant(to, { id: ids.get('Boats')! }, LANGUAGE));
    await page.reload();
    const steel = page.getByRole('button', { name: /^Restore the version: / }).first();
    await keys.press((await steel.getAttribute('aria-label')) ?? '', 'Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await keys.press('Undo', 'Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    expect((await stored())?.draft).to.equal(null);
  });

  async function newDraft(to: ProjectTransaction): Promise<void> {
    await newVersion(to, { id: ids.get('Boats')! }, LANGUAGE);
    await write(to, 'Boats', 'New boats', '<p>They are made of steel.</p>');
  }

  job('an item is published with what it links to', async () => {
    await open('Oars');
    await keys.press('Publish …', 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText('Oars (English) → ropes').waitFor();
    await dialog.getByText('This happens at once.').waitFor();
    await isAccessible();
    await keys.press('Include the linked draft', 'Enter');
    await dialog.getByText('These are published too, because others link to them:').waitFor();
    await dialog.getByText('2 variants become public.').waitFor();
    await isAccessible();
    await keys.press('Publish now', 'Enter');
    await dialog.getByText('2 variants were published.').waitFor();
    for (const name of ['oars', 'ropes']) {
      const answer = await fetch(
        `${service.url}/delivery/${service.sample!.projectId}/items/${name}?language=en`,
      );
      expect(answer.status, name).to.equal(200);
    }
    await keys.press('Close', 'Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  job('a plan of unpublishing says what breaks', async () => {
    await open('Ropes');
    await keys.press('Unpublish …', 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Unpublish' });
    await dialog.getByText('1 variant is no longer public.').waitFor();
    await dialog.getByText('These public links would break:').waitFor();
    await dialog.getByText('Oars (English) → Ropes').first().waitFor();
    await isAccessible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await isAccessible('dark');
    await keys.press('Cancel', 'Enter');
  });
});
